//! `becket hooks`, in a real terminal.

use crate::env;
use crate::tmux::Terminal;

const SETTINGS: &str = r#"{"hooks": {
  "PreToolUse": [{"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "echo seen; exit 2", "timeout": 7}]}],
  "Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;

#[test]
fn a_hook_is_found_shown_and_tried() {
    let env = env();
    env.write("project/.claude/settings.json", SETTINGS);
    let terminal = Terminal::new(&env);
    let fired = terminal
        .screen_after(&format!("BECKET_PROFILE=1 {}", terminal.becket("fire PreToolUse --tool Edit")));
    assert!(fired.contains("ended 2"), "{fired}");
    terminal.types(&terminal.becket("hooks"));
    let list = terminal.screen_with(|screen| screen.contains("Esc goes back"));
    assert!(list.contains("Write|Edit") && list.contains("Stop"), "{list}");
    terminal.presses(&["e", "c", "h", "o"]);
    terminal.screen_with(|screen| !screen.contains("Stop  "));
    terminal.presses(&["Enter"]);
    let shown = terminal.screen_with(|screen| screen.contains("Try it"));
    assert!(shown.contains("7 s") && shown.contains("settings.json:2"), "{shown}");
    assert!(shown.contains("last runs:") && shown.contains(" ms  ") && shown.contains("Edit"), "{shown}");
    terminal.presses(&["Enter"]);
    let tool = terminal.screen_with(|screen| screen.contains("Tool:"));
    assert!(tool.contains("Write"), "the matcher names it: {tool}");
    terminal.presses(&["Enter"]);
    terminal.screen_with(|screen| screen.contains("Its input, as JSON:"));
    terminal.presses(&["Enter"]);
    let tried = terminal.screen_with(|screen| screen.contains("no stderr output"));
    assert!(tried.contains("becket fire --verbose PreToolUse --tool Write --input"), "{tried}");
    terminal.presses(&["Escape"]);
    terminal.screen_with(|screen| screen.contains("<canceled>") && screen.contains("Stop  "));
    terminal.presses(&["C-c"]);
    terminal.screen_with(|screen| screen.contains("ended 0"));
}

#[test]
fn without_a_terminal_it_names_the_command_that_prints() {
    let env = env();
    env.write("project/.claude/settings.json", SETTINGS);
    let ended = env.becket(["hooks"]).run();
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("`becket list`"), "{ended:?}");
}
