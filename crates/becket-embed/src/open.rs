//! The options of a session, and of a hook that a program registers. An unknown field is an error: a misspelt guard must not
//! be left out.

use becket_model::OnFailure;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The options of a session.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Open {
    /// The directory in which the session starts, absolute. Its project provides the settings.
    pub start: PathBuf,
    /// The session's id, as hooks see it; default: a new one.
    #[serde(default)]
    pub session: Option<String>,
    /// The dialect; default: that of the host.
    #[serde(default)]
    pub profile: Option<Profile>,
    /// More settings (source `flag`).
    #[serde(default)]
    pub settings: Option<Map<String, Value>>,
    /// More settings, as a file.
    #[serde(default)]
    pub settings_file: Option<PathBuf>,
    /// The MCP servers that `mcp_tool` hooks may call, by name, in the format of `mcpServers` in an `.mcp.json`. They
    /// are connected when a hook first calls one of them, and ended with the session. Default: those of the host, if it
    /// has any.
    #[serde(default)]
    pub mcp_servers: Option<Map<String, Value>>,
    /// The MCP servers, as a file like `.mcp.json`. No file is searched for.
    #[serde(default)]
    pub mcp_config: Option<PathBuf>,
    /// The settings files to read; default: all. Managed ones are always read.
    #[serde(default)]
    pub setting_sources: Option<Vec<Source>>,
    /// The directories of more plugins.
    #[serde(default)]
    pub plugin_dirs: Vec<PathBuf>,
    /// Set if an error in the configuration keeps the session from being opened.
    #[serde(default)]
    pub strict: bool,
    /// Set if events wait for `async`, `asyncRewake` and self-announced hooks, whose answers then count like any
    /// other's: for a client that can't continue in the background.
    #[serde(default)]
    pub wait_for_async: bool,
    /// Set if the folder is trusted, so that its own files may grant something; default: true.
    #[serde(default)]
    pub trust: Option<bool>,
    /// Set if the client can ask its user: an ask remains an ask, and the client receives the questions of hooks.
    /// Otherwise an ask is a denial, and a question is answered with null.
    #[serde(default)]
    pub interactive: bool,
    /// The permission mode of events that name none.
    #[serde(default)]
    pub permission_mode: Option<Mode>,
    /// The path of the stored conversation, for events that name none.
    #[serde(default)]
    pub transcript_path: Option<PathBuf>,
    /// Variables for hooks and MCP servers, in addition to those of the host; null removes one.
    #[serde(default)]
    pub env: BTreeMap<String, Option<String>>,
    /// The directory for private files of the session's hooks, and for the state of its background hooks; default: a
    /// temporary directory of the host.
    #[serde(default)]
    pub session_dir: Option<PathBuf>,
}

/// A kind of settings files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The settings of the user.
    User,
    /// The shared settings of the project.
    Project,
    /// The settings of the project on this machine.
    Local,
}

/// A dialect.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// `~/.claude`, `.claude`.
    Claude,
    /// `~/.agent`, `.agent`.
    Agent,
    /// `~/.becket`, `.becket`.
    Becket,
}

/// A permission mode.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Calls that are not allowed are asked about.
    Default,
    /// Nothing may be changed.
    Plan,
    /// Edits of files are allowed.
    AcceptEdits,
    /// Calls that a classifier accepts are allowed.
    Auto,
    /// Every call that would be asked about is denied.
    DontAsk,
    /// No call is asked about.
    BypassPermissions,
}

impl Mode {
    /// Returns its name in the input of hooks.
    pub const fn as_str(self) -> &'static str {
        match self {
            Mode::Default => "default",
            Mode::Plan => "plan",
            Mode::AcceptEdits => "acceptEdits",
            Mode::Auto => "auto",
            Mode::DontAsk => "dontAsk",
            Mode::BypassPermissions => "bypassPermissions",
        }
    }
}

/// The effect of a failure of a client's hook.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailurePolicy {
    /// The failure decides nothing and is reported.
    Continue,
    /// The failure blocks on events on which a failure can (O10).
    Block,
}

impl From<FailurePolicy> for OnFailure {
    fn from(failing: FailurePolicy) -> Self {
        match failing {
            FailurePolicy::Continue => OnFailure::Continue,
            FailurePolicy::Block => OnFailure::Block,
        }
    }
}

/// A hook of the program itself.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// The program's own name for the hook; one hook each.
    pub id: String,
    /// The event's name.
    pub event: String,
    /// The values of the event's subject that it runs for, as in a settings file; default: all.
    pub matcher: Option<String>,
    /// A permission rule that the tool call has to match.
    pub condition: Option<String>,
    /// Its position among the program's hooks; lower comes first.
    #[serde(default)]
    pub order: i64,
    /// Its time limit in seconds; default: that of a command.
    pub timeout: Option<f64>,
    /// The effect of its failure; default: PreToolUse is denied and a prompt is rejected, elsewhere it is reported
    /// (H9).
    #[serde(default)]
    pub on_failure: Option<FailurePolicy>,
}
