//! The first steps of a user without Rust: lines of README, typed in a shell whose search path contains the programs of the
//! system, and those that its first line installs.

use super::{create, stdout_of};
use crate::installed::text;
use crate::root;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// A line that a user types.
struct Step {
    /// The directory in which it is typed.
    directory: &'static str,
    line: &'static str,
    code: i32,
    /// A part of the output.
    output: &'static str,
}

/// A copy of this repository that contains only the example.
const CLONE: &str = "becket";
/// The user's own repository, which is empty.
const PROJECT: &str = "project";

/// The address of releases on the page; the packages are in a directory in its place.
const RELEASES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/releases");

const STEPS: [Step; 8] = [
    Step {
        directory: PROJECT,
        line: concat!(
            "curl -fsSL ",
            env!("CARGO_PKG_REPOSITORY"),
            "/releases/latest/download/install.sh | sh"
        ),
        code: 0,
        output: "installed becket",
    },
    Step {
        directory: CLONE,
        line: r#"becket -C examples/guarded-repo fire PreToolUse --tool Bash --input '{"command":"git push --force origin main"}'"#,
        code: 2,
        output: "This would force-push to the protected branch `main`",
    },
    Step {
        directory: CLONE,
        line: r#"becket -C examples/guarded-repo run --trust-project --model script:demo.json -p "tidy up""#,
        code: 0,
        output: "nothing was pushed",
    },
    Step { directory: PROJECT, line: "becket init --yes", code: 0, output: "try it:" },
    Step { directory: PROJECT, line: "becket check", code: 0, output: "nothing wrong in 1 file" },
    Step {
        directory: PROJECT,
        line: "becket explain PreToolUse --tool Bash --set tool_input.command='git push --force'",
        code: 0,
        output: "Bash(git push --force *)",
    },
    Step {
        directory: PROJECT,
        line: "becket fire PreToolUse --tool Bash --set tool_input.command='git push --force'",
        code: 2,
        output: "denied",
    },
    Step { directory: PROJECT, line: "becket test", code: 0, output: " passed" },
];

/// The time limit for all of them.
const LIMIT: Duration = Duration::from_secs(120);

/// Types the lines below an empty directory. `releases` is the directory with the release.
///
/// # Errors
/// Errors if README does not show a line, if a line has another effect, or if all of them take too long.
pub(super) fn type_all(releases: &str, directory: &Path) -> Result<(), String> {
    let (examples, project) = (directory.join(CLONE).join("examples"), directory.join(PROJECT));
    create(&examples)?;
    create(&project)?;
    stdout_of(Command::new("cp").arg("-R").arg(root().join("examples/guarded-repo")).arg(&examples))?;
    stdout_of(Command::new("git").args(["init", "--quiet", "-b", "main", "."]).current_dir(&project))?;
    let started = Instant::now();
    STEPS.iter().try_for_each(|step| step.type_in(releases, directory))?;
    let passed = started.elapsed();
    if passed <= LIMIT {
        return Ok(());
    }
    Err(format!("the first steps took {} s instead of at most {} s", passed.as_secs(), LIMIT.as_secs()))
}

impl Step {
    fn type_in(&self, releases: &str, directory: &Path) -> Result<(), String> {
        let readme =
            fs::read_to_string(root().join("README.md")).map_err(|error| format!("README.md: {error}"))?;
        if !readme.contains(self.line) {
            return Err(format!("README.md does not show `{}`", self.line));
        }
        let home = directory.join("home");
        let mut shell = Command::new("sh");
        shell
            .arg("-c")
            .arg(format!("{} 2>&1", self.line.replace(RELEASES, releases)))
            .current_dir(directory.join(self.directory))
            .env_clear();
        shell.env("PATH", format!("{}:/usr/bin:/bin", text(&home.join(".local/bin"))));
        shell.env("HOME", home).env("BECKET_RELEASES_URL", releases);
        let output = shell.output().map_err(|error| format!("can't run `sh`: {error}"))?;
        let printed = String::from_utf8_lossy(&output.stdout);
        if output.status.code() == Some(self.code) && printed.contains(self.output) {
            return Ok(());
        }
        Err(format!("`{}` ends with {} and prints:\n{printed}", self.line, output.status))
    }
}
