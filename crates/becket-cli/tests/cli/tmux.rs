//! A real terminal, provided by tmux.

use becket_testkit::env::TestEnv;
use becket_testkit::proc::{holds_for, wait_until_every};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

/// A terminal with a shell, closed at the end of the test.
pub(crate) struct Terminal<'e> {
    env: &'e TestEnv,
    socket: PathBuf,
}

impl<'e> Terminal<'e> {
    pub(crate) fn new(env: &'e TestEnv) -> Self {
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

    /// Returns the command line of becket with these arguments.
    pub(crate) fn becket(&self, arguments: &str) -> String {
        let program = Path::new(env!("CARGO_BIN_EXE_becket")).display();
        format!("{program} --managed-dir {} {arguments}", self.env.root().join("managed").display())
    }

    /// Types a line and presses Enter; the line also prints `ended` and its exit code once it is over.
    pub(crate) fn types(&self, line: &str) {
        self.tmux(&["send-keys", "-R", &format!("clear; {line}; echo en''ded $?"), "Enter"]);
    }

    /// Presses keys, by the names that tmux gives them.
    pub(crate) fn presses(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys"], keys].concat());
    }

    /// Returns the screen, with colours.
    pub(crate) fn screen(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p", "-e"]).stdout).into_owned()
    }

    /// Returns the screen once `is_there` is true of it.
    pub(crate) fn screen_with(&self, is_there: impl Fn(&str) -> bool) -> String {
        let mut screen = String::new();
        let is_found = wait_until_every(Duration::from_millis(20), || {
            screen = self.screen();
            is_there(&screen)
        });
        assert!(is_found, "the screen stays: {screen}");
        screen
    }

    /// Runs a line and returns the screen once it has ended.
    pub(crate) fn screen_after(&self, line: &str) -> String {
        self.types(line);
        self.screen_with(|screen| screen.contains("ended "))
    }

    /// Returns [`Terminal::settings`] while the shell is in control.
    pub(crate) fn settings_of_shell(&self) -> String {
        self.screen_after("true");
        self.settings()
    }

    /// Returns the settings of the terminal: echo, line mode.
    pub(crate) fn settings(&self) -> String {
        self.stty("-g")
    }

    /// Waits until programs in the terminal see this number of columns, and until further changes are reported at once:
    /// tmux changes its own grid first, and reports changes that follow each other within 250 ms late. Output in
    /// between wraps.
    pub(crate) fn has_columns(&self, columns: u16) {
        let is_told = || self.stty("size").trim().ends_with(&format!(" {columns}"));
        assert!(
            wait_until_every(Duration::from_millis(20), is_told),
            "the size stays: {}",
            self.stty("size")
        );
        assert!(holds_for(Duration::from_millis(300), is_told), "the size changes: {}", self.stty("size"));
    }

    fn stty(&self, argument: &str) -> String {
        let tty = self.tmux(&["display-message", "-p", "#{pane_tty}"]).stdout;
        let tty = String::from_utf8_lossy(&tty).trim().to_owned();
        let asked = Command::new("stty").args(["-F", &tty, argument]).output().expect("stty is there");
        String::from_utf8_lossy(&asked.stdout).into_owned()
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
