//! A hook that runs Becket again: it ends, with few processes, and allows nothing (H14).

use crate::env;
use becket_testkit::env::{ProgramOutput, TestEnv};
use becket_testkit::proc::wait_until;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// The maximum number of times that a test starts Becket, if nothing else stops it.
const FUSE: usize = 60;

/// A project with scripts, and a `becket` that counts how often it is started.
struct Nest {
    env: TestEnv,
}

impl Nest {
    fn new(settings: &Value, scripts: &[(&str, &str)]) -> Self {
        let nest = Nest { env: env() };
        let root = nest.env.root().display().to_string();
        let becket = nest.env.becket::<&str>([]).into_command();
        let words = std::iter::once(becket.get_program()).chain(becket.get_args());
        let words: Vec<String> = words.map(|word| format!("'{}'", word.display())).collect();
        nest.script(
            "bin/becket",
            &format!(
                "echo start >> '{root}/starts'\n\
                 [ $(wc -l < '{root}/starts') -le {FUSE} ] || exit 97\n\
                 exec {} \"$@\"\n",
                words.join(" ")
            ),
        );
        for (name, text) in scripts {
            nest.script(&format!("project/{name}"), &text.replace("BIN", &format!("{root}/bin")));
        }
        let settings = settings.to_string().replace("BIN", &format!("{root}/bin"));
        nest.env.write("project/.claude/settings.json", settings);
        nest
    }

    fn script(&self, path: &str, text: &str) {
        let file = self.env.write(path, format!("#!/bin/sh\n{text}\n"));
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("it can be made a program");
    }

    fn fire(&self, event: &str) -> ProgramOutput {
        let input = json!({"session_id": "s", "transcript_path": "/t", "cwd": self.env.project(),
            "hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t",
            "prompt": "hello", "message": "m", "notification_type": "idle_prompt", "task_id": "1",
            "task_subject": "s", "source": "project_settings"});
        let run = self.env.becket(["fire", "--stdin-event"]).path_first(&self.env.root().join("bin"));
        run.stdin(input.to_string()).run()
    }

    /// Returns the number of times that a hook started Becket.
    fn starts(&self) -> usize {
        fs::read_to_string(self.env.root().join("starts")).unwrap_or_default().lines().count()
    }
}

fn hooks(event: &str, commands: &[&str]) -> Value {
    let hooks: Vec<Value> =
        commands.iter().map(|command| json!({"type": "command", "command": command})).collect();
    json!({"hooks": {event: [{"hooks": hooks}]}})
}

// rule: H14
#[test]
fn a_hook_that_is_plainly_becket_is_skipped_and_the_others_decide() {
    for command in [
        json!({"command": "becket fire --stdin-event"}),
        json!({"command": "'BIN/becket' fire --stdin-event", "onFailure": "block"}),
        json!({"command": "becket", "args": ["fire", "--stdin-event"]}),
        json!({"command": "env", "args": ["-i", "BIN/becket", "fire", "--stdin-event"]}),
        json!({"command": "sh", "args": ["-c", "becket fire --stdin-event"]}),
        json!({"command": "cd / && exec becket --profile=claude fire --stdin-event"}),
    ] {
        let mut settings = hooks("PreToolUse", &["true", "echo guarded >&2; exit 2"]);
        settings["hooks"]["PreToolUse"][0]["hooks"][0] = command.clone();
        settings["hooks"]["PreToolUse"][0]["hooks"][0]["type"] = json!("command");
        let nest = Nest::new(&settings, &[]);
        let ended = nest.fire("PreToolUse");
        assert_eq!((ended.code, nest.starts()), (Some(2), 0), "{command} {ended:?}");
        assert!(ended.stderr.contains("guarded"), "{command} {ended:?}");
        let checked = nest.env.becket(["check"]).run();
        assert!(checked.stdout.contains("hook-is-becket"), "{command} {checked:?}");
        let explained = nest.env.becket(["explain", "PreToolUse", "--tool", "Bash"]).run();
        assert!(explained.stdout.contains("[recursion]"), "{command} {explained:?}");
    }
}

// rule: H14
#[test]
fn a_hook_that_runs_becket_unseen_ends_at_the_second_and_blocks() {
    for (name, text) in [
        ("a script", "exec becket fire --stdin-event"),
        ("a detour", "nohup setsid -w sh -c 'cat | becket fire --stdin-event'"),
        (
            "another language",
            "exec python3 -c \"import os; os.execlp('becket', 'x', 'fire', '--stdin-event')\"",
        ),
        (
            "other JSON",
            "python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin), indent=3, sort_keys=True))' | becket fire --stdin-event",
        ),
        (
            "another id",
            "sed 's/\"tool_use_id\":\"[^\"]*\"/\"tool_use_id\":\"'$$'\"/' | becket fire --stdin-event",
        ),
        ("no environment", "env -i PATH=/usr/bin:/bin BIN/becket fire --stdin-event"),
        ("no environment, and a shell between", "env -i sh -c 'BIN/becket fire --stdin-event; exit $?'"),
        ("a mark that is not Becket's", "BECKET_FIRING=0 becket fire --stdin-event"),
        ("another directory", "cd / && becket -C \"$CLAUDE_PROJECT_DIR\" fire --stdin-event"),
    ] {
        for hooks in [hooks("PreToolUse", &["./run.sh"]), hooks("PreToolUse", &["./run.sh", "sh ./run.sh"])] {
            let nest = Nest::new(&hooks, &[("run.sh", text)]);
            let ended = nest.fire("PreToolUse");
            let count = hooks["hooks"]["PreToolUse"][0]["hooks"].as_array().map_or(0, Vec::len);
            assert_eq!((ended.code, nest.starts()), (Some(2), count), "{name} {ended:?}");
            assert!(ended.stderr.contains(".claude/settings.json:1:"), "{name} {ended:?}");
        }
    }
}

// rules: H14, O10
#[test]
fn every_event_that_can_be_held_back_is() {
    for event in ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "TaskCreated", "ConfigChange"] {
        let nest = Nest::new(&hooks(event, &["./run.sh"]), &[("run.sh", "becket fire --stdin-event")]);
        let ended = nest.fire(event);
        // A permission request is denied by JSON alone.
        let code = if event == "PermissionRequest" { 0 } else { 2 };
        assert_eq!((ended.code, nest.starts()), (Some(code), 1), "{event} {ended:?}");
        assert_eq!(ended.stdout.contains(r#""behavior":"deny""#), code == 0, "{event} {ended:?}");
        assert!(ended.stderr.contains("without end") || code == 0, "{event} {ended:?}");
    }
}

// rule: H14
#[test]
fn an_event_that_changes_each_time_ends_at_a_depth_of_eight() {
    let changes = "python3 -c '\nimport json, sys\nevent = json.load(sys.stdin)\n\
                   event[\"tool_input\"][\"command\"] += \"x\"\nprint(json.dumps(event))' | ";
    for call in ["becket fire --stdin-event", "env -i PATH=/usr/bin:/bin BIN/becket fire --stdin-event"] {
        let nest = Nest::new(&hooks("PreToolUse", &["./run.sh"]), &[("run.sh", &format!("{changes}{call}"))]);
        let ended = nest.fire("PreToolUse");
        assert_eq!((ended.code, nest.starts()), (Some(2), 8), "{call} {ended:?}");
        assert!(ended.stderr.contains("8 events enclose this `PreToolUse`"), "{call} {ended:?}");
    }
}

// rule: H14
#[test]
fn settings_cannot_touch_the_mark() {
    let mut settings = hooks("PreToolUse", &["./run.sh"]);
    settings["env"] = json!({"BECKET_FIRING": "0".repeat(32)});
    let nest =
        Nest::new(&settings, &[("run.sh", "printenv BECKET_FIRING > mark; becket fire --stdin-event")]);
    let ended = nest.fire("PreToolUse");
    assert_eq!((ended.code, nest.starts()), (Some(2), 1), "{ended:?}");
    let mark = fs::read_to_string(nest.env.project().join("mark")).expect("a mark");
    assert!(!mark.starts_with(&"0".repeat(32)) && mark.contains(";/"), "{mark}");
}

// rules: H14, O10
#[test]
fn other_events_pass_and_where_nothing_can_be_held_back_the_end_is_told() {
    let other = "sed 's/\"hook_event_name\":\"[A-Za-z]*\"/\"hook_event_name\":\"Notification\"/' | becket fire --stdin-event";
    let mut settings = hooks("PreToolUse", &["./run.sh"]);
    settings["hooks"]["Notification"] =
        json!([{"hooks": [{"type": "command", "command": "touch notified"}]}]);
    let nest = Nest::new(&settings, &[("run.sh", other)]);
    let ended = nest.fire("PreToolUse");
    assert_eq!((ended.code, nest.starts()), (Some(0), 1), "{ended:?}");
    assert!(nest.env.project().join("notified").exists(), "{ended:?}");

    let nest =
        Nest::new(&hooks("Notification", &["./run.sh"]), &[("run.sh", "becket fire --stdin-event >answer")]);
    let ended = nest.fire("Notification");
    assert_eq!((ended.code, nest.starts()), (Some(0), 1), "{ended:?}");
    let answer = fs::read_to_string(nest.env.project().join("answer")).expect("an answer");
    assert!(answer.contains("without end"), "{answer}");
}

// rule: H14
#[test]
fn becket_with_hooks_of_its_own_is_a_hook_like_any_other() {
    let nest = Nest::new(&hooks("PreToolUse", &["becket --profile becket fire --stdin-event"]), &[]);
    nest.env
        .write("project/.becket/settings.json", hooks("PreToolUse", &["echo mine >&2; exit 2"]).to_string());
    let ended = nest.fire("PreToolUse");
    assert_eq!((ended.code, nest.starts()), (Some(2), 1), "{ended:?}");
    assert!(ended.stderr.contains("mine"), "{ended:?}");
    let again = hooks("PreToolUse", &["./again.sh"]).to_string();
    nest.env.write("project/.becket/settings.json", again);
    nest.script("project/again.sh", "becket --profile claude fire --stdin-event");
    let ended = nest.fire("PreToolUse");
    assert_eq!((ended.code, nest.starts()), (Some(2), 3), "{ended:?}");
}

// rules: A1, H14
#[test]
fn a_hook_in_the_background_that_runs_becket_again_does_not_run_twice() {
    let mut settings = hooks("PreToolUse", &["./again.sh"]);
    settings["hooks"]["PreToolUse"][0]["hooks"][0]["async"] = json!(true);
    let script = "echo ran >> ran\nenv -i HOME=\"$HOME\" BIN/becket fire --stdin-event >/dev/null 2>&1\necho done >> done";
    let nest = Nest::new(&settings, &[("again.sh", script)]);
    let lines =
        |name: &str| fs::read_to_string(nest.env.project().join(name)).unwrap_or_default().lines().count();
    assert_eq!(nest.fire("PreToolUse").code, Some(0));
    assert!(wait_until(|| lines("done") == 1));
    assert_eq!((lines("ran"), nest.starts()), (1, 1));
}
