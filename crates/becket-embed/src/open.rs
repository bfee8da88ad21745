//! What a session, and a hook that a program registers, can want. A field that nobody knows is an error: a guard that is
//! misspelt must not be left out.

use becket_model::OnFailure;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What a session wants.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Open {
    /// The directory in which the session starts, absolute: the project whose settings count.
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
    /// The same as a file.
    #[serde(default)]
    pub settings_file: Option<PathBuf>,
    /// The MCP servers that `mcp_tool` hooks may call, by their names, as they stand under `mcpServers` of an `.mcp.json`: each is
    /// connected when a hook calls the first of them, and ended with the session. Default: those of the host, if it has any.
    #[serde(default)]
    pub mcp_servers: Option<Map<String, Value>>,
    /// The same as a file like `.mcp.json`. No such file is looked for.
    #[serde(default)]
    pub mcp_config: Option<PathBuf>,
    /// Which settings files are read; default: all. Managed ones always are.
    #[serde(default)]
    pub setting_sources: Option<Vec<Source>>,
    /// More plugins, by their directories.
    #[serde(default)]
    pub plugin_dirs: Vec<PathBuf>,
    /// Whether an error in the configuration keeps the session from being opened.
    #[serde(default)]
    pub strict: bool,
    /// Whether events wait for `async`, `asyncRewake` and self-announced hooks, whose answers then count like any other's: for a
    /// client that can't go on in the background.
    #[serde(default)]
    pub wait_for_async: bool,
    /// Whether the folder is trusted, so that what it brings along may grant something; default: it is.
    #[serde(default)]
    pub trust: Option<bool>,
    /// Whether the client asks its user: an ask stands, and it is asked the questions of hooks. Else an ask is a denial,
    /// and a question is answered with null.
    #[serde(default)]
    pub interactive: bool,
    /// The permission mode of events that name none.
    #[serde(default)]
    pub permission_mode: Option<Mode>,
    /// Where the conversation is stored, for events that don't say.
    #[serde(default)]
    pub transcript_path: Option<PathBuf>,
    /// Variables that hooks and MCP servers see beside those of the host; null takes one out.
    #[serde(default)]
    pub env: BTreeMap<String, Option<String>>,
    /// Where the session keeps private files of hooks, and says what runs in the background; default: a directory that goes
    /// with the host.
    #[serde(default)]
    pub session_dir: Option<PathBuf>,
}

/// A kind of settings files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The user's own.
    User,
    /// The project's, shared.
    Project,
    /// The project's, of this machine.
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
    /// Asks for what is not allowed.
    Default,
    /// Nothing is changed.
    Plan,
    /// Edits of files pass.
    AcceptEdits,
    /// What a classifier lets pass goes on.
    Auto,
    /// Whatever would be asked is denied.
    DontAsk,
    /// Nothing is asked.
    BypassPermissions,
}

impl Mode {
    /// As hooks read it.
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

/// The meaning of a failure of a client's hook.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Failing {
    /// It decides nothing and is reported.
    Continue,
    /// A block where O10 lets it count.
    Block,
}

impl From<Failing> for OnFailure {
    fn from(failing: Failing) -> Self {
        match failing {
            Failing::Continue => OnFailure::Continue,
            Failing::Block => OnFailure::Block,
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
    /// Which values of the event's subject it runs for, as in a settings file; none: all.
    pub matcher: Option<String>,
    /// A permission rule that the tool call has to match.
    pub condition: Option<String>,
    /// Its place among the program's hooks; lower comes first.
    #[serde(default)]
    pub order: i64,
    /// Its time limit in seconds; none: that of a command.
    pub timeout: Option<f64>,
    /// The meaning of its failure; none: PreToolUse is denied and a prompt is rejected, elsewhere it is reported (H9).
    #[serde(default)]
    pub on_failure: Option<Failing>,
}
