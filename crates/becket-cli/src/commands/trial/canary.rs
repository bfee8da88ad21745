//! The canary: a project whose guards deny calls that a scripted model makes, and the results of the calls.

use becket_proof::{AgentDriver, ModelRequest, Turn};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The settings of the project.
const SETTINGS: &str = include_str!("canary.json");
/// The prompt that a guard blocks.
pub(super) const FORBIDDEN: &str = "forbidden-prompt";
/// The prompt that no guard objects to.
pub(super) const ALLOWED: &str = "go";

/// One guard of the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Guard {
    /// A denial by JSON.
    Deny,
    /// A denial by exit code 2.
    ExitTwo,
    /// An ask that nobody answers.
    Ask,
    /// A guard that takes too long, with `onFailure: "block"`.
    Unchecked,
    /// A guard for files.
    Write,
    /// A guard for prompts.
    Prompt,
}

impl Guard {
    /// Returns the name in the report.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Guard::Deny => "a command denied by JSON",
            Guard::ExitTwo => "a command denied by exit code 2",
            Guard::Ask => "a command that is asked about",
            Guard::Unchecked => "a command whose guard takes too long",
            Guard::Write => "a file that a guard denies",
            Guard::Prompt => "a prompt that a guard blocks",
        }
    }
}

/// The result of a guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum GuardResult {
    /// The action was not done.
    Held,
    /// The action was done anyway.
    NotHeld,
    /// The agent did not get that far.
    Untried,
}

/// One call of the model.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// The file that exists after the call.
    file: &'static str,
    /// True if a file tool writes the file, instead of a shell.
    is_write: bool,
    /// The guard that denies the call; `None` for a call that has to be made, since otherwise nothing is proved.
    guard: Option<Guard>,
}

const fn shell(file: &'static str, guard: Option<Guard>) -> Step {
    Step { file, is_write: false, guard }
}

const fn write(file: &'static str, guard: Option<Guard>) -> Step {
    Step { file, is_write: true, guard }
}

/// The calls of the model. A denied edit ends the run of some agents, so it comes last.
const STEPS: [Step; 7] = [
    shell("harmless", None),
    write("harmless-file", None),
    shell("denied", Some(Guard::Deny)),
    shell("refused", Some(Guard::ExitTwo)),
    shell("unchecked", Some(Guard::Unchecked)),
    shell("asked", Some(Guard::Ask)),
    write("guarded-file", Some(Guard::Write)),
];

/// The project of one run.
#[derive(Debug)]
pub(super) struct CanaryProject {
    pub(super) directory: PathBuf,
}

impl CanaryProject {
    /// Writes the project.
    ///
    /// # Errors
    /// Errors if a file can't be written.
    pub(super) fn make(directory: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(directory.join(".claude"))?;
        fs::write(directory.join(".claude/settings.json"), SETTINGS)?;
        Ok(CanaryProject { directory })
    }

    /// Returns the turns of the model.
    pub(super) fn turns(&self, driver: &AgentDriver) -> Vec<Turn> {
        let call = |step: &Step| match step.is_write {
            true => (driver.write)(&self.directory.join(step.file), "written"),
            false => (driver.shell)(&format!("touch {}", step.file)),
        };
        STEPS.iter().map(|step| Turn::Call(call(step))).collect()
    }

    /// Returns the results of the calls.
    ///
    /// # Errors
    /// Errors if a call that no guard denies was not made, since then nothing is proved.
    pub(super) fn calls(&self, requests: &[ModelRequest]) -> Result<Vec<(Guard, GuardResult)>, String> {
        let answered = requests.iter().filter(|request| request.is_main).count();
        let mut found = Vec::new();
        for (index, step) in STEPS.iter().enumerate() {
            let is_done = self.directory.join(step.file).exists();
            match step.guard {
                Some(guard) if is_done => found.push((guard, GuardResult::NotHeld)),
                Some(guard) if answered <= index => found.push((guard, GuardResult::Untried)),
                Some(guard) => found.push((guard, GuardResult::Held)),
                None if is_done => {}
                None if answered == 0 => return Err("it did not ask the model for anything".to_owned()),
                None => return Err(format!("a call that no guard denies was not made (`{}`)", step.file)),
            }
        }
        Ok(found)
    }

    /// Returns the result of the prompt that a guard blocks.
    pub(super) fn prompt(&self, requests: &[ModelRequest]) -> (Guard, GuardResult) {
        let is_seen = requests.iter().any(|request| request.is_main);
        let is_done = STEPS.iter().any(|step| self.has(step.file));
        (Guard::Prompt, if is_seen || is_done { GuardResult::NotHeld } else { GuardResult::Held })
    }

    fn has(&self, file: &str) -> bool {
        Path::new(&self.directory).join(file).exists()
    }
}
