//! A real terminal, by tmux: colour where it can be shown, none where a variable forbids it, no waiting for a person.

use crate::env_with;
use becket_testkit::env::TestEnv;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

const SETTINGS: &str =
    r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}"#;

/// A terminal that is gone when the test is.
struct Terminal<'e> {
    env: &'e TestEnv,
    socket: std::path::PathBuf,
}

impl<'e> Terminal<'e> {
    fn new(env: &'e TestEnv) -> Self {
        let terminal = Terminal { env, socket: env.root().join("tmux.socket") };
        let started =
            terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", "150", "-y", "40", "/bin/sh"]);
        assert!(started.status.success(), "tmux is needed: {}", String::from_utf8_lossy(&started.stderr));
        terminal
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket).args(arguments).current_dir(self.env.project());
        command.env("HOME", self.env.root().join("home")).env_remove("TMUX");
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command.output().expect("tmux is there")
    }

    /// Runs a line and returns the screen, with colours, once the line has ended.
    fn screen_after(&self, line: &str) -> String {
        self.tmux(&["send-keys", "-R", &format!("clear; {line}; echo en''ded"), "Enter"]);
        let start = Instant::now();
        loop {
            let screen =
                String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p", "-e"]).stdout).into_owned();
            if screen.contains("ended") {
                return screen;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "no end in sight: {screen}");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

#[test]
fn colour_is_for_terminals_and_a_terminal_is_not_waited_for() {
    let env = env_with(SETTINGS);
    let terminal = Terminal::new(&env);
    let becket = |arguments: &str| {
        let managed = env.root().join("managed");
        format!("{} --managed-dir {} {arguments}", program(), managed.display())
    };
    let red = "\u{1b}[1m\u{1b}[31m";
    let coloured = terminal.screen_after(&becket("fire Stop"));
    assert!(coloured.contains(red), "{coloured:?}");
    assert_eq!(coloured.matches("no\n").count(), 2, "the reason is not told a third time: {coloured:?}");
    let plain = terminal.screen_after(&format!("NO_COLOR=1 {}", becket("fire Stop")));
    assert!(plain.contains("block") && !plain.contains(red), "{plain:?}");
    let piped = terminal.screen_after(&format!("{} | cat", becket("list")));
    assert!(piped.contains("echo no") && !piped.contains("\u{1b}[36m"), "{piped:?}");
    let forced = terminal.screen_after(&format!("CLICOLOR_FORCE=1 {} | cat", becket("list")));
    assert!(forced.contains("\u{1b}[36m"), "{forced:?}");
    for arguments in ["check-output Stop", "fire Stop --input -", "fire --stdin-event"] {
        let screen = terminal.screen_after(&becket(arguments));
        assert!(screen.contains("stdin is a terminal"), "{arguments}: {screen:?}");
    }
}

fn program() -> String {
    Path::new(env!("CARGO_BIN_EXE_becket")).display().to_string()
}
