//! A builder of engines.

use crate::config;
use crate::config::handler::Handler;
use crate::engine::{Engine, Parts};
use crate::handlers::host_services::Host;
#[cfg(feature = "http")]
use crate::handlers::http::{Clients, Resolve};
use crate::handlers::interceptor::RunInterceptor;
#[cfg(feature = "models")]
use crate::handlers::prompt::VerdictCache;
use crate::host::confinement::HookConfinement;
#[cfg(feature = "models")]
use crate::host::conversation::Conversations;
use crate::host::environment::Environment;
use crate::host::mcp_tools::McpTools;
use crate::host::profile::Profile;
use crate::host::questions::question::AskUser;
use crate::host::standby::HookStandbys;
use crate::host::tool_set::ToolSet;
use crate::plan::gates::Start;
use crate::report::audit::AuditLog;
use crate::report::run_event::Observer;
#[cfg(feature = "models")]
use becket_llm::Models;
use becket_process::Limits;
use std::fmt;
#[cfg(feature = "models")]
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

/// A builder of an [`Engine`]; [`Builder::build`] reads the configuration.
pub struct Builder {
    pub(crate) request: config::Request,
    pub(crate) start: Start,
    pub(crate) session_dir: Option<PathBuf>,
    pub(crate) limits: Limits,
    pub(crate) tools: ToolSet,
    pub(crate) host: Host,
    pub(crate) observers: Vec<Arc<dyn Observer>>,
    pub(crate) amendment: Option<HookAmendment>,
}

/// Changes a handler of the configuration; `None` removes it.
pub(crate) type HookAmendment = Box<dyn Fn(Handler) -> Option<Handler> + Send + Sync>;

impl Default for Builder {
    fn default() -> Self {
        Builder {
            request: config::Request::new(Profile::default(), Environment::empty(), "/"),
            start: Start::Normal,
            session_dir: None,
            limits: Limits::default(),
            tools: ToolSet::default(),
            host: Host::default(),
            observers: Vec::new(),
            amendment: None,
        }
    }
}

impl Builder {
    /// Sets the variables, the home and the process id that hooks and the configuration see. Default: nothing.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.request.environment = environment;
        self
    }

    /// Sets the profile. Default: [`Profile::claude`].
    pub fn profile(mut self, profile: Profile) -> Self {
        self.request.profile = profile;
        self
    }

    /// Sets the directory in which the session starts: the project whose settings count (C4).
    pub fn start_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.request.start = dir.into();
        self
    }

    /// Changes the request for the configuration, if the defaults of the profile don't fit.
    pub fn request(mut self, change: impl FnOnce(&mut config::Request)) -> Self {
        change(&mut self.request);
        self
    }

    /// Sets settings as text, as if passed on the command line (source `flag`).
    pub fn settings_text(mut self, json: impl Into<String>) -> Self {
        self.request.flag = Some(config::FlagSettings::Text(json.into()));
        self
    }

    /// Sets a settings file, as if passed on the command line (source `flag`).
    pub fn settings_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.request.flag = Some(config::FlagSettings::File(path.into()));
        self
    }

    /// Adds a plugin (C9).
    pub fn plugin(mut self, plugin: config::Plugin) -> Self {
        self.request.plugins.push(plugin);
        self
    }

    /// Sets whether a person can be asked. Default: no.
    pub fn interactive(mut self, interactive: bool) -> Self {
        self.request.trust.interactive = interactive;
        self
    }

    /// Sets the facts about trust in the workspace (G3). Default: not interactive, trusted.
    pub fn trust(mut self, trust: config::Trust) -> Self {
        self.request.trust = trust;
        self
    }

    /// Sets the way in which the host was started (G2). Default: with everything.
    pub fn start(mut self, start: Start) -> Self {
        self.start = start;
        self
    }

    /// Fails the build on any error in the configuration (C7).
    pub fn strict(mut self, strict: bool) -> Self {
        self.request.strict = strict;
        self
    }

    /// Makes events wait for `async`, `asyncRewake` and self-announced hooks (A1, A2, A4), up to their limits: their
    /// answers count like those of any other hook. For a host that can't continue in the background, such as one that
    /// ends with the event. An in-process hook that answers `{"async": true}` still continues by itself. Default: no.
    pub fn wait_for_async(mut self, wait: bool) -> Self {
        self.request.waits_for_async = wait;
        self
    }

    /// Sets a directory in which the host keeps private files. Default: one of the engine's own, which is removed with
    /// it.
    pub fn session_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.session_dir = Some(dir.into());
        self
    }

    /// Sets the caps and graces of hook processes (H3, H4); each handler has its own deadline.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the tools of the host's own model, for their schemas, defaults and prompts (N3, D3, D9). Default: none; an
    /// unknown tool accepts any input.
    pub fn tools(mut self, tools: ToolSet) -> Self {
        self.tools = tools;
        self
    }

    /// Sets the models for `prompt` and `agent` handlers (H7, H8). Default: none, and those handlers fail with a
    /// message that says so.
    #[cfg(feature = "models")]
    pub fn models(mut self, models: impl Models + 'static) -> Self {
        self.host.models = Some(Arc::new(models));
        self
    }

    /// Caches up to `capacity` verdicts of `prompt` handlers: a model is not asked the same question, including input
    /// and conversation, twice. Failures are never cached, nor are verdicts of agents, which look at a changing world.
    /// Default: no cache.
    #[cfg(feature = "models")]
    pub fn cache_model_verdicts(mut self, capacity: NonZeroUsize) -> Self {
        self.host.verdicts = Some(Arc::new(VerdictCache::new(capacity)));
        self
    }

    /// Sets the MCP servers that `mcp_tool` handlers may call (H6). Default: none.
    pub fn mcp_tools(mut self, servers: impl McpTools + 'static) -> Self {
        self.host.mcp = Some(Arc::new(servers));
        self
    }

    /// Sets the tools of `agent` handlers (H8) under a configuration; `tools` runs once for each configuration under
    /// which an agent runs (C8), and must not block. Default: none; an agent can only answer.
    ///
    /// Not offered to an agent's model: a tool that starts agents (`Agent`, `Task`), one that a deny rule removes as a
    /// whole (P1), and one called `StructuredOutput`, by which an agent answers. A call whose effect is
    /// [`crate::Effect::Reads`] runs without a permission rule; any other call that no allow rule covers is denied,
    /// since an agent runs in mode `dontAsk` (P14).
    #[cfg(feature = "models")]
    pub fn agent_tools(
        mut self,
        tools: impl Fn(&Arc<config::Config>) -> ToolSet + Send + Sync + 'static,
    ) -> Self {
        self.host.agent_tools = Some(Arc::new(tools));
        self
    }

    /// Sets the resolver of names in HTTP handlers' URLs; each address is still checked (S1). Default: the operating
    /// system.
    #[cfg(feature = "http")]
    pub fn resolver(mut self, resolver: impl Resolve + 'static) -> Self {
        self.host.http = Arc::new(Clients::new(Arc::new(resolver)));
        self
    }

    /// Sets the user interface for the questions of hooks (Q1). Default: none (Q3).
    pub fn ask_user(mut self, user: impl AskUser + 'static) -> Self {
        self.host.ask_user = Some(Arc::new(user));
        self
    }

    /// Sets the reader of a session's conversation. Default: the transcript that the event names (H7).
    #[cfg(feature = "models")]
    pub fn conversations(mut self, conversations: impl Conversations + 'static) -> Self {
        self.host.conversations = Arc::new(conversations);
        self
    }

    /// Adds an observer of everything that happens.
    pub fn observe(mut self, observer: impl Observer + 'static) -> Self {
        self.observers.push(Arc::new(observer));
        self
    }

    /// Sets the log of verdicts. Without one, a configuration that requires it blocks all events that can be blocked
    /// (G6).
    pub fn audit(mut self, log: Arc<dyn AuditLog>) -> Self {
        self.host.audit = Some(log);
        self
    }

    /// Sets the means to take rights away from the processes of hooks. Default: none; hooks of plugins that must be
    /// contained don't run, and block (E5).
    pub fn confine_hooks(mut self, confinement: Arc<dyn HookConfinement>) -> Self {
        self.host.confinement = Some(confinement);
        self
    }

    /// Sets the means to start the commands of hooks ahead of their events, once they are hot: the same command has run
    /// twice, and took long enough. Default: none; each command is started for its event (H3).
    pub fn start_hooks_ahead(mut self, standbys: Arc<dyn HookStandbys>) -> Self {
        self.host.standbys = Some(standbys);
        self
    }

    /// Sets whether the host runs calls with the rights that hooks leave to them: it hands those of
    /// [`crate::HostOperations::call_rights`] to the tool, and the tool says that it enforces them
    /// ([`crate::Tool::enforces_rights`]). Default: no, and such a call is denied (E5).
    pub fn enforces_rights(mut self, enforces: bool) -> Self {
        self.host.enforces_rights = enforces;
        self
    }

    /// Sets the tools whose calls the host passes on together with the rights that hooks leave to them, for another
    /// program to run: the host rewrites the call so that it runs with [`crate::HostOperations::call_rights`] and no
    /// more, and denies one that it can't rewrite. Default: none, and such a call is denied (E5, E6).
    pub fn carries_rights(mut self, tools: &'static [&'static str]) -> Self {
        self.host.carries_rights = tools;
        self
    }

    /// Sets an interceptor of the runs of handlers, for tests of hooks. Default: none; every run is real.
    pub fn intercept(mut self, interceptor: Arc<dyn RunInterceptor>) -> Self {
        self.host.interceptor = Some(interceptor);
        self
    }

    /// Changes or removes handlers of the configuration when it is loaded, for tests of hooks;
    /// [`crate::HostOperations::reload`] loads it unchanged.
    pub fn amend_hooks(
        mut self,
        amendment: impl Fn(Handler) -> Option<Handler> + Send + Sync + 'static,
    ) -> Self {
        self.amendment = Some(Box::new(amendment));
        self
    }

    /// Reads the configuration and compiles it. The only I/O is the reading of settings files.
    ///
    /// # Errors
    /// Returns a [`StartError`] if a managed file may be incomplete (C7b) or, under `strict`, on any error (C7). Every
    /// other problem is a diagnostic of [`Engine::config`], and the valid entries work.
    pub fn build(self) -> Result<Engine, StartError> {
        let loaded = self.load()?;
        Ok(self.build_with(&loaded))
    }

    /// Reads and compiles the configuration, for several engines.
    ///
    /// # Errors
    /// Errors in the same cases as [`Builder::build`].
    pub fn load(&self) -> Result<LoadedConfig, StartError> {
        let files = config::load(&self.request);
        let config = Arc::new(config::resolve(&files));
        match &config.stops_start {
            Some(stop) => Err(StartError { why: stop.to_string(), config }),
            None => Ok(LoadedConfig { files: Arc::new(files), config }),
        }
    }

    /// Builds an engine with a configuration that was loaded before. The project, environment and sources of that
    /// configuration apply; those of this builder are ignored.
    pub fn build_with(mut self, loaded: &LoadedConfig) -> Engine {
        self.request = loaded.files.request.clone();
        let LoadedConfig { files, mut config } = loaded.clone();
        if let Some(amendment) = &self.amendment {
            let hooks = Arc::new(config.hooks.amended(amendment));
            Arc::make_mut(&mut config).hooks = hooks;
        }
        Engine::from_parts(Parts { loaded: files, config, builder: self })
    }
}

/// A configuration that is read and compiled ([`Builder::load`]).
#[derive(Debug, Clone)]
pub struct LoadedConfig {
    files: Arc<config::LoadedFiles>,
    config: Arc<config::Config>,
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("request", &self.request).finish_non_exhaustive()
    }
}

/// The error for a configuration that forbids the start.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
#[non_exhaustive]
pub struct StartError {
    /// The file or switch, and the reason.
    pub why: String,
    /// The configuration as read, with every diagnostic.
    pub config: Arc<config::Config>,
}
