//! The first steps of a user without Rust: lines of README, and of the page that it names first, typed in a shell whose
//! search path contains the installed programs and those of the system.

use super::{create, stdout_of};
use crate::installed::text;
use crate::root;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// A line that a user types.
struct Step {
    /// The page that shows it.
    page: &'static str,
    /// The directory in which it is typed.
    directory: &'static str,
    line: &'static str,
    code: i32,
    /// A part of the output.
    output: &'static str,
}

const README: &str = "README.md";
const FIVE_MINUTES: &str = "docs/guide/first-five-minutes.md";
/// A copy of this repository that contains only the example.
const CLONE: &str = "becket";
/// The user's own repository, which is empty.
const PROJECT: &str = "project";

const STEPS: [Step; 7] = [
    Step {
        page: README,
        directory: CLONE,
        line: r#"becket -C examples/guarded-repo fire PreToolUse --tool Bash --input '{"command":"git push --force origin main"}'"#,
        code: 2,
        output: "This would force-push to the protected branch `main`",
    },
    Step {
        page: README,
        directory: CLONE,
        line: r#"becket -C examples/guarded-repo run --trust-project --model script:demo.json -p "tidy up""#,
        code: 0,
        output: "nothing was pushed",
    },
    Step {
        page: FIVE_MINUTES,
        directory: PROJECT,
        line: "becket init --yes --template minimal | tail -n 6",
        code: 0,
        output: "try it:",
    },
    Step {
        page: FIVE_MINUTES,
        directory: PROJECT,
        line: "becket check",
        code: 0,
        output: "nothing wrong in 1 file",
    },
    Step {
        page: FIVE_MINUTES,
        directory: PROJECT,
        line: "becket test | tail -n 1",
        code: 0,
        output: "cases: 53 passed",
    },
    Step {
        page: README,
        directory: PROJECT,
        line: "becket explain PreToolUse --tool Bash",
        code: 0,
        output: "if: runs to be safe",
    },
    Step {
        page: FIVE_MINUTES,
        directory: PROJECT,
        line: "becket fire PreToolUse --tool Bash --set tool_input.command='git push --force origin topic' | tail -n 3",
        code: 0,
        output: "A force-push overwrites the commits of others",
    },
];

/// The time limit for all of them.
const LIMIT: Duration = Duration::from_secs(120);

/// Types the lines, with the programs in `bin`, below an empty directory.
///
/// # Errors
/// Errors if a page does not show a line, if a line has another effect, or if all of them take too long.
pub(super) fn type_all(bin: &Path, directory: &Path) -> Result<(), String> {
    let (examples, project) = (directory.join(CLONE).join("examples"), directory.join(PROJECT));
    create(&examples)?;
    create(&project)?;
    stdout_of(Command::new("cp").arg("-R").arg(root().join("examples/guarded-repo")).arg(&examples))?;
    stdout_of(Command::new("git").args(["init", "--quiet", "-b", "main", "."]).current_dir(&project))?;
    let started = Instant::now();
    STEPS.iter().try_for_each(|step| step.type_in(bin, directory))?;
    let passed = started.elapsed();
    if passed <= LIMIT {
        return Ok(());
    }
    Err(format!("the first steps took {} s instead of at most {} s", passed.as_secs(), LIMIT.as_secs()))
}

impl Step {
    fn type_in(&self, bin: &Path, directory: &Path) -> Result<(), String> {
        let page = fs::read_to_string(root().join(self.page))
            .map_err(|error| format!("`{}`: {error}", self.page))?;
        if !page.contains(self.line) {
            return Err(format!("`{}` does not show `{}`", self.page, self.line));
        }
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(format!("{} 2>&1", self.line))
            .current_dir(directory.join(self.directory))
            .env_clear();
        shell.env("PATH", format!("{}:/usr/bin:/bin", text(bin))).env("HOME", directory.join("home"));
        let output = shell.output().map_err(|error| format!("can't run `sh`: {error}"))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        if output.status.code() == Some(self.code) && printed.contains(self.output) {
            return Ok(());
        }
        Err(format!("`{}` ends with {} and prints:\n{printed}", self.line, output.status))
    }
}
