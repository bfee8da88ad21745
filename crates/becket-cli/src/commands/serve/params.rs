//! The parameters of requests, in their wire format. An unknown field is an error: a misspelt guard must not be left out. The
//! options of `session/open` are [`becket_embed::Open`].

use becket_embed::Registration;
use becket_embed::open::FailurePolicy;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// `initialize`
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Initialize {
    /// The version of the protocol that the client uses: 1.
    pub(super) protocol: u64,
    /// The name of the client, which has no effect.
    #[serde(default, rename = "client")]
    pub(super) _client: Option<String>,
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
    /// The client's own name for the hook; included in each `hook/call`.
    pub(super) id: String,
    /// The event's name.
    pub(super) event: String,
    /// The values of the event's subject that it runs for, as in a settings file; default: all.
    #[serde(default)]
    pub(super) matcher: Option<String>,
    /// A permission rule that the tool call has to match.
    #[serde(default, rename = "if")]
    pub(super) condition: Option<String>,
    /// Its position among the client's hooks; lower comes first.
    #[serde(default)]
    pub(super) order: i64,
    /// Its time limit in seconds; default: that of a command.
    #[serde(default)]
    pub(super) timeout: Option<f64>,
    /// The effect of its failure; default: PreToolUse is denied and a prompt is rejected, elsewhere it is reported.
    #[serde(default)]
    pub(super) on_failure: Option<FailurePolicy>,
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

impl From<Register> for Registration {
    fn from(wants: Register) -> Self {
        Registration {
            id: wants.id,
            event: wants.event,
            matcher: wants.matcher,
            condition: wants.condition,
            order: wants.order,
            timeout: wants.timeout,
            on_failure: wants.on_failure,
        }
    }
}
