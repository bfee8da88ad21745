//! A real terminal: colour if it is supported, none if a variable disables it, no waiting for a user, spinners for slow
//! hooks.

use crate::env_with;
use crate::tmux::Terminal;
use becket_testkit::proc::holds_for;
use serde_json::json;
use std::time::Duration;

const SETTINGS: &str =
    r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}"#;

#[test]
fn colour_is_for_terminals_and_a_terminal_is_not_waited_for() {
    let env = env_with(SETTINGS);
    let terminal = Terminal::new(&env);
    let red = "\u{1b}[1m\u{1b}[31m";
    let coloured = terminal.screen_after(&terminal.becket("fire Stop"));
    assert!(coloured.contains(red), "{coloured:?}");
    assert_eq!(coloured.matches("no\n").count(), 1, "the reason is told once: {coloured:?}");
    let plain = terminal.screen_after(&format!("NO_COLOR=1 {}", terminal.becket("fire Stop")));
    assert!(plain.contains("block") && !plain.contains(red), "{plain:?}");
    let piped = terminal.screen_after(&format!("{} | cat", terminal.becket("list")));
    assert!(piped.contains("echo no") && !piped.contains("\u{1b}[36m"), "{piped:?}");
    let forced = terminal.screen_after(&format!("CLICOLOR_FORCE=1 {} | cat", terminal.becket("list")));
    assert!(forced.contains("\u{1b}[36m"), "{forced:?}");
    for arguments in ["check-output Stop", "fire Stop --input -", "fire --stdin-event"] {
        let screen = terminal.screen_after(&terminal.becket(arguments));
        assert!(screen.contains("stdin is a terminal"), "{arguments}: {screen:?}");
    }
}

/// Returns a hook that waits until a file exists.
fn patient(file: &str, label: &str) -> serde_json::Value {
    let command = format!("touch {file}.runs; until test -e {file}; do sleep 0.05; done # {label}");
    json!({"type": "command", "command": command, "statusMessage": format!("waiting for {label}")})
}

// rule: H13
#[test]
fn what_takes_a_while_is_seen_while_it_runs_and_leaves_nothing() {
    let quick = json!({"type": "command", "command": "true", "statusMessage": "too quick to see"});
    let hooks = json!([{"hooks": [patient("one", "the first"), patient("two", "the second"), quick]}]);
    let env = env_with(&json!({"hooks": {"Stop": hooks}}).to_string());
    let terminal = Terminal::new(&env);
    terminal.types(&terminal.becket("fire Stop"));
    let both = |screen: &str| {
        ["first", "second"].iter().all(|name| screen.contains(&format!("waiting for the {name}")))
    };
    let screen = terminal.screen_with(both);
    assert!(!screen.contains("too quick to see"), "{screen}");
    env.write("project/one", "");
    let screen = terminal.screen_with(|screen| !both(screen));
    assert!(screen.contains("waiting for the second"), "{screen}");
    env.write("project/two", "");
    let screen = terminal.screen_with(|screen| screen.contains("ended 0"));
    assert!(!screen.contains("waiting for"), "{screen}");
    assert!(screen.trim_start().starts_with("\u{1b}[1mStop"), "nothing is left above the report: {screen:?}");
}

// rule: H13
#[test]
fn progress_is_shown_only_where_it_is_wanted() {
    let hooks = json!([{"hooks": [patient("one", "the first")]}]);
    for arguments in ["fire Stop --progress never", "fire Stop 2>told"] {
        let env = env_with(&json!({"hooks": {"Stop": hooks}}).to_string());
        let terminal = Terminal::new(&env);
        terminal.types(&terminal.becket(arguments));
        terminal.screen_with(|_| env.project().join("one.runs").exists());
        let is_quiet = holds_for(Duration::from_millis(800), || !terminal.screen().contains("waiting for"));
        assert!(is_quiet, "{arguments}: {}", terminal.screen());
        env.write("project/one", "");
        terminal.screen_with(|screen| screen.contains("ended 0"));
        let told = std::fs::read_to_string(env.project().join("told")).unwrap_or_default();
        assert_eq!(told, "", "{arguments}");
    }
}
