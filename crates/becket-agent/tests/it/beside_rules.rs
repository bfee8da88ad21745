//! Command lines of which allow rules cover some commands, and the others only read.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::Tree;
use crate::support::calls::{LONG, call_of};
use crate::support::shell::Shell;
use becket_agent::tool_call::{CallEnd, ToolCalls};
use becket_engine::{CancellationToken, Engine, Tool, ToolSet};
use becket_model::Session;
use becket_tools::Surroundings;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

/// Programs that say what they are; `pwn` also leaves a file.
const PROGRAMS: [&str; 4] = ["npm", "make", "tree", "rg"];

fn tree() -> Tree {
    let tree = Tree::new();
    let program = |path: String, text: &str| {
        let file = tree.write(&path, text);
        std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    let pwn = format!("#!/bin/sh\n: > {}\n", tree.base.join("PWNED").display());
    for name in PROGRAMS {
        program(format!("programs/{name}"), "#!/bin/sh\necho \"$@\"\n");
    }
    for path in ["programs/pwn", "work/pwn", "work/echo", "work/sub/tail", "work/sub/run"] {
        program(path.to_owned(), &pwn);
    }
    program("work/run".to_owned(), "#!/bin/sh\necho ran\n");
    tree.write("work/check.py", "print('checked')\n");
    tree.write("work/.claude/settings.json", "{}\n");
    tree.write("work/.git/config", "");
    tree
}

/// Rules, and a line.
struct Case<'a> {
    permissions: Value,
    line: &'a str,
}

impl Case<'_> {
    /// Runs the line in a new session without a person. Returns the tree, and whether the line was run.
    async fn run(&self) -> (Tree, bool, String) {
        let tree = tree();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", tree.base.join("programs").display());
        let home = tree.base.join("home");
        let environment = tree.environment().with_var("PATH", path).with_home(home);
        let host = Surroundings::new(environment.clone()).with_directory(tree.base.join("more"));
        let shell = Shell::of(tree, |_| host);
        let tools = ToolSet::new([Arc::new(shell.bash.clone()) as Arc<dyn Tool>]);
        let engine = Engine::builder()
            .environment(environment)
            .start_dir(shell.tree.work())
            .request(|request| request.managed = Some(shell.tree.base.join("managed")))
            .settings_text(json!({"permissions": self.permissions}).to_string())
            .tools(tools.clone())
            .build()
            .unwrap();
        let place = |name: &str| shell.tree.base.join(name).display().to_string();
        let line = self.line.replace("OUT", &place("outside")).replace("MORE", &place("more"));
        let calls = ToolCalls::new(engine, tools).with_limit(LONG);
        let session: Session = shell.session();
        let call = call_of("Bash", json!({"command": line}));
        let report = calls.run(&session, call, &CancellationToken::new()).await;
        let said = format!("{:?}", report.ended);
        (shell.tree, !matches!(report.ended, CallEnd::Denied { .. }), said)
    }
}

fn cases(group: &Value, list: &str) -> Vec<String> {
    let lines = group[list].as_array().unwrap().iter();
    lines.map(|line| line.as_str().unwrap().to_owned()).collect()
}

fn permissions(group: &Value) -> Value {
    let rules = |list: &str| -> Vec<String> {
        let texts = group[list].as_array().into_iter().flatten();
        texts.map(|text| format!("Bash({})", text.as_str().unwrap())).collect()
    };
    let others = group["others"].as_array().into_iter().flatten();
    let mut allow = rules("rules");
    allow.extend(others.map(|text| text.as_str().unwrap().to_owned()));
    json!({"allow": allow, "deny": rules("deny"), "ask": rules("ask")})
}

fn groups() -> Vec<Value> {
    let table: Value = serde_json::from_str(include_str!("../cases/beside.json")).unwrap();
    table["groups"].as_array().cloned().unwrap()
}

// rules: P4, P14, D3
#[tokio::test]
async fn each_line_is_run_or_asked_as_the_table_says() {
    let mut wrong = Vec::new();
    for group in groups() {
        for (list, expected) in [("allowed", true), ("asked", false)] {
            for line in cases(&group, list) {
                let case = Case { permissions: permissions(&group), line: &line };
                let (tree, ran, said) = case.run().await;
                let shows = ran && said.contains("SECRET");
                if ran != expected || tree.base.join("PWNED").exists() || shows {
                    wrong.push(format!("{line:?} must be {list}: {said}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
