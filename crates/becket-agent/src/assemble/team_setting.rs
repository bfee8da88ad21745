//! The variable that makes a session the lead of a team.

use crate::team::{NameError, Team};
use becket_engine::{Engine, Environment};
use std::ffi::OsStr;
use std::path::Path;

/// The environment variable; `env` in the settings may set it, too.
const TEAMS: &str = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS";

/// Returns the task list of a session, below `directory`. It has teammates if it has a name, or if the environment or
/// the settings enable teams.
///
/// # Errors
/// Errors if the name is not a valid file name.
pub fn team(
    directory: &Path,
    name: Option<&str>,
    environment: &Environment,
    engine: &Engine,
) -> Result<Team, NameError> {
    if name.is_none() && !is_wanted(environment, engine) {
        return Ok(Team::without_teammates(directory));
    }
    Team::with_teammates(directory, name)
}

/// Returns true if teams are enabled, by any value but an empty one, `0` and `false`.
fn is_wanted(environment: &Environment, engine: &Engine) -> bool {
    let says = |value: &OsStr| !["", "0", "false"].iter().any(|no| value == OsStr::new(no));
    match environment.var(TEAMS) {
        Some(value) => says(value),
        None => {
            let config = engine.config();
            let set = config.settings_env.all().into_iter().find(|(name, _)| name == TEAMS);
            set.is_some_and(|(_, value)| says(OsStr::new(&value)))
        }
    }
}
