//! The state that all sessions of a process share, and the opening of sessions from their options.

use crate::launch::{self, Launch};
use crate::open::{Open, Profile, Source};
use crate::servers::{self, McpConfig, SessionServers};
use crate::session::{Facts, Session, SessionResources};
use crate::view::finding::{CheckReport, Finding};
use becket_engine::config::{FlagSettings, Sources};
use becket_engine::{Builder, CancellationToken, Environment};
use becket_llm::Models;
use becket_tools::{SystemConfinement, SystemStandbys, configured_hook_tools};
use std::path::PathBuf;
use std::sync::Arc;
use uuid::Uuid;

/// The state that all sessions of a process share.
pub struct Host {
    /// The variables and the home of the process; sessions read them nowhere else.
    pub environment: Environment,
    /// The profile of a session that names none.
    pub profile: becket_engine::Profile,
    /// Settings of the source `flag`: they belong to the host, and no session replaces them.
    pub settings: Option<FlagSettings>,
    /// More plugins, as absolute directories.
    pub plugins: Vec<PathBuf>,
    /// The managed settings, instead of the system's directory.
    pub managed: Option<PathBuf>,
    /// Set if an error in a configuration keeps each session from being opened.
    pub strict: bool,
    /// The models that hooks may ask.
    pub models: Arc<dyn Models>,
    /// The directory for private files of sessions that name none. The owner of the host removes it at the end.
    pub private: PathBuf,
}

/// The reason why a session is not opened.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    /// The options can't be satisfied.
    #[error("{0}")]
    Wrong(String),
    /// The configuration forbids the start (C3, C9).
    #[error("no session starts with this configuration: {why}")]
    Configuration {
        /// The reason.
        why: String,
        /// The problems in it.
        findings: Vec<Finding>,
    },
}

impl Host {
    /// Opens a session. This reads files, so it blocks. `cancel` ends everything that the session runs; `with` adds the
    /// user to ask and the observers.
    ///
    /// # Errors
    /// Errors if the options can't be satisfied, or the configuration forbids the start.
    pub fn open(
        &self,
        wants: Open,
        cancel: CancellationToken,
        with: impl FnOnce(Builder) -> Builder,
    ) -> Result<Session, NotOpened> {
        let id = id(&wants)?;
        let mut launch = self.launch(&wants)?;
        launch.folder_trusted = wants.trust.unwrap_or(true);
        let servers =
            configured(&wants, &launch)?.map(|servers| SessionServers::new(servers, cancel.child_token()));
        let builder = launch.builder(wants.interactive).models(self.models.clone());
        let builder = match &servers {
            Some(servers) => builder.mcp_tools(servers.calls()),
            None => builder,
        };
        let builder = with(builder.agent_tools(configured_hook_tools(launch.environment().clone())));
        let directory = match &wants.session_dir {
            Some(directory) => launch.start.join(directory),
            None => self.private.join(Uuid::new_v4().to_string()),
        };
        let engine = builder.session_dir(directory).build().map_err(|error| NotOpened::Configuration {
            findings: CheckReport::new(&error.config.diagnostics, 0).findings,
            why: error.why,
        })?;
        let environment = launch.environment().clone();
        let transcript = wants.transcript_path.unwrap_or_else(|| wants.start.join("transcript.jsonl"));
        let mode = wants.permission_mode.map(|mode| mode.as_str());
        let facts = Facts { start: wants.start, transcript, mode, environment };
        Ok(Session::new(id.into(), engine, facts, SessionResources { cancel, servers }))
    }

    /// Returns the inputs from which the configuration of a session is loaded.
    fn launch(&self, wants: &Open) -> Result<Launch, NotOpened> {
        if !wants.start.is_absolute() {
            return Err(wrong(format!(
                "`start` is `{}`, which is not an absolute path",
                wants.start.display()
            )));
        }
        let start = launch::start(&wants.start).map_err(|why| {
            let start = wants.start.display();
            wrong(format!("`start`: `{start}` is not an accessible directory: {why}"))
        })?;
        let flag = self.settings(wants)?;
        let profile = wants.profile.map_or_else(|| self.profile.clone(), becket_engine::Profile::from);
        let own: Vec<PathBuf> = wants.plugin_dirs.iter().map(|directory| start.join(directory)).collect();
        for directory in &own {
            let refused = |why: String| wrong(format!("`plugin_dirs`: `{}`: {why}", directory.display()));
            launch::plugin_directory(directory).map_err(refused)?;
        }
        Ok(Launch {
            flag,
            sources: wants.setting_sources.as_deref().map_or_else(Sources::default, sources),
            plugins: self.plugins.iter().cloned().chain(own).collect(),
            managed: self.managed.clone(),
            strict: self.strict || wants.strict,
            waits_for_async: wants.wait_for_async,
            confinement: Some(Arc::new(SystemConfinement)),
            standbys: Some(Arc::new(SystemStandbys)),
            ..Launch::new(profile, self.environment_of(wants)?, start)
        })
    }

    /// Returns the settings of the source `flag`.
    fn settings(&self, wants: &Open) -> Result<Option<FlagSettings>, NotOpened> {
        match (&self.settings, &wants.settings, &wants.settings_file) {
            (of_host, None, None) => Ok(of_host.clone()),
            (None, Some(settings), None) => {
                let text = serde_json::to_string(settings).map_err(|error| wrong(error.to_string()))?;
                Ok(Some(FlagSettings::Text(text)))
            }
            (None, None, Some(path)) => Ok(Some(FlagSettings::File(wants.start.join(path)))),
            (None, Some(_), Some(_)) => Err(wrong("give `settings` or `settings_file`, not both")),
            (Some(_), ..) => Err(wrong("the host was started with `--settings`, which can't be replaced")),
        }
    }

    fn environment_of(&self, wants: &Open) -> Result<Environment, NotOpened> {
        let mut environment = self.environment.clone();
        for (name, value) in &wants.env {
            if name.is_empty() || name.contains(['=', '\0']) {
                return Err(wrong(format!("`env`: `{name}` is not a valid variable name")));
            }
            environment = match value {
                Some(value) if value.contains('\0') => {
                    return Err(wrong(format!("`env`: the value of `{name}` holds a NUL")));
                }
                Some(value) => environment.with_var(name, value),
                None => environment.without_var(name),
            };
        }
        Ok(environment)
    }
}

fn wrong(why: impl Into<String>) -> NotOpened {
    NotOpened::Wrong(why.into())
}

/// Returns the MCP servers of a session.
fn configured(wants: &Open, launch: &Launch) -> Result<Option<servers::LoadedServers>, NotOpened> {
    let named = match (&wants.mcp_servers, &wants.mcp_config) {
        (None, None) => return Ok(None),
        (Some(servers), None) => McpConfig::Inline(servers.clone()),
        (None, Some(file)) => McpConfig::File(launch.start.join(file)),
        (Some(_), Some(_)) => return Err(wrong("give `mcp_servers` or `mcp_config`, not both")),
    };
    let configured = servers::LoadedServers::read(&named, &launch.start, launch.environment())
        .map_err(|why| wrong(format!("the MCP servers can't be read: {why}")))?;
    match configured.wrong() {
        wrong_ones if launch.strict && !wrong_ones.is_empty() => Err(wrong(wrong_ones.join("; "))),
        _ => Ok(Some(configured)),
    }
}

fn id(wants: &Open) -> Result<String, NotOpened> {
    match &wants.session {
        Some(id) if id.is_empty() => Err(wrong("`session` must not be empty")),
        Some(id) => Ok(id.clone()),
        None => Ok(Uuid::new_v4().to_string()),
    }
}

fn sources(wanted: &[Source]) -> Sources {
    let has = |source| wanted.contains(&source);
    Sources::none().user(has(Source::User)).project(has(Source::Project)).local(has(Source::Local))
}

impl From<Profile> for becket_engine::Profile {
    fn from(profile: Profile) -> Self {
        match profile {
            Profile::Claude => becket_engine::Profile::claude(),
            Profile::Agent => becket_engine::Profile::agent(),
            Profile::Becket => becket_engine::Profile::becket(),
        }
    }
}
