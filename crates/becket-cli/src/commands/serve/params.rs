//! What comes with a request, as it stands on the wire. A field that nobody knows is an error: a guard that is misspelt
//! must not be left out.

use becket_model::OnFailure;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// `initialize`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Initialize {
    /// The version of the protocol that the client speaks: 1.
    pub(super) protocol: u64,
    /// Who the client is; nothing depends on it.
    #[serde(default, rename = "client")]
    pub(super) _client: Option<String>,
}

/// `session/open`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Open {
    /// The directory in which the session starts, absolute: the project whose settings count.
    pub(super) start: PathBuf,
    /// The session's id, as hooks see it; default: a new one.
    #[serde(default)]
    pub(super) session: Option<String>,
    /// The dialect; default: that of `becket serve --profile`.
    #[serde(default)]
    pub(super) profile: Option<Profile>,
    /// More settings (source `flag`).
    #[serde(default)]
    pub(super) settings: Option<Map<String, Value>>,
    /// The same as a file.
    #[serde(default)]
    pub(super) settings_file: Option<PathBuf>,
    /// More plugins, by their directories.
    #[serde(default)]
    pub(super) plugin_dirs: Vec<PathBuf>,
    /// Whether an error in the configuration keeps the session from being opened.
    #[serde(default)]
    pub(super) strict: bool,
    /// Whether the user trusts the folder, so that what it brings along may grant something; default: what the user's own
    /// file records.
    #[serde(default)]
    pub(super) trust: Option<bool>,
    /// Whether the client asks its user: an ask stands, and questions of hooks come as `question/ask`. Else an ask is a denial,
    /// and a question is answered with null.
    #[serde(default)]
    pub(super) interactive: bool,
    /// The permission mode of events that name none.
    #[serde(default)]
    pub(super) permission_mode: Option<Mode>,
    /// Where the conversation is stored, for events that don't say.
    #[serde(default)]
    pub(super) transcript_path: Option<PathBuf>,
    /// Variables that hooks see beside those of `becket serve`; null takes one out.
    #[serde(default)]
    pub(super) env: BTreeMap<String, Option<String>>,
    /// Where the session keeps private files of hooks, and says what runs in the background; default: a directory that goes
    /// with `becket serve`.
    #[serde(default)]
    pub(super) session_dir: Option<PathBuf>,
}

/// A dialect.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Profile {
    Claude,
    Agent,
    Becket,
}

/// A permission mode.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) enum Mode {
    Default,
    Plan,
    AcceptEdits,
    Auto,
    DontAsk,
    BypassPermissions,
}

impl Mode {
    /// As hooks read it.
    pub(super) const fn as_str(self) -> &'static str {
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

/// `session/reload`, `session/env_files`, `session/close`, `events/subscribe`, `events/unsubscribe`, `background/take`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OfSession {
    /// The session.
    pub(super) session: String,
}

/// `event/fire`, `event/plan`, `event/explain`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OfEvent {
    /// The session.
    pub(super) session: String,
    /// The event's name.
    pub(super) event: String,
    /// The event's fields, as a hook reads them (`schemas/input`). `hook_event_name` and the session's own facts may be left
    /// out.
    #[serde(default)]
    pub(super) input: Map<String, Value>,
}

/// `hooks/register`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Register {
    /// The session.
    pub(super) session: String,
    /// The client's own name for the hook; comes with each `hook/call`.
    pub(super) id: String,
    /// The event's name.
    pub(super) event: String,
    /// Which values of the event's subject it runs for, as in a settings file; default: all.
    #[serde(default)]
    pub(super) matcher: Option<String>,
    /// A permission rule that the tool call has to match.
    #[serde(default, rename = "if")]
    pub(super) condition: Option<String>,
    /// Its place among the client's hooks; lower comes first.
    #[serde(default)]
    pub(super) order: i64,
    /// Its time limit in seconds; default: that of a command.
    #[serde(default)]
    pub(super) timeout: Option<f64>,
    /// What a failure means on the events where it would only be reported.
    #[serde(default)]
    pub(super) on_failure: Failing,
}

/// What a failure of a client's hook means.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Failing {
    /// What the event says: PreToolUse is denied, a prompt is rejected, elsewhere it is reported.
    #[default]
    Continue,
    /// A block on all events that can be blocked.
    Block,
}

impl From<Failing> for OnFailure {
    fn from(failing: Failing) -> Self {
        match failing {
            Failing::Continue => OnFailure::Open,
            Failing::Block => OnFailure::Block,
        }
    }
}

/// `hooks/unregister`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Unregister {
    /// The session.
    pub(super) session: String,
    /// The hook.
    pub(super) id: String,
}

/// `$/cancel`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Cancel {
    /// The id of the request.
    pub(super) id: Value,
}
