//! The git repository of a throw-away project: no remote but one next to it, no configuration of the user.

use super::ProjectError;
use crate::case::GitState;
use becket_engine::{CancellationToken, Environment};
use becket_process::{Command, Limits, Program, Runner};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// The time that one command of git may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Creates the repository of a case in `root`.
pub(super) async fn create(
    root: &Path,
    state: &GitState,
    environment: &Environment,
    runner: &Runner,
    cancel: &CancellationToken,
) -> Result<(), ProjectError> {
    let git = Git { root, environment: variables(environment), runner, cancel };
    git.run(&["init", "-q", "-b", &state.branch]).await?;
    if state.commit {
        git.run(&["add", "-A"]).await?;
        git.run(&["commit", "-q", "--allow-empty", "-m", "start"]).await?;
    }
    if let Some(unpushed) = state.unpushed {
        let upstream = root.with_file_name("upstream.git");
        let upstream = upstream.to_string_lossy();
        git.run(&["init", "-q", "--bare", &upstream]).await?;
        git.run(&["remote", "add", "origin", &upstream]).await?;
        git.run(&["push", "-q", "-u", "origin", &state.branch]).await?;
        for _ in 0..unpushed {
            git.run(&["commit", "-q", "--allow-empty", "-m", "more"]).await?;
        }
    }
    Ok(())
}

/// A runner for commands of git in one directory.
struct Git<'a> {
    root: &'a Path,
    environment: Vec<(OsString, OsString)>,
    runner: &'a Runner,
    cancel: &'a CancellationToken,
}

impl Git<'_> {
    async fn run(&self, arguments: &[&str]) -> Result<(), ProjectError> {
        let failed = |why: String| ProjectError::Git { why: format!("`git {}` {why}", arguments.join(" ")) };
        let words = arguments.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let command =
            Command { env: self.environment.clone(), ..Command::new(Program::exec("git", words), self.root) };
        let limits = Limits { deadline: Some(LIMIT), ..Limits::default() };
        let finished = self.runner.run(&command, &limits, self.cancel, &mut |_| ()).await;
        let finished = finished.map_err(|error| failed(format!("did not start: {error}")))?;
        if finished.end.is_success() {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&finished.stderr.bytes);
        Err(failed(format!("failed: {}", becket_base::text::one_line(&stderr, 200))))
    }
}

/// Returns the variables for git: a fixed author and no configuration of the user or the system.
fn variables(environment: &Environment) -> Vec<(OsString, OsString)> {
    let path = environment.var("PATH").map(|path| ("PATH".into(), path.to_owned()));
    let fixed = [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_AUTHOR_NAME", "becket"),
        ("GIT_AUTHOR_EMAIL", "becket@example.invalid"),
        ("GIT_COMMITTER_NAME", "becket"),
        ("GIT_COMMITTER_EMAIL", "becket@example.invalid"),
        ("GIT_TERMINAL_PROMPT", "0"),
    ];
    let fixed = fixed.into_iter().map(|(name, value)| (name.into(), value.into()));
    path.into_iter().chain(fixed).collect()
}
