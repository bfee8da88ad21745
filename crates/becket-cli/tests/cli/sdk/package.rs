//! A real package, as installed by `cargo xtask test`, that drives the program with a script of the fixtures.

use super::place;
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::Value;
use std::path::Path;

/// One of the SDKs.
#[derive(Clone, Copy)]
pub(crate) enum Package {
    Python,
    Node,
}

impl Package {
    /// Returns the variable with its path, which `cargo xtask test` sets.
    const fn variable(self) -> &'static str {
        match self {
            Package::Python => "BECKET_TEST_SDK_PYTHON",
            Package::Node => "BECKET_TEST_SDK_NODE",
        }
    }

    /// Returns the interpreter or the directory of packages that has it; `None` if it is missing for a known reason.
    pub(crate) fn installed(self) -> Option<String> {
        let installed = variable_of_test(self.variable());
        if installed.is_none() {
            let reason = variable_of_test("BECKET_TEST_SDK_SKIP").unwrap_or_else(|| {
                panic!("`{}` is not set: run `cargo xtask test`, which installs the SDKs", self.variable())
            });
            skipped(&reason);
        }
        installed
    }

    /// Creates a place for a scenario: a project with settings, and a script instead of a model. Returns `None` if the
    /// package is missing for a known reason.
    pub(crate) fn place(self, settings: &Value, turns: &Value) -> Option<Driven> {
        let installed = self.installed()?;
        let program = match self {
            Package::Python => installed.clone(),
            Package::Node => "node".to_owned(),
        };
        let env = place(&program, settings, turns);
        if let Package::Node = self {
            // Node searches for packages only beside the script.
            let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/sdk/fixtures");
            let script = std::fs::read(fixtures.join("drive.mjs")).expect("it is there");
            env.write("driver/drive.mjs", script);
            std::os::unix::fs::symlink(&installed, env.root().join("driver/node_modules"))
                .expect("it is a directory");
        }
        Some(Driven { env, package: self })
    }
}

/// A place in which a script drives the program.
pub(crate) struct Driven {
    pub(crate) env: TestEnv,
    package: Package,
}

impl Driven {
    /// Plays a scenario; returns its observations, one value each.
    pub(crate) fn play(&self, scenario: &str) -> Vec<Value> {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/sdk/fixtures");
        let script = match self.package {
            Package::Python => fixtures.join("drive.py"),
            Package::Node => self.env.root().join("driver/drive.mjs"),
        };
        let managed = self.env.root().join("managed").display().to_string();
        // A server that asks its user, and records the answer.
        let servers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../becket-agent/tests/servers/server.py");
        let ended: ProgramOutput = self
            .env
            .bare([script.display().to_string(), scenario.to_owned()])
            .env("BECKET", env!("CARGO_BIN_EXE_becket"))
            .env("MANAGED", &managed)
            .env("LOG", &self.env.root().join("heard.jsonl").display().to_string())
            .env("SERVER", &servers.display().to_string())
            .run();
        assert_eq!(ended.code, Some(0), "{scenario}: {ended:#?}");
        ended
            .stdout
            .lines()
            .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
            .collect()
    }

    /// Runs the guide's example as after an installation; returns its output.
    pub(crate) fn example(&self) -> String {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sdk");
        let name = match self.package {
            Package::Python => "ask.py",
            Package::Node => "ask.mjs",
        };
        let script = self
            .env
            .write(&format!("driver/{name}"), std::fs::read(examples.join(name)).expect("it is there"));
        let bin = Path::new(env!("CARGO_BIN_EXE_becket")).parent().expect("it lies somewhere");
        let mut command = self.env.bare([script]).env("ANTHROPIC_MODEL", "script:script.json").into_command();
        let path = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, path)| path);
        let mut all = bin.as_os_str().to_owned();
        all.push(":");
        all.push(path.unwrap_or_default());
        let ended = command.env("PATH", all).output().expect("it starts");
        assert!(ended.status.success(), "{ended:?}");
        String::from_utf8_lossy(&ended.stdout).into_owned()
    }

    /// Returns true if the file exists in the project.
    pub(crate) fn there(&self, file: &str) -> bool {
        self.env.project().join(file).exists()
    }
}

/// Returns the values that a scenario has reported under a name.
pub(crate) fn told<'a>(seen: &'a [Value], name: &str) -> Vec<&'a Value> {
    seen.iter().filter_map(|value| value.get(name)).collect()
}

/// Returns the last result.
pub(crate) fn result(seen: &[Value]) -> &Value {
    told(seen, "result").last().copied().expect("there is a result")
}

/// The scenarios, which are the same for each package.
pub(crate) mod scenario {
    use super::super::bash;
    use super::{Package, result, told};
    use serde_json::{Value, json};

    pub(crate) fn query(package: Package) {
        let Some(driven) = package.place(&json!({}), &json!([{"text": "Hello there."}])) else { return };
        let seen = driven.play("query");
        assert_eq!(told(&seen, "text"), [&json!("Hello there.")]);
        assert_eq!(result(&seen)["result"], "Hello there.");
        assert_eq!(result(&seen)["is_error"], false);
        assert_eq!(told(&seen, "session")[0], &result(&seen)["session_id"]);
    }

    pub(crate) fn example(package: Package) {
        let turns = json!([{"text": "It adds up.", "expect": ["What does the till do?"]}]);
        let Some(driven) = package.place(&json!({}), &turns) else { return };
        assert_eq!(driven.example(), "It adds up.");
    }

    /// Checks that PreToolUse denies one call and allows another, and that PostToolUse adds text for the model.
    // rules: H9, D5
    pub(crate) fn hooks(package: Package) {
        let turns = json!([
            {"tool_uses": [bash("t1", "touch denied")]},
            {"tool_uses": [bash("t2", "touch made")], "expect": ["not that one"]},
            {"text": "Done.", "expect": ["seen by the host"]}
        ]);
        let settings = json!({"permissions": {"allow": ["Bash(touch *)"]}});
        let Some(driven) = package.place(&settings, &turns) else { return };
        let seen = driven.play("hooks");
        let calls = told(&seen, "hook");
        let names: Vec<(&Value, &Value)> = calls.iter().map(|call| (&call["event"], &call["id"])).collect();
        let of = |event: &str, id: &str| (json!(event), json!(id));
        let wanted = [of("PreToolUse", "t1"), of("PreToolUse", "t2"), of("PostToolUse", "t2")];
        assert_eq!(names, wanted.iter().map(|(event, id)| (event, id)).collect::<Vec<_>>());
        assert_eq!(calls[1]["input"]["tool_input"]["command"], "touch made");
        assert_eq!(calls[2]["input"]["tool_response"]["interrupted"], false);
        assert_eq!(result(&seen)["result"], "Done.");
        assert_eq!((driven.there("denied"), driven.there("made")), (false, true));
    }

    /// Checks that a callback that throws and one that never answers both deny.
    // rules: H9, H11
    pub(crate) fn failing_hooks(package: Package) {
        let turns = json!([
            {"tool_uses": [bash("t1", "touch thrown")]},
            {"tool_uses": [bash("t2", "touch hung")], "expect": ["it fell over"]},
            {"text": "Done."}
        ]);
        let settings = json!({"permissions": {"allow": ["Bash(touch *)"]}});
        let Some(driven) = package.place(&settings, &turns) else { return };
        let seen = driven.play("failing_hooks");
        assert_eq!(result(&seen)["result"], "Done.");
        assert_eq!((driven.there("thrown"), driven.there("hung")), (false, false));
    }

    // rules: D3, D9, P13
    pub(crate) fn permissions(package: Package) {
        let turns = json!([
            {"tool_uses": [bash("t1", "touch no")]},
            {"tool_uses": [bash("t2", "touch asked")], "expect": ["not that one"]},
            {"tool_uses": [bash("t3", "touch again")]},
            {"text": "Done."}
        ]);
        let Some(driven) = package.place(&json!({}), &turns) else { return };
        let seen = driven.play("permissions");
        let asked = told(&seen, "asked");
        let commands: Vec<&Value> = asked.iter().map(|asked| &asked["input"]["command"]).collect();
        assert_eq!(commands, ["touch no", "touch asked"], "the rule of the second answer allows the third");
        assert_eq!((&asked[0]["tool"], &asked[0]["id"]), (&json!("Bash"), &json!("t1")));
        assert_eq!(asked[0]["suggestions"], true);
        assert_eq!(asked[0]["title"], "Becket needs your permission to use Bash");
        assert_eq!(asked[0]["name"], "Bash");
        assert_eq!(result(&seen)["permission_denials"], 1);
        let files = ["no", "asked", "instead", "again"].map(|file| driven.there(file));
        assert_eq!(files, [false, false, true, true]);
    }

    // rules: X1, X5
    pub(crate) fn server(package: Package) {
        let call = json!({"id": "t1", "name": "mcp__calc__add", "input": {"a": 2, "b": 3}});
        let fails = json!({"id": "t2", "name": "mcp__calc__fail", "input": {}});
        let turns = json!([
            {"tool_uses": [call]},
            {"tool_uses": [fails], "expect": ["the sum is 5"]},
            {"text": "Done.", "expect": ["the abacus fell over"]}
        ]);
        let Some(driven) = package.place(&json!({}), &turns) else { return };
        let seen = driven.play("server");
        assert_eq!(told(&seen, "added"), [&json!([2, 3])]);
        assert_eq!(result(&seen)["result"], "Done.");
        let status = told(&seen, "status")[0];
        assert_eq!((&status["name"], &status["status"]), (&json!("calc"), &json!("connected")));
    }

    // rules: L2, L6
    pub(crate) fn interrupt(package: Package) {
        let turns = json!([{"tool_uses": [bash("t1", "touch started; sleep 300")]}, {"text": "I am here."}]);
        let settings = json!({"permissions": {"allow": ["Bash"]}});
        let Some(driven) = package.place(&settings, &turns) else { return };
        let seen = driven.play("interrupt");
        let results = told(&seen, "result");
        assert_eq!(results.len(), 2, "{seen:?}");
        assert_eq!(results[0]["terminal"], "aborted_tools");
        assert_eq!(results[1]["result"], "I am here.");
    }

    /// Checks that a prompt that a hook rejects and an unknown command are results, not exceptions.
    // rules: D5, L0
    pub(crate) fn rejected(package: Package) {
        let guard = "grep -q secret && { echo 'no secrets' >&2; exit 2; }; exit 0";
        let hooks = json!({"UserPromptSubmit": [{"hooks": [{"type": "command", "command": guard}]}]});
        let Some(driven) = package.place(&json!({"hooks": hooks}), &json!([])) else { return };
        let seen = driven.play("rejected");
        let results = told(&seen, "result");
        let is_error: Vec<&Value> = results.iter().map(|result| &result["is_error"]).collect();
        assert_eq!(is_error, [false, false], "{seen:?}");
        assert!(results[0]["result"].as_str().is_some_and(|said| said.contains("no secrets")), "{seen:?}");
        assert!(results[1]["result"].as_str().is_some_and(|said| said.contains("`/nope`")), "{seen:?}");
    }

    /// Checks that a failing provider causes an exception with its error, after a message that replaces the answer.
    // rule: L3
    pub(crate) fn api_error(package: Package) {
        let turns = json!([{"error": {"kind": "bad_request", "message": "messages: at least one"}}]);
        let Some(driven) = package.place(&json!({}), &turns) else { return };
        let seen = driven.play("api_error");
        assert_eq!(told(&seen, "error"), ["invalid_request"], "{seen:?}");
        let said = told(&seen, "text")[0].as_str().unwrap_or_default();
        assert!(said.starts_with("API Error: ") && said.contains("at least one"), "{said}");
        assert_eq!(
            (&result(&seen)["is_error"], &result(&seen)["terminal"]),
            (&json!(true), &json!("api_error"))
        );
        let raised = told(&seen, "raised");
        match package {
            Package::Python => assert_eq!(raised, [&json!(["ResultError", "success", "api_error"])]),
            Package::Node => assert_eq!(raised.len(), 1, "{seen:?}"),
        }
    }

    // rule: L2
    pub(crate) fn resume(package: Package) {
        let Some(driven) = package.place(&json!({}), &json!([{"text": "The number is 47."}])) else { return };
        let again = json!([{"text": "It was 47.", "expect": ["The number is 47.", "tell me a number", "which one?"]}]);
        driven.env.write("project/again.json", json!({"turns": again}).to_string());
        let seen = driven.play("resume");
        let results = told(&seen, "result");
        assert_eq!(results[0]["result"], "The number is 47.");
        assert_eq!(results[1]["result"], "It was 47.");
        assert_eq!(results[0]["session_id"], results[1]["session_id"]);
    }

    /// Changes the mode and the model of an open session, and uses agents of the host.
    // rules: P13, P14
    /// Only one of the two packages answers questions of servers, and sets other servers.
    pub(crate) fn wishes(package: Package) {
        let turns = json!([
            {"tool_uses": [{"id": "t1", "name": "mcp__one__ask", "input": {}}]},
            {"text": "Done.", "expect": [match package { Package::Python => "cancel", Package::Node => "Ada" }]}
        ]);
        let Some(driven) = package.place(&json!({}), &turns) else { return };
        let seen = driven.play("wishes");
        let status: Vec<&Value> = told(&seen, "status");
        let one = |word: &str| json!([["one", word]]);
        assert_eq!(status[..3], [&one("connected"), &one("disabled"), &one("connected")]);
        assert_eq!(told(&seen, "window"), [200_000]);
        assert_eq!(told(&seen, "used"), [true]);
        assert_eq!(told(&seen, "result")[0]["result"], "Done.", "{seen:?}");
        match package {
            Package::Python => {}
            Package::Node => {
                assert_eq!(told(&seen, "set")[0]["added"], json!(["two"]), "{seen:?}");
                assert_eq!(*status[3], json!([["one", "connected"], ["two", "connected"]]));
                assert_eq!(told(&seen, "asked"), [&json!(["one", "who are you?", ["name"]])]);
            }
        }
    }

    pub(crate) fn changes(package: Package) {
        let write = |id: &str, file: &str| json!({"id": id, "name": "Write", "input": {"file_path": file, "content": "x"}});
        let turns = json!([
            {"tool_uses": [write("t1", "one")]}, {"text": "Denied."},
            {"tool_uses": [write("t2", "two")]}, {"text": "Written."}
        ]);
        let Some(driven) = package.place(&json!({}), &turns) else { return };
        driven.env.write("project/other.json", json!({"turns": [{"text": "The other."}]}).to_string());
        let seen = driven.play("changes");
        let results: Vec<&Value> = told(&seen, "result").iter().map(|result| &result["result"]).collect();
        assert_eq!(results, ["Denied.", "Written.", "The other."]);
        assert_eq!((driven.there("one"), driven.there("two")), (false, true));
        assert_eq!(
            told(&seen, "agents")[0].as_array().map(|all| all.contains(&json!("reviewer"))),
            Some(true)
        );
        assert!(
            told(&seen, "error")[0].as_str().is_some_and(|error| error.contains("started without")),
            "{seen:?}"
        );
    }
}

#[expect(clippy::disallowed_methods, reason = "what was installed is known to who started the tests")]
fn variable_of_test(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[expect(clippy::print_stdout, reason = "who started the tests is told what was skipped")]
fn skipped(reason: &str) {
    println!("SKIPPED: {reason}");
}
