//! An isolated environment to run a program in: a separate home, project and managed settings, and no other environment
//! variables. Runs are the same on every machine.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The time after which a program counts as hanging.
const DEADLINE: Duration = Duration::from_secs(300);

/// A temporary home and project to run a program in.
///
/// ```
/// use becket_testkit::env::TestEnv;
///
/// let env = TestEnv::new("cat");
/// env.write("project/a.txt", "text");
/// assert_eq!(env.bare(["a.txt"]).run().stdout, "text");
/// ```
#[derive(Debug)]
pub struct TestEnv {
    root: TempDir,
    path: PathBuf,
    program: PathBuf,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramOutput {
    /// The exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// The text on stdout, with replacement characters for anything that is not UTF-8.
    pub stdout: String,
    /// The text on stderr.
    pub stderr: String,
}

/// A run that is being prepared.
#[derive(Debug)]
pub struct Run {
    command: Command,
    stdin: Vec<u8>,
}

impl TestEnv {
    /// Creates an empty environment for `program`. Its user trusts the project; a test's own `home/.claude.json`
    /// overrides that.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let root = tempfile::tempdir().expect("a temporary directory can be made");
        let path = root.path().canonicalize().expect("it is there");
        for directory in ["home", "project", "managed", "tmp"] {
            fs::create_dir(path.join(directory)).expect("a directory can be made");
        }
        let env = Self { root, path, program: program.into() };
        let project = env.project().display().to_string().replace('\\', "\\\\");
        let known = format!(r#"{{"projects": {{"{project}": {{"hasTrustDialogAccepted": true}}}}}}"#);
        env.write("home/.claude.json", known);
        env
    }

    /// Returns the directory that contains everything: `home`, `project`, `managed`, `tmp`.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.path
    }

    /// Returns the directory in which the program runs.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.path.join("project")
    }

    /// Writes a file below the root, with the directories above it; returns its path.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let file = self.path.join(path);
        fs::create_dir_all(file.parent().expect("a file has a parent")).expect("directories can be made");
        fs::write(&file, text).expect("the file can be written");
        file
    }

    /// Copies a directory with its content to a path below the root; returns that path.
    pub fn copy(&self, from: &Path, to: &str) -> PathBuf {
        let to = self.path.join(to);
        copy(from, &to);
        to
    }

    /// Prepares a run that reads no settings of this machine.
    #[must_use]
    pub fn becket<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Run {
        let mut run = self.bare::<&str>([]);
        run.command.arg("--managed-dir").arg(self.path.join("managed")).args(arguments);
        run
    }

    /// Prepares a run with exactly these arguments.
    #[must_use]
    pub fn bare<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Run {
        let mut command = Command::new(&self.program);
        command.args(arguments).current_dir(self.project()).env_clear();
        command.env("PATH", search_path());
        command.env("HOME", self.path.join("home")).env("TMPDIR", self.path.join("tmp"));
        command.env("PYTHONDONTWRITEBYTECODE", "1").env("GIT_CONFIG_NOSYSTEM", "1");
        Run { command, stdin: Vec::new() }
    }

    /// Returns a text with the path of this environment as `[ROOT]` and times as `[TIME]`.
    #[must_use]
    pub fn redacted(&self, text: &str) -> String {
        without_times(
            &text
                .replace(&*self.root.path().to_string_lossy(), "[ROOT]")
                .replace(&*self.path.to_string_lossy(), "[ROOT]"),
        )
    }
}

impl Run {
    /// Sets its stdin, which is otherwise empty.
    #[must_use]
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    /// Sets a variable.
    #[must_use]
    pub fn env(self, name: &str, value: &str) -> Self {
        self.env_os(name, value)
    }

    /// Sets a variable to a path, which may not be text.
    #[must_use]
    pub fn env_os(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Looks for programs in this directory first.
    #[must_use]
    pub fn path_first(self, directory: &Path) -> Self {
        let mut path = directory.as_os_str().to_owned();
        path.push(":");
        path.push(search_path());
        self.env_os("PATH", path)
    }

    /// Starts in another directory.
    #[must_use]
    pub fn dir(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// Prepares the same run of another program.
    #[must_use]
    pub fn of(self, program: &Path) -> Self {
        let mut command = Command::new(program);
        command.args(self.command.get_args()).env_clear();
        command.envs(self.command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if let Some(directory) = self.command.get_current_dir() {
            command.current_dir(directory);
        }
        Run { command, ..self }
    }

    /// Returns the command, for callers that run it themselves.
    #[must_use]
    pub fn into_command(self) -> Command {
        self.command
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// Panics if it can't be started or hangs.
    #[must_use]
    pub fn run(mut self) -> ProgramOutput {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("the program can be started");
        let (mut to, text) = (child.stdin.take().expect("piped"), self.stdin);
        // A program that does not read its stdin has not failed.
        thread::spawn(move || drop(to.write_all(&text)));
        let stdout = reader(child.stdout.take().expect("piped"));
        let stderr = reader(child.stderr.take().expect("piped"));
        let code = ended(&mut child);
        let text = |from: thread::JoinHandle<String>| from.join().expect("a reader does not panic");
        ProgramOutput { code, stdout: text(stdout), stderr: text(stderr) }
    }
}

#[expect(clippy::disallowed_methods, reason = "where programs lie is the one thing that is the machine's")]
fn search_path() -> std::ffi::OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

fn reader(mut from: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        drop(from.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn ended(child: &mut Child) -> Option<i32> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return status.code();
        }
        let hangs = start.elapsed() > DEADLINE;
        if hangs {
            drop(child.kill());
        }
        assert!(!hangs, "it still runs after {} s", DEADLINE.as_secs());
        thread::sleep(Duration::from_millis(2));
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory can be made");
    for entry in fs::read_dir(from).expect("the directory can be read") {
        let entry = entry.expect("its entries can be read");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("an entry has a type").is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("a file can be copied");
        }
    }
}

/// Replaces `12.5 ms` and `"elapsed_ms": 12.5` by `[TIME]`.
fn without_times(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        let shown = body.strip_suffix(" ms").and_then(|rest| rest.rsplit_once(' '));
        match (shown, body.split_once("\"elapsed_ms\": ")) {
            (Some((before, number)), _) if number.parse::<f64>().is_ok() => {
                clean.push_str(&format!("{before} [TIME]{end}"));
            }
            (_, Some((before, _))) => clean.push_str(&format!("{before}\"elapsed_ms\": [TIME]{end}")),
            (_, None) => clean.push_str(line),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_sees_nothing_of_the_machine_but_its_path() {
        let env = TestEnv::new("/usr/bin/env");
        let ended = env.bare::<&str>([]).run();
        let mut names: Vec<&str> = ended.stdout.lines().filter_map(|line| line.split('=').next()).collect();
        names.sort_unstable();
        assert_eq!(names, ["GIT_CONFIG_NOSYSTEM", "HOME", "PATH", "PYTHONDONTWRITEBYTECODE", "TMPDIR"]);
        assert_eq!(ended.code, Some(0));
    }

    #[test]
    fn times_and_places_are_taken_out() {
        let env = TestEnv::new("true");
        let text = format!("{}/a 12.5 ms\nb ms\n  \"elapsed_ms\": 3.2,\n", env.project().display());
        assert_eq!(env.redacted(&text), "[ROOT]/project/a [TIME]\nb ms\n  \"elapsed_ms\": [TIME]\n");
    }
}
