//! Profiles: the directories of the configuration, the names of variables, and the few rules in which the dialects
//! differ (C4, C6, D5, H11).

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

/// A dialect of the protocol. [`Profile::claude`] is the default; a host may define its own.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// Its name, as `--profile` takes it.
    pub name: Cow<'static, str>,
    /// The directory of settings, in the home and in a project: `.claude`.
    pub directory: Cow<'static, str>,
    /// The variable that replaces the user's directory, if there is one.
    pub directory_variable: Option<Cow<'static, str>>,
    /// The directory of managed settings, by platform.
    pub managed: PathBuf,
    /// The prefix of variables: `CLAUDE`.
    pub prefix: Cow<'static, str>,
    /// The prefix of variables about the session: `CLAUDE_CODE`.
    pub session_prefix: Cow<'static, str>,
    /// The variable that is `1` in every hook.
    pub marker: Cow<'static, str>,
    /// Set if a handler's `order` moves it among all handlers rather than within its source (C6).
    pub order_among_all: bool,
    /// Set if context is kept next to a deny (D5).
    pub context_on_deny: bool,
    /// Replaces the table's default time limit of commands and in-process handlers (H11).
    pub default_timeout: Option<Duration>,
}

impl Profile {
    /// Returns the profile with `.claude` and variables `CLAUDE_…`.
    pub fn claude() -> Self {
        Profile {
            name: "claude".into(),
            directory: ".claude".into(),
            directory_variable: Some("CLAUDE_CONFIG_DIR".into()),
            managed: managed("claude-code", "ClaudeCode"),
            prefix: "CLAUDE".into(),
            session_prefix: "CLAUDE_CODE".into(),
            marker: "CLAUDECODE".into(),
            order_among_all: false,
            context_on_deny: true,
            default_timeout: None,
        }
    }

    /// Returns the profile with `.agent` and variables `AGENT_…`; `order` counts among all, context is kept beside a
    /// deny, 10 s for commands.
    pub fn agent() -> Self {
        Profile {
            order_among_all: true,
            context_on_deny: false,
            default_timeout: Some(Duration::from_secs(10)),
            ..Profile::named("agent", "AGENT", managed("agent", "Agent"))
        }
    }

    /// Returns the profile with `.becket` and variables `BECKET_…`.
    pub fn becket() -> Self {
        Profile::named("becket", "BECKET", managed("becket", "Becket"))
    }

    /// Returns the profile of that name: `claude`, `agent` or `becket`.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "claude" => Some(Profile::claude()),
            "agent" => Some(Profile::agent()),
            "becket" => Some(Profile::becket()),
            _ => None,
        }
    }

    /// The names that [`Profile::from_name`] accepts.
    pub const NAMES: [&'static str; 3] = ["claude", "agent", "becket"];

    fn named(name: &'static str, prefix: &'static str, managed: PathBuf) -> Self {
        Profile {
            name: name.into(),
            directory: format!(".{name}").into(),
            directory_variable: None,
            managed,
            prefix: prefix.into(),
            session_prefix: prefix.into(),
            marker: prefix.into(),
            order_among_all: false,
            context_on_deny: true,
            default_timeout: None,
        }
    }

    /// Returns the name of one of the profile's variables: `var("PROJECT_DIR")` is `CLAUDE_PROJECT_DIR`.
    pub fn var(&self, name: &str) -> String {
        format!("{}_{name}", self.prefix)
    }

    /// Returns the name of a variable about the session: `session_var("SESSION_ID")` is `CLAUDE_CODE_SESSION_ID`.
    pub(crate) fn session_var(&self, name: &str) -> String {
        format!("{}_{name}", self.session_prefix)
    }
}

impl Default for Profile {
    fn default() -> Self {
        Profile::claude()
    }
}

/// Returns the directory for an administrator's settings on this platform.
fn managed(unix: &str, title: &str) -> PathBuf {
    if cfg!(target_os = "macos") {
        PathBuf::from("/Library/Application Support").join(title)
    } else if cfg!(windows) {
        PathBuf::from(r"C:\Program Files").join(title)
    } else {
        PathBuf::from("/etc").join(unix)
    }
}
