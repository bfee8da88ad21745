//! The environment of a hook's process (H3): the host's variables, the settings' `env`, the profile's own.
//!
//! INVARIANT: nothing here can prevent a process from starting: values that no process can receive are left out.

use crate::config::SettingsEnv;
use crate::config::git_bash;
use crate::config::handler::Handler;
use crate::config::nesting;
use crate::config::placeholders::{PathOrText, Places};
use crate::config::text_shell::PathStyle;
use crate::host::environment::Environment;
use crate::plan::snapshot::Snapshot;
use becket_model::{Event, Source};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// The variables of a snapshot's hooks that no event changes, by the trust in a handler's source (H3).
#[derive(Debug, Clone)]
pub(crate) struct BaseEnv {
    /// The variables from each rank of trust on, the most trusted first. The first entry is for all.
    by_rank: Vec<(u8, Variables)>,
}

/// Names and values, shared by the handlers of a rank.
type Variables = Arc<[(OsString, OsString)]>;

impl BaseEnv {
    pub(crate) fn new(environment: &Environment, settings: &SettingsEnv, places: &Places) -> Self {
        let ranks = std::iter::once(0).chain(settings.ranks().into_iter().filter(|rank| *rank > 0));
        let of = |rank| (rank, base(environment, &settings.up_to(rank), places).into());
        BaseEnv { by_rank: ranks.map(of).collect() }
    }

    /// Returns the variables of handlers of this source.
    pub(crate) fn of(&self, source: &Source) -> &[(OsString, OsString)] {
        let rank = source.trust_rank();
        let found = self.by_rank.iter().rev().find(|(first, _)| *first <= rank);
        found.map_or(&[], |(_, env)| env)
    }
}

/// Returns the host's variables without telemetry exporters, the settings' `env`, and the profile's own.
fn base(
    environment: &Environment,
    settings_env: &[(String, String)],
    places: &Places,
) -> Vec<(OsString, OsString)> {
    let profile = &places.profile;
    let mut env: std::collections::BTreeMap<OsString, OsString> = environment
        .vars()
        .filter(|(name, _)| !is_telemetry(&name.to_string_lossy()))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    env.extend(settings_variables(settings_env));
    let own =
        ["PROJECT_DIR", "PLUGIN_ROOT", "PLUGIN_DATA", "ENV_FILE", "EFFORT"].map(|name| profile.var(name));
    for name in own.iter().chain([&profile.session_var("SESSION_ID")]) {
        env.remove(std::ffi::OsStr::new(name));
    }
    // Each event adds its own mark to those of the events around it (H14).
    env.remove(std::ffi::OsStr::new(nesting::VARIABLE));
    // A hook does not see another plugin's options.
    let options = profile.var("PLUGIN_OPTION_");
    env.retain(|name, _| !name.to_string_lossy().starts_with(&options));
    env.insert(profile.var("PID").into(), environment.pid().to_string().into());
    env.insert(profile.marker.to_string().into(), "1".into());
    env.insert(profile.session_var("CHILD_SESSION").into(), "1".into());
    env.into_iter().collect()
}

/// The largest size of all variables from settings, in bytes, and of one variable. The kernel starts no process with
/// much more (`execve(2)`), so one file could prevent every other file's guard from running.
const SETTINGS_ENV: usize = 512 << 10;
const SETTINGS_VARIABLE: usize = 96 << 10;

/// Returns the settings' `env`, without values that no process can receive.
fn settings_variables(settings_env: &[(String, String)]) -> impl Iterator<Item = (OsString, OsString)> {
    let mut room = SETTINGS_ENV;
    settings_env.iter().filter_map(move |(name, value)| {
        let size = name.len() + value.len();
        let fits = size <= SETTINGS_VARIABLE && size <= room;
        if !fits || name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return None;
        }
        room -= size;
        Some((name.into(), value.into()))
    })
}

/// Returns whether a variable is an `OTEL_*` that names an exporter: telemetry of a hook must not go to the host's
/// collector.
fn is_telemetry(name: &str) -> bool {
    name.starts_with("OTEL_") && name.contains("EXPORTER")
}

/// Returns the variables for a command of one event, without its environment file and its mark.
pub(crate) fn of_handler(
    snapshot: &Snapshot,
    event: &Event,
    handler: &Handler,
    style: PathStyle,
) -> Vec<(OsString, OsString)> {
    let places = &snapshot.places;
    let mut env = snapshot.base_env.of(&handler.place.source).to_vec();
    let own = places.variables(handler).into_iter().map(|(name, value)| {
        let value = match value {
            PathOrText::Path(path) => written(path, style),
            PathOrText::Text(text) => text.into(),
        };
        (name.into(), value)
    });
    env.extend(own);
    env.extend(of_event(places, event));
    env
}

/// Returns a path as the shell of a handler writes it (H3).
pub(crate) fn written(path: PathBuf, style: PathStyle) -> OsString {
    match (style, path.to_str()) {
        (PathStyle::GitBash, Some(text)) => git_bash::path(text).into(),
        (PathStyle::GitBash, None) | (PathStyle::Native | PathStyle::PowerShell, _) => path.into_os_string(),
    }
}

/// Returns the additional variables for a hook of one event.
fn of_event(places: &Places, event: &Event) -> Vec<(OsString, OsString)> {
    let mut out: Vec<(OsString, OsString)> = vec![(
        places.profile.session_var("SESSION_ID").into(),
        without_nul(event.session.id.as_str()).into(),
    )];
    if let Some(effort) = event.session.effort.as_ref().filter(|_| event.kind().spec().carries.effort) {
        out.push((places.profile.var("EFFORT").into(), without_nul(&effort.0).into()));
    }
    out
}

/// Returns a value that a process can receive: one byte must not prevent a guard from starting.
fn without_nul(value: &str) -> String {
    value.replace('\0', "")
}
