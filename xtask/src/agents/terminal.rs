//! An agent at a terminal, through tmux, and the user who types there.

use super::Points;
use super::point::{Point, PointResult};
use super::scratch::ScratchProject;
use becket_proof::{AskAnswer, Launch, ModelRequest, ModelServer, Scratch, TerminalDriver, Turn};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(100);
/// The prompt for a subagent.
const SUBTASK: &str = "SUBTASK: push it";
const PUSH: &str = "git push --force origin main";
const PUSH_REASON: &str = "force-push to the protected branch";
const RESET: &str = "git reset --hard";
const RESET_REASON: &str = "throws away work";

/// Returns the turns of the model, one for each prompt: a denied call, a call that is asked about, the same again, a
/// subagent, and the subagent's denied call.
pub(super) fn turns(driver: &TerminalDriver) -> Vec<Turn> {
    let shell = |command: &str| Turn::Call((driver.shell)(command));
    vec![shell(PUSH), shell(RESET), shell(RESET), Turn::Call((driver.subagent)(SUBTASK)), shell(PUSH)]
}

/// A session at a terminal.
pub(super) struct TerminalRun<'a> {
    pub(super) driver: &'a TerminalDriver,
    pub(super) program: &'a Path,
    pub(super) becket: &'a Path,
    pub(super) search_path: &'a str,
    pub(super) scratch: Scratch<'a>,
    pub(super) project: &'a ScratchProject,
    pub(super) model: &'a ModelServer,
    pub(super) limit: Duration,
}

impl TerminalRun<'_> {
    /// Starts the agent, types prompts and answers questions.
    ///
    /// # Errors
    /// Errors if the terminal is not available, or does not show the next expected text within the limit; the error has
    /// the screen.
    pub(super) fn run(&self, launch: &Launch) -> Result<Points, String> {
        let terminal = Terminal::start(self, launch)?;
        terminal.wait_for("the agent", || terminal.shows(self.driver.ready))?;
        let held = |is_done: bool| if is_done { PointResult::Lost } else { PointResult::Kept };
        terminal.types("one")?;
        terminal.wait_for("the denial", || self.is_told(PUSH_REASON))?;
        let deny = held(self.project.is_pushed());
        let ask = self.ask(&terminal)?;
        terminal.types("four")?;
        let is_denied = |request: &ModelRequest| {
            let messages = request.messages.to_string();
            messages.contains(SUBTASK) && messages.contains(PUSH_REASON) && !messages.contains(RESET)
        };
        terminal.wait_for("the denial for the subagent", || self.model.requests().iter().any(is_denied))?;
        let subagent = held(self.project.is_pushed());
        Ok(Points::from([
            (Point::TerminalDeny, deny),
            (Point::TerminalAsk, ask),
            (Point::TerminalSubagent, subagent),
        ]))
    }

    /// Checks that the call is not made if the user says no, and made if they say yes.
    fn ask(&self, terminal: &Terminal) -> Result<PointResult, String> {
        terminal.types("two")?;
        let has_held = match self.driver.ask {
            AskAnswer::Keys { yes, no } => {
                terminal.wait_for("the question", || terminal.shows(RESET_REASON))?;
                terminal.press(no)?;
                terminal.wait_for("the end of the question", || !terminal.shows("Do you want to proceed"))?;
                let has_held = self.project.has_work();
                terminal.types("three")?;
                terminal.wait_for("the question again", || terminal.shows("Do you want to proceed"))?;
                terminal.press(yes)?;
                has_held
            }
            AskAnswer::AllowOnce => {
                terminal.wait_for("the denial with an id", || self.is_told("allow-once "))?;
                let has_held = self.project.has_work();
                self.allow_once(terminal)?;
                terminal.types("three")?;
                has_held
            }
        };
        terminal.wait_for("the call that was allowed", || !self.project.has_work())?;
        Ok(if has_held { PointResult::Kept } else { PointResult::Lost })
    }

    /// Types `becket allow-once ID` in another window.
    fn allow_once(&self, terminal: &Terminal) -> Result<(), String> {
        let requests = self.model.requests();
        let texts = requests.iter().map(|request| request.messages.to_string());
        let id = texts.filter_map(|text| Some(text.split_once("allow-once ")?.1.to_owned())).next();
        let id = id.ok_or("no id")?;
        let id: String = id.chars().take_while(char::is_ascii_alphanumeric).collect();
        let done = self.project.directory.join("allowed");
        let line = format!("{} allow-once {id}; echo $? > {}", self.becket.display(), done.display());
        let home = format!("HOME={}", self.scratch.home.display());
        terminal.tmux(&["new-window", "-n", "person", "-e", &home, "sh"])?;
        terminal.types(&line)?;
        terminal.wait_for("the question of allow-once", || terminal.shows("Type yes to allow it"))?;
        terminal.types("yes")?;
        terminal.wait_for("the end of allow-once", || {
            fs::read_to_string(&done).is_ok_and(|code| !code.trim().is_empty())
        })?;
        terminal.tmux(&["kill-window", "-t", "person"]).map(drop)
    }

    /// Returns true if the model has read a text.
    fn is_told(&self, text: &str) -> bool {
        self.model.requests().iter().any(|request| request.messages.to_string().contains(text))
    }
}

/// A terminal, closed when it is dropped.
struct Terminal {
    socket: PathBuf,
    /// The file that contains the last screen.
    log: PathBuf,
    deadline: Instant,
}

impl Terminal {
    fn start(run: &TerminalRun<'_>, launch: &Launch) -> Result<Self, String> {
        let directory = &run.project.directory;
        let terminal = Terminal {
            // The path of a socket has at most 107 bytes. Another run may have the same process id in a separate
            // namespace.
            socket: std::env::temp_dir().join(format!("becket-{}", jiff::Timestamp::now().as_nanosecond())),
            log: directory.join("screen"),
            deadline: Instant::now() + run.limit,
        };
        let environment = run.scratch.environment(run.search_path);
        let environment = environment.iter().chain(&launch.environment);
        let mut words = vec!["env".to_owned(), "-i".to_owned()];
        words.extend(environment.map(|(name, value)| format!("{name}={value}")));
        words.push("TERM=xterm-256color".to_owned());
        words.push(run.program.to_string_lossy().into_owned());
        words.extend(launch.arguments.iter().cloned());
        let project = run.scratch.project.to_string_lossy();
        let mut start = vec!["-f", "/dev/null", "new-session", "-d", "-x", "140", "-y", "45", "-c", &project];
        start.extend(words.iter().map(String::as_str));
        terminal.tmux(&start)?;
        Ok(terminal)
    }

    fn tmux(&self, arguments: &[&str]) -> Result<String, String> {
        let mut tmux = Command::new("tmux");
        tmux.arg("-S").arg(&self.socket).args(arguments).env_remove("TMUX").env("LC_ALL", "C.UTF-8");
        let ended = tmux.output().map_err(|error| format!("can't run `tmux`: {error}"))?;
        let why = String::from_utf8_lossy(&ended.stderr);
        match ended.status.success() {
            true => Ok(String::from_utf8_lossy(&ended.stdout).into_owned()),
            false => Err(format!("tmux {}: {}", arguments.join(" "), why.trim())),
        }
    }

    /// Types a line. Agents treat a line together with its Enter as a paste, so Enter waits until the line is shown.
    fn types(&self, line: &str) -> Result<(), String> {
        self.tmux(&["send-keys", "-l", line])?;
        self.wait_for("the line that was typed", || self.shows(line))?;
        self.press(&["Enter"])
    }

    /// Presses keys, by their tmux names, as slowly as a person: right after it is rendered, a question treats a key as
    /// a selection only.
    fn press(&self, keys: &[&str]) -> Result<(), String> {
        for key in keys {
            thread::sleep(PAUSE * 5);
            self.tmux(&["send-keys", key])?;
        }
        Ok(())
    }

    fn screen(&self) -> String {
        let screen = self.tmux(&["capture-pane", "-p"]).unwrap_or_default();
        // The file is for people only.
        drop(fs::write(&self.log, &screen));
        screen
    }

    fn shows(&self, text: &str) -> bool {
        self.screen().contains(text)
    }

    /// Waits until a condition is true.
    fn wait_for(&self, what: &str, holds: impl Fn() -> bool) -> Result<(), String> {
        while !holds() {
            if Instant::now() >= self.deadline {
                return Err(format!("{what} did not come; the screen:\n{}", self.screen().trim_end()));
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may already have ended.
        drop(self.tmux(&["kill-server"]));
        drop(fs::remove_file(&self.socket));
    }
}
