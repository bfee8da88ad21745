//! From what a client wants of a session to an engine over its configuration.

use super::calls::Calls;
use super::fault::Fault;
use super::method::Method;
use super::outgoing::Outgoing;
use super::params::{Open, Profile};
use super::person::ClientUser;
use super::session::{Facts, Session};
use super::told::{Observing, Teller};
use crate::args::{Global, ProfileName};
use crate::env::Surroundings;
use crate::error::CliError;
use crate::lend::{AgentsTools, Shared};
use crate::session;
use crate::trust;
use crate::view::finding::Checked;
use becket_engine::{Builder, CancellationToken};
use becket_llm::Models;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::sync::RwLock;
use uuid::Uuid;

/// What all sessions of this process share.
pub(super) struct Host {
    pub(super) global: Global,
    pub(super) around: Surroundings,
    /// Where this process was told to start.
    pub(super) start: PathBuf,
    pub(super) models: Arc<dyn Models>,
    /// Where sessions keep private files, unless they name a directory. It goes with this process.
    pub(super) private: PathBuf,
}

/// Who a session speaks with, and what ends it.
#[derive(Clone)]
pub(super) struct Around {
    pub(super) out: Outgoing,
    pub(super) calls: Calls,
    pub(super) cut: CancellationToken,
}

/// Opens a session. Reads files, so it blocks.
///
/// # Errors
/// What is wanted can't be had, or the configuration forbids the start.
pub(super) fn open(host: &Host, wants: Open, around: &Around) -> Result<Session, Fault> {
    let facts = Facts {
        start: wants.start.clone(),
        transcript: wants.transcript_path.clone().unwrap_or_else(|| wants.start.join("transcript.jsonl")),
        mode: wants.permission_mode.map(|mode| mode.as_str()),
    };
    let id: Arc<str> = id(&wants)?.into();
    let from = from(host, &wants)?;
    let trusted = wants.trust.unwrap_or_else(|| trust::is_recorded(&from.request()));
    let from = from.with_folder_trusted(trusted);
    let teller = Arc::new(Teller::new(id.clone(), around.out.clone()));
    let tools = AgentsTools::default();
    let mut builder = lent(from.builder(wants.interactive), host, &tools).observe(Observing(teller.clone()));
    if wants.interactive {
        builder = builder.ask_user(ClientUser { calls: around.calls.clone(), session: id.clone() });
    }
    let directory = match &wants.session_dir {
        Some(directory) => from.start.join(directory),
        None => host.private.join(Uuid::new_v4().to_string()),
    };
    let engine = builder.session_dir(directory).build().map_err(|error| Fault::NotOpened {
        findings: Checked::new(&error.config.diagnostics, 0).findings,
        why: error.why,
    })?;
    tools.ready(engine.config(), from.environment().clone());
    let (calls, cancel) = (around.calls.clone(), around.cut.child_token());
    Ok(Session {
        id,
        engine,
        facts,
        teller,
        calls,
        cancel,
        hooks: Mutex::default(),
        under_way: RwLock::default(),
    })
}

fn lent(builder: Builder, host: &Host, tools: &AgentsTools) -> Builder {
    builder.models(Shared(host.models.clone())).agent_tools(tools.clone())
}

fn wrong(why: impl Into<String>) -> Fault {
    Fault::Params { method: Method::SessionOpen.name(), why: why.into() }
}

fn id(wants: &Open) -> Result<String, Fault> {
    match &wants.session {
        Some(id) if id.is_empty() => Err(wrong("`session` must not be empty")),
        Some(id) => Ok(id.clone()),
        None => Ok(Uuid::new_v4().to_string()),
    }
}

/// What the configuration is loaded from: the arguments of this process, and what the client wants beside them.
fn from(host: &Host, wants: &Open) -> Result<session::Session, Fault> {
    if !wants.start.is_absolute() {
        return Err(wrong(format!("`start` is `{}`, which is no whole path", wants.start.display())));
    }
    let mut global = host.global.clone();
    global.settings = settings(host, wants)?;
    global.directory = Some(wants.start.clone());
    global.managed_dir = global.managed_dir.map(|directory| host.start.join(directory));
    let own = global.plugin_dir.iter().map(|directory| host.start.join(directory));
    global.plugin_dir = own.chain(wants.plugin_dirs.iter().cloned()).collect();
    global.strict |= wants.strict;
    global.profile = wants.profile.map_or(global.profile, ProfileName::from);
    session::Session::new(&global, &surroundings(host, wants)?).map_err(|error| {
        if let CliError::NoDirectory { path, why } = error {
            return wrong(format!(
                "`start`: `{}` is no directory that can be entered: {why}",
                path.display()
            ));
        }
        wrong(error.to_string())
    })
}

/// The settings of the source `flag`. Those of this process are its owner's, and nobody takes their place.
fn settings(host: &Host, wants: &Open) -> Result<Option<String>, Fault> {
    let of_host = host.global.settings.as_ref().map(|given| whole(given, &host.start));
    let file = |path: &PathBuf| wants.start.join(path).display().to_string();
    match (of_host, &wants.settings, &wants.settings_file) {
        (of_host, None, None) => Ok(of_host),
        (None, Some(settings), None) => {
            serde_json::to_string(settings).map(Some).map_err(|error| wrong(error.to_string()))
        }
        (None, None, Some(path)) => Ok(Some(file(path))),
        (None, Some(_), Some(_)) => Err(wrong("give `settings` or `settings_file`, not both")),
        (Some(_), ..) => Err(wrong("`becket serve` was started with `--settings`, which can't be replaced")),
    }
}

fn whole(given: &str, start: &Path) -> String {
    if given.trim_start().starts_with('{') {
        given.to_owned()
    } else {
        start.join(given).display().to_string()
    }
}

fn surroundings(host: &Host, wants: &Open) -> Result<Surroundings, Fault> {
    let mut around = host.around.clone();
    around.vars.retain(|(name, _)| !wants.env.keys().any(|changed| OsStr::new(changed) == name));
    for (name, value) in &wants.env {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(wrong(format!("`env`: `{name}` is no name of a variable")));
        }
        if let Some(value) = value {
            around.vars.push((name.into(), value.into()));
        }
    }
    Ok(around)
}

impl From<Profile> for ProfileName {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Claude => ProfileName::Claude,
            Profile::Agent => ProfileName::Agent,
            Profile::Becket => ProfileName::Becket,
        }
    }
}
