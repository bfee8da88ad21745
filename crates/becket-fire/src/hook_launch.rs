//! The session of a hook of another agent: its directory, its project.

use crate::project::Project;
use crate::{Launch, ProcessContext, launch, project};
use std::path::{Path, PathBuf};

/// The session around an event, and the ignored files of its project.
#[derive(Debug)]
pub struct HookLaunch {
    /// The session.
    pub launch: Launch,
    /// The settings files that are ignored because another user owns them.
    pub foreign: Vec<PathBuf>,
}

/// The named directory of the project can't be entered.
#[derive(Debug, thiserror::Error)]
#[error("{named_by} is `{}`, which is not an accessible directory: {why}", path.display())]
pub struct NoProjectDirectory {
    named_by: String,
    path: PathBuf,
    why: String,
}

/// Returns the session for the hook of another agent, about an event in `cwd`. The project is the one that the agent
/// names; otherwise it is searched, since a model may have changed to any directory of it. `variables` are those by
/// which the agent may name it; `launched_in` gives the session of a directory.
///
/// # Errors
/// Errors if the directory that the agent names, or the current one, is missing, or with the error of `launched_in`.
pub fn hook_launch<E: From<NoProjectDirectory>>(
    cwd: &Path,
    variables: &[&str],
    process: &ProcessContext,
    launched_in: impl FnOnce(PathBuf) -> Result<Launch, E>,
) -> Result<HookLaunch, E> {
    let entered = |given: &Path, named_by: &str| {
        let path = process.cwd.as_deref().map_or_else(|| given.to_owned(), |cwd| cwd.join(given));
        launch::start(&path).map_err(|why| NoProjectDirectory { named_by: named_by.to_owned(), path, why })
    };
    let named = variables.iter().find_map(|name| Some((*name, process.var(name)?)));
    let named = named.map(|(name, given)| entered(Path::new(given), name)).transpose()?;
    if let Some(named) = named {
        let launch = launched_in(process.cwd.clone().unwrap_or_else(|| named.clone()))?;
        return Ok(HookLaunch { launch: Launch { project: Some(named), ..launch }, foreign: Vec::new() });
    }
    let named = process.cwd.as_deref().map_or_else(|| cwd.to_owned(), |start| start.join(cwd));
    let cwd = entered(cwd, "`cwd` of the event")?;
    let launch = launched_in(process.cwd.clone().unwrap_or_else(|| cwd.clone()))?;
    let mut found = Project::of_event(&launch, &cwd);
    if named != cwd {
        found = found.and_above_name(&named, &launch.request());
    }
    let foreign = found.foreign.clone();
    Ok(HookLaunch { launch: project::with_all_folders(launch, found, &cwd), foreign })
}
