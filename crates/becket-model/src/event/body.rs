//! The enum over all events and its plain kind, from one list.

use super::{agents, context, environment, lifecycle, mcp, permission, tool};
use std::fmt;
use std::str::FromStr;

macro_rules! events {
    ($($name:ident in $family:ident),* $(,)?) => {
        /// The lifecycle point of an event; the names are those of the configuration.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "the event table documents each: EventKind::spec().summary")]
        pub enum EventKind { $($name),* }

        impl EventKind {
            /// All events, in the order of the table.
            pub const ALL: [EventKind; 33] = [$(EventKind::$name),*];

            /// Returns the name, as configurations and inputs spell it.
            pub const fn name(self) -> &'static str {
                match self { $(EventKind::$name => stringify!($name)),* }
            }
        }

        /// An event's own fields: one struct for each kind.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "each variant holds the struct of the same name, which is documented")]
        pub enum EventBody { $($name($family::$name)),* }

        impl EventBody {
            /// Returns the kind of the event.
            pub const fn kind(&self) -> EventKind {
                match self { $(EventBody::$name(_) => EventKind::$name),* }
            }
        }

        $(impl From<$family::$name> for EventBody {
            fn from(body: $family::$name) -> Self {
                EventBody::$name(body)
            }
        })*

        /// Serializes the body's fields as on the wire, without the common ones.
        pub(crate) fn serialize_fields<S: serde::Serializer>(body: &EventBody, to: S) -> Result<S::Ok, S::Error> {
            match body { $(EventBody::$name(fields) => serde::Serialize::serialize(fields, to)),* }
        }

        /// Reads a body of `kind` from the fields of an input.
        pub(crate) fn deserialize_fields<'de, D: serde::Deserializer<'de>>(
            kind: EventKind,
            from: D,
        ) -> Result<EventBody, D::Error> {
            Ok(match kind {
                $(EventKind::$name => EventBody::$name(serde::Deserialize::deserialize(from)?)),*
            })
        }

        /// Returns the JSON Schema of the body of `kind`.
        pub(crate) fn fields_schema(kind: EventKind, generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
            match kind {
                $(EventKind::$name => <$family::$name as schemars::JsonSchema>::json_schema(generator)),*
            }
        }
    };
}

events! {
    Setup in lifecycle,
    SessionStart in lifecycle,
    SessionEnd in lifecycle,
    UserPromptSubmit in lifecycle,
    UserPromptExpansion in lifecycle,
    Stop in lifecycle,
    StopFailure in lifecycle,
    PreToolUse in tool,
    PostToolUse in tool,
    PostToolUseFailure in tool,
    PostToolBatch in tool,
    PermissionRequest in permission,
    PermissionDenied in permission,
    Notification in permission,
    SubagentStart in agents,
    SubagentStop in agents,
    TaskCreated in agents,
    TaskCompleted in agents,
    TeammateIdle in agents,
    InstructionsLoaded in context,
    PreCompact in context,
    PostCompact in context,
    MessageDisplay in context,
    PreModelSwitch in context,
    PostModelSwitch in context,
    ConfigChange in environment,
    CwdChanged in environment,
    DirectoryAdded in environment,
    FileChanged in environment,
    WorktreeCreate in environment,
    WorktreeRemove in environment,
    Elicitation in mcp,
    ElicitationResult in mcp,
}

impl EventBody {
    /// Returns the value that a matcher is tested against (M6); `None` if the event has no matcher.
    pub fn subject(&self) -> Option<&str> {
        Some(match self {
            EventBody::Setup(e) => &e.trigger,
            EventBody::SessionStart(e) => &e.source,
            EventBody::SessionEnd(e) => &e.reason,
            EventBody::UserPromptExpansion(e) => &e.command_name,
            EventBody::StopFailure(e) => &e.error,
            EventBody::PreToolUse(e) => &e.tool_name,
            EventBody::PostToolUse(e) => &e.tool_name,
            EventBody::PostToolUseFailure(e) => &e.tool_name,
            EventBody::PermissionRequest(e) => &e.tool_name,
            EventBody::PermissionDenied(e) => &e.tool_name,
            EventBody::Notification(e) => &e.notification_type,
            EventBody::SubagentStart(e) => &e.agent_type,
            EventBody::SubagentStop(e) => &e.agent_type,
            EventBody::InstructionsLoaded(e) => &e.load_reason,
            EventBody::PreCompact(e) => &e.trigger,
            EventBody::PostCompact(e) => &e.trigger,
            EventBody::PreModelSwitch(e) => &e.to_model,
            EventBody::PostModelSwitch(e) => &e.to_model,
            EventBody::ConfigChange(e) => &e.source,
            EventBody::DirectoryAdded(e) => &e.source,
            EventBody::FileChanged(e) => base_name(&e.file_path),
            EventBody::Elicitation(e) => &e.mcp_server_name,
            EventBody::ElicitationResult(e) => &e.mcp_server_name,
            EventBody::UserPromptSubmit(_)
            | EventBody::Stop(_)
            | EventBody::PostToolBatch(_)
            | EventBody::TaskCreated(_)
            | EventBody::TaskCompleted(_)
            | EventBody::TeammateIdle(_)
            | EventBody::MessageDisplay(_)
            | EventBody::CwdChanged(_)
            | EventBody::WorktreeCreate(_)
            | EventBody::WorktreeRemove(_) => return None,
        })
    }

    /// Returns the tool call that the event is about: the tool's name and its input.
    pub fn tool_call(&self) -> Option<(&str, &serde_json::Map<String, serde_json::Value>)> {
        match self {
            EventBody::PreToolUse(e) => Some((&e.tool_name, &e.tool_input)),
            EventBody::PostToolUse(e) => Some((&e.tool_name, &e.tool_input)),
            EventBody::PostToolUseFailure(e) => Some((&e.tool_name, &e.tool_input)),
            EventBody::PermissionRequest(e) => Some((&e.tool_name, &e.tool_input)),
            EventBody::PermissionDenied(e) => Some((&e.tool_name, &e.tool_input)),
            EventBody::Setup(_)
            | EventBody::SessionStart(_)
            | EventBody::SessionEnd(_)
            | EventBody::UserPromptSubmit(_)
            | EventBody::UserPromptExpansion(_)
            | EventBody::Stop(_)
            | EventBody::StopFailure(_)
            | EventBody::PostToolBatch(_)
            | EventBody::Notification(_)
            | EventBody::SubagentStart(_)
            | EventBody::SubagentStop(_)
            | EventBody::TaskCreated(_)
            | EventBody::TaskCompleted(_)
            | EventBody::TeammateIdle(_)
            | EventBody::InstructionsLoaded(_)
            | EventBody::PreCompact(_)
            | EventBody::PostCompact(_)
            | EventBody::MessageDisplay(_)
            | EventBody::PreModelSwitch(_)
            | EventBody::PostModelSwitch(_)
            | EventBody::ConfigChange(_)
            | EventBody::CwdChanged(_)
            | EventBody::DirectoryAdded(_)
            | EventBody::FileChanged(_)
            | EventBody::WorktreeCreate(_)
            | EventBody::WorktreeRemove(_)
            | EventBody::Elicitation(_)
            | EventBody::ElicitationResult(_) => None,
        }
    }
}

/// Returns the last part of a path of either platform.
fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// A name that is not one of the 33 events.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an event")]
pub struct UnknownEvent(pub String);

impl FromStr for EventKind {
    type Err = UnknownEvent;

    fn from_str(name: &str) -> Result<Self, UnknownEvent> {
        EventKind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| UnknownEvent(name.to_owned()))
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
