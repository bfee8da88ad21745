//! Trials of what other systems run: the hook of pre-commit, by pre-commit itself, and the steps of the GitHub Action, by bash as
//! a runner of GitHub starts it.

use crate::root;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A settings file with a mistake that `check` names, and the same without it.
const SETTINGS: [(&str, bool); 2] = [("PreTolUse", false), ("PreToolUse", true)];
/// The code of the mistake.
const FINDING: &str = "unknown-event";

/// The programs of a trial.
pub(super) struct Programs {
    /// The program `becket`, which is found on PATH.
    pub(super) becket: PathBuf,
    /// An interpreter with pre-commit and PyYAML.
    pub(super) python: PathBuf,
}

/// A scratch home with a repository in it.
struct Scratch {
    directory: TempDir,
    path: std::ffi::OsString,
}

impl Scratch {
    #[expect(clippy::disallowed_methods, reason = "a chore of the workspace, started by a person")]
    fn new(programs: &Programs) -> Result<Self, String> {
        let directory = tempfile::tempdir().map_err(|error| format!("a scratch directory: {error}"))?;
        let first = programs.becket.parent().into_iter().chain(programs.python.parent()).map(PathBuf::from);
        let rest = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(first.chain(std::env::split_paths(&rest)))
            .map_err(|error| error.to_string())?;
        let scratch = Scratch { directory, path };
        scratch.repository("project", &[])?;
        Ok(scratch)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Creates a repository with these files in its first commit.
    fn repository(&self, name: &str, files: &[(&str, &str)]) -> Result<(), String> {
        let place = self.at(name);
        fs::create_dir_all(&place).map_err(|error| error.to_string())?;
        succeeded(self.command("git", &place).args(["init", "--quiet"]))?;
        for (file, text) in files {
            self.write(&format!("{name}/{file}"), text)?;
        }
        succeeded(self.command("git", &place).args(["add", "--all"]))?;
        let identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
        let commit = ["commit", "--quiet", "--allow-empty", "--message", "first"];
        succeeded(self.command("git", &place).args(identity).args(commit)).map(drop)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path = self.at(name);
        let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
        folder.and_then(|()| fs::write(&path, text)).map_err(|error| format!("`{}`: {error}", path.display()))
    }

    /// Writes the settings of the project with one event.
    fn settings(&self, event: &str) -> Result<(), String> {
        let guard = r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}"#;
        self.write("project/.claude/settings.json", &format!("{{\"hooks\": {{\"{event}\": [{guard}]}}}}\n"))
    }

    /// A program with the programs of the trial on PATH, and nothing of the user.
    fn command(&self, program: &str, place: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", &self.path).env("HOME", self.at("home")).current_dir(place);
        command
    }
}

/// Runs the hook of pre-commit in a project with a mistake, and without it.
///
/// # Errors
/// The mistake is not found, or one is found where there is none. A program can't be run.
pub(super) fn pre_commit(programs: &Programs) -> Result<(), String> {
    let scratch = Scratch::new(programs)?;
    let hooks =
        fs::read_to_string(root().join(".pre-commit-hooks.yaml")).map_err(|error| error.to_string())?;
    scratch.repository("hooks", &[(".pre-commit-hooks.yaml", &hooks)])?;
    let head = succeeded(scratch.command("git", &scratch.at("hooks")).args(["rev-parse", "HEAD"]))?;
    let head = String::from_utf8_lossy(&head.stdout).trim().to_owned();
    let repository = scratch.at("hooks").display().to_string();
    let config =
        format!("repos:\n  - repo: {repository}\n    rev: {head}\n    hooks:\n      - id: becket-check\n");
    scratch.write("project/.pre-commit-config.yaml", &config)?;
    for (event, is_right) in SETTINGS {
        scratch.settings(event)?;
        let project = scratch.at("project");
        succeeded(scratch.command("git", &project).args(["add", "--all"]))?;
        let mut command = scratch.command("pre-commit", &project);
        let ended = output(command.args(["run", "--all-files"]).env("PRE_COMMIT_HOME", scratch.at("cache")))?;
        expect("pre-commit", &ended, is_right)?;
    }
    Ok(())
}

/// Runs the steps of the action in a project with a mistake, and without it.
///
/// # Errors
/// The mistake is not annotated, or one is found where there is none. A program can't be run.
pub(super) fn action(programs: &Programs) -> Result<(), String> {
    let scratch = Scratch::new(programs)?;
    let read = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)";
    let mut python = Command::new(&programs.python);
    let read = succeeded(python.args(["-c", read]).arg(root().join("action.yml")))?;
    let action: Value = serde_json::from_slice(&read.stdout).map_err(|error| error.to_string())?;
    for (event, is_right) in SETTINGS {
        scratch.settings(event)?;
        let steps = action["runs"]["steps"].as_array().ok_or("`action.yml` has no steps")?;
        let (last, before) = steps.split_last().ok_or("`action.yml` has no steps")?;
        for step in before {
            succeeded(&mut scratch.step(&action, step)?)?;
        }
        let ended = output(&mut scratch.step(&action, last)?)?;
        expect("the action", &ended, is_right)?;
        let is_annotated =
            String::from_utf8_lossy(&ended.stdout).starts_with("::error file=.claude/settings.json,");
        if is_annotated == is_right {
            return Err(format!("annotations of the action are wrong: {ended:?}"));
        }
    }
    Ok(())
}

impl Scratch {
    /// A step of the action with the defaults of its inputs.
    fn step(&self, action: &Value, step: &Value) -> Result<Command, String> {
        let script = step["run"].as_str().ok_or("a step of `action.yml` runs nothing")?;
        let mut command = self.command("bash", &self.at("project"));
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]);
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            let value = value.as_str().unwrap_or_default();
            let expression = value.trim().strip_prefix("${{").and_then(|rest| rest.strip_suffix("}}"));
            let value = match expression.map(str::trim) {
                None => value.to_owned(),
                Some("github.action_path") => root().display().to_string(),
                Some(expression) => {
                    let input = expression.strip_prefix("inputs.").unwrap_or_default();
                    let default = action["inputs"][input]["default"].as_str();
                    default.ok_or_else(|| format!("`{expression}` of `action.yml` has no value"))?.to_owned()
                }
            };
            command.env(name, value);
        }
        Ok(command)
    }
}

/// Checks an exit code, and that the mistake is named if there is one.
fn expect(runner: &str, ended: &Output, is_right: bool) -> Result<(), String> {
    let is_named = String::from_utf8_lossy(&ended.stdout).contains(FINDING);
    match (ended.status.success(), is_named) {
        (true, false) if is_right => Ok(()),
        (false, true) if !is_right => Ok(()),
        (_, _) => Err(format!(
            "{runner} with settings that are {}: {ended:?}",
            if is_right { "right" } else { "wrong" }
        )),
    }
}

fn output(command: &mut Command) -> Result<Output, String> {
    command.output().map_err(|error| format!("can't run `{}`: {error}", command.get_program().display()))
}

fn succeeded(command: &mut Command) -> Result<Output, String> {
    let ended = output(command)?;
    if ended.status.success() { Ok(ended) } else { Err(format!("{command:?} failed: {ended:?}")) }
}
