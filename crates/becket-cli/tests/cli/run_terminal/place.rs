//! A project, a scripted model, and a terminal in which a session is typed into.

use crate::tmux::Terminal;
use becket_testkit::env::TestEnv;
use becket_testkit::messages_api::{Server, Turn};
use becket_testkit::proc::{Marker, wait_until};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The text below a question once its keys count.
pub(crate) const ANSWERS: &str = "Enter answers";

/// The text of the status line during a turn; in the first turn of a session, it also names the key.
pub(crate) const WORKS: &str = "s  Esc interrupts";

/// The environment of an interactive session.
pub(crate) struct Place {
    pub(crate) env: TestEnv,
    pub(crate) marker: Marker,
    /// The model, unless it is a script.
    server: Option<Server>,
}

/// An interactive session: its input and its screen.
pub(crate) struct Walk<'p> {
    pub(crate) terminal: Terminal<'p>,
    place: &'p Place,
    /// The initial settings of the terminal.
    pub(crate) before: String,
}

impl Place {
    /// Creates a project with these settings, and a model that gives these answers.
    pub(crate) fn new(settings: &Value, turns: &Value) -> Self {
        let env = TestEnv::new(env!("CARGO_BIN_EXE_becket"));
        env.write("project/.claude/settings.json", settings.to_string());
        env.write("project/script.json", json!({"turns": turns}).to_string());
        Place { env, marker: Marker::new(), server: None }
    }

    /// Creates a project with a model behind a server, whose answers may be slow.
    pub(crate) fn served(settings: &Value, turns: Vec<Turn>) -> Self {
        Place { server: Some(Server::start(turns)), ..Self::new(settings, &json!([])) }
    }

    /// Opens a terminal with a shell.
    pub(crate) fn walk(&self) -> Walk<'_> {
        let terminal = Terminal::new(&self.env);
        let before = terminal.settings_of_shell();
        Walk { terminal, place: self, before }
    }

    /// Returns the text of a file below the root; empty if it is missing.
    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.env.root().join(path)).unwrap_or_default()
    }

    /// Returns true if the file exists in the project.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.env.project().join(name).exists()
    }
}

impl Walk<'_> {
    /// Starts a session, and waits for its prompt.
    pub(crate) fn starts(&self, arguments: &str) {
        self.begins(arguments);
        self.sees(is_asking_for_a_prompt);
    }

    /// Starts a session.
    pub(crate) fn begins(&self, arguments: &str) {
        let (name, value) = self.place.marker.env();
        let (model, address) = match &self.place.server {
            Some(server) => ("claude-sonnet-4-5", server.url()),
            None => ("script:script.json", String::new()),
        };
        let around = format!(
            "HISTFILE= {name}='{value}' ANTHROPIC_API_KEY=k ANTHROPIC_BASE_URL='{address}' TMPDIR='{}'",
            self.place.env.root().join("tmp").display()
        );
        let becket = self.terminal.becket(&format!("run --model {model} {arguments}"));
        self.terminal.types(&format!("{around} {becket}"));
    }

    /// Types words and presses Enter.
    pub(crate) fn says(&self, words: &str) {
        self.types(words);
        self.terminal.presses(&["Enter"]);
    }

    /// Types words.
    pub(crate) fn types(&self, words: &str) {
        self.terminal.presses(&["-l", words]);
    }

    /// Answers a visible question, once the screen shows that keys count.
    pub(crate) fn answers(&self, keys: &[&str]) {
        self.sees_words(ANSWERS);
        self.terminal.presses(keys);
    }

    /// Waits until `is_there` is true of the screen, without colours.
    pub(crate) fn sees(&self, is_there: impl Fn(&str) -> bool) -> String {
        plain(&self.terminal.screen_with(|screen| is_there(&plain(screen))))
    }

    /// Waits until these words are on the screen.
    pub(crate) fn sees_words(&self, words: &str) -> String {
        self.sees(|screen| screen.contains(words))
    }

    /// Leaves the session, and asserts that no process is left and the terminal is restored.
    pub(crate) fn leaves(&self) -> String {
        self.terminal.presses(&["C-d"]);
        self.is_over(0)
    }

    /// Leaves the session while something is typed.
    pub(crate) fn leaves_a_line(&self) -> String {
        self.terminal.presses(&["C-c"]);
        self.sees(|screen| screen.trim_end().ends_with("\n>"));
        self.leaves()
    }

    /// Waits for the end, and asserts that nothing is left.
    pub(crate) fn is_over(&self, code: u8) -> String {
        let screen = self.sees_words(&format!("ended {code}"));
        assert_eq!(self.terminal.settings(), self.before, "the terminal is as it was: {screen}");
        self.place.marker.wait_for(0);
        screen
    }

    /// Sets the number of columns.
    pub(crate) fn resizes(&self, columns: u16) {
        self.tmux(&["resize-window", "-x", &columns.to_string(), "-y", "30"]);
        self.terminal.has_columns(columns);
    }

    /// Records everything that is written to the terminal from now on in a file of the project, unchanged.
    pub(crate) fn records(&self, name: &str) {
        let file = self.place.env.project().join(name);
        self.tmux(&["pipe-pane", &format!("cat >>'{}'", file.display())]);
    }

    fn tmux(&self, arguments: &[&str]) {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.place.env.root().join("tmux.socket")).args(arguments);
        assert!(command.status().expect("tmux is there").success());
    }

    /// Returns the process of the session.
    pub(crate) fn session(&self) -> u32 {
        let is_session = |pid: &u32| {
            let program = fs::read_link(format!("/proc/{pid}/exe"));
            let arguments = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            program.is_ok_and(|program| program == Path::new(env!("CARGO_BIN_EXE_becket")))
                && arguments.split(|byte| *byte == 0).any(|one| one == b"run")
        };
        let mut found = None;
        wait_until(|| {
            found = self.place.marker.alive().into_iter().find(is_session);
            found.is_some()
        });
        found.expect("the session runs")
    }

    /// Sends the session a signal.
    pub(crate) fn signals(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.session().to_string()]).status();
        assert!(sent.is_ok_and(|sent| sent.success()));
    }
}

/// Returns true if the last thing on the screen is an empty prompt.
pub(crate) fn is_asking_for_a_prompt(screen: &str) -> bool {
    screen.trim_end().ends_with("\n>") && screen.contains("Ctrl-D leaves")
}

/// Returns true if a turn is done and the next prompt may be typed.
pub(crate) fn is_done(screen: &str) -> bool {
    screen.trim_end().ends_with("\n>") && screen.contains("done  ")
}

/// Returns text without escape sequences.
pub(crate) fn plain(screen: &str) -> String {
    let mut plain = String::new();
    let mut rest = screen;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        let end = after.find(|c: char| c.is_ascii_alphabetic()).map_or(after.len(), |at| at + 1);
        rest = &after[end..];
    }
    plain + rest
}

/// Returns a hook of one event that runs a command.
pub(crate) fn hook(event: &str, command: &str) -> Value {
    json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}})
}
