//! The environment of a session: its variables, its home, and the models whose keys are among the variables.

use crate::opening::HostEnvironment;
use becket_embed::{Host, models};
use becket_engine::{Environment, Profile};
use std::ffi::OsString;
use std::path::PathBuf;

/// Returns a host for one session, whose private files go below `private`.
///
/// # Errors
/// Errors if the script of the model is invalid.
pub(crate) fn of(around: HostEnvironment, private: PathBuf) -> Result<Host, models::BadScript> {
    let vars = around.vars.into_iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let mut environment = Environment::from_vars(vars).with_temp(around.temp);
    if let Some(home) = around.home {
        environment = environment.with_home(home);
    }
    let choice = models::Choice { script: around.model_script, ..models::Choice::default() };
    Ok(Host {
        models: models::models(&choice, &environment)?,
        environment,
        profile: Profile::agent(),
        settings: None,
        plugins: Vec::new(),
        managed: around.managed_dir,
        strict: false,
        private,
    })
}
