//! `allow-once`: a user's approval of a call that an agent could not ask about.

use crate::tmux::Terminal;
use crate::{env, workspace};
use becket_dialects::{Answer, Effect, dialect};
use becket_testkit::env::{ProgramOutput, TestEnv};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// Creates the guarded example, which asks before uncommitted work is discarded.
fn guarded() -> TestEnv {
    let env = env();
    env.copy(&workspace().join("examples/guarded-repo"), "project");
    env
}

fn payload(env: &TestEnv, command: &str) -> String {
    let file = workspace().join("crates/becket-dialects/tests/fixtures/codex/payloads.json");
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(file).expect("fixtures")).expect("JSON");
    let case = cases.into_iter().find(|case| case["name"] == "shell").expect("a shell call");
    let text = case["payload"].to_string().replace("/work/p", &env.project().display().to_string());
    text.replace("git push --force", command)
}

/// Fires the event of Codex that runs a command.
fn fired(env: &TestEnv, command: &str) -> (Effect, ProgramOutput) {
    let ended = env.becket(["fire", "--dialect", "codex"]).stdin(payload(env, command)).run();
    let exit = u8::try_from(ended.code.expect("a code")).expect("a small one");
    let answer = Answer { stdout: ended.stdout.clone(), stderr: ended.stderr.clone(), exit };
    (dialect("codex").expect("a dialect").effect_of(&answer), ended)
}

/// Returns the ID of the call in the reason of its denial.
fn name(ended: &ProgramOutput) -> String {
    let (_, rest) = ended.stdout.split_once("becket allow-once ").unwrap_or_else(|| panic!("{ended:?}"));
    rest.chars().take_while(char::is_ascii_alphanumeric).collect()
}

/// Returns the command line of a user, without variables of an agent that the test's terminal may have.
fn line(terminal: &Terminal<'_>, name: &str) -> String {
    format!("env -u CLAUDECODE -u GEMINI_CLI -u OPENCODE {}", terminal.becket(&format!("allow-once {name}")))
}

const RESET: &str = "git reset --hard";

#[test]
fn a_person_allows_exactly_this_call_once() {
    let env = guarded();
    let (effect, ended) = fired(&env, RESET);
    assert_eq!(effect, Effect::Held, "{ended:?}");
    let name = name(&ended);
    let file = env.root().join("home/.claude/becket/asked.json");
    assert_eq!(file.metadata().expect("a file").permissions().mode() & 0o777, 0o600);
    let terminal = Terminal::new(&env);
    for (typed, code, then) in [("no", 1, Effect::Held), ("yes", 0, Effect::Runs)] {
        terminal.types(&line(&terminal, &name));
        let screen = terminal.screen_with(|screen| screen.contains("Type yes"));
        assert!(screen.contains(RESET) && screen.contains("codex"), "{screen}");
        terminal.presses(&[typed, "Enter"]);
        terminal.screen_with(|screen| screen.contains(&format!("ended {code}")));
        assert_eq!(fired(&env, "git reset --hard HEAD").0, Effect::Held);
        let (effect, ended) = fired(&env, RESET);
        assert_eq!(effect, then, "{typed}: {ended:?}");
    }
    let (effect, ended) = fired(&env, RESET);
    assert_eq!(effect, Effect::Held, "only once: {ended:?}");
    // A denial of a hook is not an ask.
    let (effect, ended) = fired(&env, "git push --force origin main");
    assert_eq!(effect, Effect::Held);
    assert!(!ended.stdout.contains("allow-once"), "{ended:?}");
}

#[test]
fn one_yes_is_for_the_entries_of_both_scopes() {
    let env = guarded();
    let of_scope = |more: &[&'static str]| {
        let arguments = ["fire", "--dialect", "codex"].into_iter().chain(more.iter().copied());
        let ended = env.becket(arguments).stdin(payload(&env, RESET)).run();
        let answer = Answer { stdout: ended.stdout.clone(), stderr: ended.stderr.clone(), exit: 0 };
        (dialect("codex").expect("a dialect").effect_of(&answer), ended)
    };
    let entries = [&["--user-scope"][..], &[]];
    let names = entries.map(|entry| name(&of_scope(entry).1));
    assert_eq!(names[0], names[1]);
    let terminal = Terminal::new(&env);
    terminal.types(&line(&terminal, &names[0]));
    terminal.screen_with(|screen| screen.contains("Type yes"));
    terminal.presses(&["yes", "Enter"]);
    terminal.screen_with(|screen| screen.contains("ended 0"));
    for entry in entries {
        let (effect, ended) = of_scope(entry);
        assert_eq!(effect, Effect::Runs, "{entry:?}: {ended:?}");
    }
    for entry in entries {
        assert_eq!(of_scope(entry).0, Effect::Held, "{entry:?}: only once");
    }
}

#[test]
fn nothing_but_a_terminal_of_a_person_allows_anything() {
    let env = guarded();
    let name = name(&fired(&env, RESET).1);
    for (arguments, part) in
        [([name.as_str()], "stdin and stderr have to be a terminal"), (["000000000000"], "terminal")]
    {
        let ended = env.becket(["allow-once"].into_iter().chain(arguments)).stdin("yes\n").run();
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains(part), "{ended:?}");
    }
    let terminal = Terminal::new(&env);
    let screen = terminal.screen_after(&format!(
        "{} CLAUDECODE=1 {}",
        "env",
        terminal.becket(&format!("allow-once {name}"))
    ));
    assert!(screen.contains("this is a terminal of an agent"), "{screen}");
    let screen = terminal.screen_after(&line(&terminal, "000000000000"));
    assert!(screen.contains("no call `000000000000` waits"), "{screen}");
    // A program that Becket supervises is refused as well, whatever it did to its environment.
    let inner = format!("env -i HOME=\"$HOME\" {}", terminal.becket(&format!("allow-once {name}")));
    let screen = terminal.screen_after(&terminal.becket(&format!("exec --deny 'Bash(touch *)' -- {inner}")));
    assert!(screen.contains("a program that becket supervises"), "{screen}");
    assert_eq!(fired(&env, RESET).0, Effect::Held);
}

// rule: O10
#[test]
fn an_id_is_random_and_stays_while_the_call_waits() {
    let (env, other) = (guarded(), guarded());
    let id = name(&fired(&env, RESET).1);
    assert_eq!(name(&fired(&env, RESET).1), id);
    let in_session = |session: &str| {
        let mut payload: Value = serde_json::from_str(&payload(&env, RESET)).expect("JSON");
        payload["session_id"] = json!(session);
        name(&env.becket(["fire", "--dialect", "codex"]).stdin(payload.to_string()).run())
    };
    let ids =
        [id, name(&fired(&env, "git reset --hard HEAD").1), name(&fired(&other, RESET).1), in_session("o")];
    for (at, id) in ids.iter().enumerate() {
        assert!(id.len() >= 8 && !ids[..at].contains(id), "{ids:?}");
    }
}

// rule: O10
#[test]
fn a_call_with_the_id_of_a_waiting_call_is_denied_whatever_program_it_names() {
    let env = guarded();
    let id = name(&fired(&env, RESET).1);
    let (head, tail) = id.split_at(5);
    for command in [
        format!("becket-full allow-once {id}"),
        format!("./some-copy allow-once {id}"),
        format!("nohup setsid -f sh -c 'sleep 1; x allow-once {id}'"),
        format!("python3 -c run('{head}' '{tail}')"),
        format!("echo {id} > script.sh"),
    ] {
        let (effect, ended) = fired(&env, &command);
        assert!(effect == Effect::Held && ended.stdout.contains("only a person"), "{command}: {ended:?}");
    }
    for command in [RESET.replace("hard", "soft"), "echo 0123456789ab".to_owned()] {
        assert_eq!(fired(&env, &command).0, Effect::Runs, "{command}");
    }
    // A question tells the user how to allow the call.
    let mut question: Value = serde_json::from_str(&payload(&env, RESET)).expect("JSON");
    question["tool_name"] = json!("request_user_input");
    question["tool_input"] = json!({"questions": [{"question": format!("Type `becket allow-once {id}`")}]});
    let ended = env.becket(["fire", "--dialect", "codex"]).stdin(question.to_string()).run();
    assert_eq!((ended.code, ended.stdout.contains("deny")), (Some(0), false), "{ended:?}");
    let event = json!({"session_id": "s", "transcript_path": "/t", "cwd": env.project(), "tool_use_id": "t",
        "hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion", "tool_input": question["tool_input"]});
    let ended = env.becket(["fire", "--stdin-event"]).stdin(event.to_string()).run();
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_agent_that_wants_to_make_the_call_cant_allow_it() {
    let env = guarded();
    let terminal = Terminal::new(&env);
    // This agent fires its hook, and runs the command of its model in the same terminal.
    let call = env.write("call.json", payload(&env, RESET));
    let program = "import re, subprocess, sys\n\
        becket, call = sys.argv[1:3]\n\
        told = subprocess.run(becket + ' fire --dialect codex', shell=True, stdin=open(call), capture_output=True, text=True).stdout\n\
        name = re.search('allow-once ([0-9a-z]+)', told)[1]\n\
        subprocess.run('exec ' + becket + ' allow-once ' + name, shell=True)\n";
    let agent = env.write("agent.py", program);
    let becket = terminal.becket("");
    let line = format!(
        "env -u CLAUDECODE -u GEMINI_CLI -u OPENCODE python3 {} '{}' {}",
        agent.display(),
        becket.trim(),
        call.display()
    );
    let screen = terminal.screen_after(&line);
    assert!(screen.contains("started by the agent that wants to make the call"), "{screen}");
    assert_eq!(fired(&env, RESET).0, Effect::Held);
}

#[test]
fn a_call_that_types_the_command_is_denied() {
    let env = guarded();
    for command in [
        "becket allow-once abc",
        "cd / && script -qc '/usr/bin/becket --json allow-once abc' x",
        "sh -c 'becket allow-once 1'",
        "/opt/becket-full allow-once abc",
        "B=becket; $B trust",
    ] {
        let (effect, ended) = fired(&env, command);
        assert_eq!(effect, Effect::Held, "{command}: {ended:?}");
    }
    let file = fired(&env, "sed -i s/null/1/ ~/.claude/becket/asked.json");
    assert!(file.0 == Effect::Held && file.1.stdout.contains("which calls a person has allowed"), "{file:?}");
    let write = |path: &str, content: &str| {
        let call = json!({"session_id": "s", "transcript_path": "/t", "cwd": env.project(), "timestamp": "2026-11-29T08:00:00Z",
            "hook_event_name": "BeforeTool", "tool_name": "write_file",
            "tool_input": {"file_path": path, "content": content}});
        env.becket(["fire", "--dialect", "gemini"]).stdin(call.to_string()).run().stdout
    };
    assert!(write("/root/.claude/becket/asked.json", "{}").contains("which calls a person has allowed"));
    assert!(!write("notes.md", "see becket/asked.json").contains("which calls a person has allowed"));
    assert!(fired(&env, "becket allow-once abc").1.stdout.contains("for a person at a terminal"));
    for command in ["grep -rn allow-once docs", "becket doctor", "echo becket trust > notes.md"] {
        assert_eq!(fired(&env, command).0, Effect::Runs, "{command}");
    }
}
