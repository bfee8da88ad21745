//! A copy of becket that a package has installed, and its checks: it reports its version and its installer, and denies
//! a force-push, at a terminal and as the hook of an agent.

use super::{VERSION, create, stdout_of, write};
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Settings with a hook that denies.
const SETTINGS: &str = r#"{
  "hooks": {
    "PreToolUse": [{
      "matcher": "Bash",
      "hooks": [{"type": "command", "if": "Bash(git push --force *)", "command": "echo 'no force-push' >&2; exit 2"}]
    }]
  }
}
"#;
/// The call that is denied.
const PUSH: &str = "git push --force origin main";
/// The exit code of `becket fire` for an event that is denied.
const DENIED: i32 = 2;

/// An installed copy, and a project to run it in.
pub(crate) struct InstalledCopy<'a> {
    becket: &'a Path,
    /// The program that runs programs of another processor.
    emulator: Option<&'a str>,
    /// The project, which is also the home directory, so that settings of this machine do not count.
    project: TempDir,
}

impl<'a> InstalledCopy<'a> {
    /// Returns the copy whose small program is at this path.
    ///
    /// # Errors
    /// Errors if its project can't be created.
    pub(crate) fn new(becket: &'a Path, emulator: Option<&'a str>) -> Result<Self, String> {
        let project = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
        create(&project.path().join(".claude"))?;
        write(&project.path().join(".claude/settings.json"), SETTINGS)?;
        Ok(Self { becket, emulator, project })
    }

    /// Runs all checks of a copy.
    ///
    /// # Errors
    /// Errors with the difference if one fails.
    pub(super) fn check(&self, installed_by: &str) -> Result<(), String> {
        self.check_version()?;
        self.check_installer(installed_by)?;
        self.check_command()?;
        self.check_hook()
    }

    fn check_version(&self) -> Result<(), String> {
        let version = stdout_of(self.command().arg("--version"))?;
        if version == format!("becket {VERSION}") {
            return Ok(());
        }
        Err(format!("`{} --version` prints `{version}`", self.becket.display()))
    }

    fn check_installer(&self, installed_by: &str) -> Result<(), String> {
        let report = stdout_of(self.command().args(["--json", "self", "version"]))?;
        let report: Value =
            serde_json::from_str(&report).map_err(|error| format!("`becket self version`: {error}"))?;
        // Without the small program beside it, every event would start the full one.
        if report["installed_by"] == installed_by && report["small"].is_string() {
            return Ok(());
        }
        Err(format!("`becket self version` prints {report} for a copy of {installed_by}"))
    }

    fn check_command(&self) -> Result<(), String> {
        let mut fire = self.command();
        fire.args(["fire", "PreToolUse", "--tool", "Bash", "--set"])
            .arg(format!("tool_input.command={PUSH}"));
        let output = fire.output().map_err(|error| format!("can't run becket: {error}"))?;
        check_denied("becket fire", &output)
    }

    /// Checks that the small program alone denies, too.
    ///
    /// # Errors
    /// Errors with its output if it does not.
    pub(crate) fn check_hook(&self) -> Result<(), String> {
        let input = json!({
            "session_id": "s", "transcript_path": "/t.jsonl", "cwd": self.project.path(), "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": PUSH}, "tool_use_id": "t",
        });
        let mut fire = self.command();
        fire.args(["fire", "--stdin-event"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = fire.spawn().map_err(|error| format!("can't run becket: {error}"))?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(input.to_string().as_bytes()).map_err(|error| format!("becket: {error}"))?;
        }
        let output = child.wait_with_output().map_err(|error| format!("becket: {error}"))?;
        check_denied("becket fire --stdin-event", &output)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.emulator.map_or(self.becket, Path::new));
        command.args(self.emulator.map(|_| self.becket));
        command.current_dir(self.project.path()).env("HOME", self.project.path());
        command
    }
}

fn check_denied(name: &str, output: &Output) -> Result<(), String> {
    let text = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    if output.status.code() == Some(DENIED) && text.iter().any(|text| text.contains("no force-push")) {
        return Ok(());
    }
    Err(format!("`{name}` does not deny `{PUSH}`: {}: {}", output.status, text.join("\n")))
}
