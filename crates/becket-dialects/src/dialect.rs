//! The table of one agent: its events, tools, modes and time limits, and the answers that it accepts.

use crate::answer::AnswerParts;
use crate::{Answer, AnswerForm, Effect, McpFiles, McpNames, ToolRow};
use becket_model::EventKind;
use serde_json::{Map, Value};
use std::time::Duration;

/// Everything that is particular to the hooks of one agent.
#[derive(Debug)]
pub struct Dialect {
    /// The name for the command line: `gemini`.
    pub name: &'static str,
    /// The name of the product: `Gemini CLI`.
    pub title: &'static str,
    /// The version that the table describes.
    pub version: &'static str,
    /// The evidence for the table.
    pub proof: Proof,
    /// The variables that name the project; the first one set counts.
    pub project_variables: &'static [&'static str],
    /// The agent's time limit for a hook.
    pub timeout: HostTimeout,
    /// The signs of its payloads: all of one list must be present.
    pub signs: &'static [&'static [Sign]],
    /// Fields of the payload that have another name in the protocol: theirs, ours.
    pub fields: &'static [(&'static str, &'static str)],
    /// Values that have another name in the protocol: our field, their value, our value.
    pub values: &'static [(&'static str, &'static str, &'static str)],
    /// The events that fire hooks.
    pub events: &'static [EventRow],
    /// Events that only inform and that no event of the protocol corresponds to: nothing runs, nothing is answered.
    pub informative: &'static [&'static str],
    /// Every tool of the version.
    pub tools: &'static [ToolRow],
    /// The names of tools of MCP servers.
    pub mcp: McpNames,
    /// The files in which the agent's own configuration names MCP servers.
    pub mcp_files: McpFiles,
    /// Moves nested fields of the payload to where the protocol has them.
    pub(crate) reshape: fn(&mut Map<String, Value>),
    /// Writes an answer that has been made safe.
    pub(crate) write: fn(&AnswerParts<'_>) -> Answer,
    /// The effect of the forms of an answer to a tool call; a form that is missing here runs the call.
    pub effects: &'static [(AnswerForm, Effect)],
    /// Further notes for the documentation.
    pub notes: &'static [&'static str],
}

/// The evidence for a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The agent itself was run, and the effects were checked.
    Run,
    /// The agent's public documentation; it was not run.
    Documented,
}

/// An agent's time limit for a hook. Every agent runs the call when its hook exceeds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostTimeout {
    /// The limit of a hook that names none.
    pub default: Duration,
    /// The longest limit that a hook may name, if there is one.
    pub max: Option<Duration>,
    /// The unit of the number in the agent's configuration.
    pub unit: TimeUnit,
}

impl HostTimeout {
    pub(crate) const fn seconds(default: u64) -> Self {
        HostTimeout { default: Duration::from_secs(default), max: None, unit: TimeUnit::Seconds }
    }

    pub(crate) const fn up_to(self, max: u64) -> Self {
        HostTimeout { max: Some(Duration::from_secs(max)), ..self }
    }

    pub(crate) const fn millis(default: u64) -> Self {
        HostTimeout { default: Duration::from_millis(default), max: None, unit: TimeUnit::Milliseconds }
    }
}

/// The unit of a time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
}

/// A sign by which payloads of an agent are distinguished from those of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// The payload has this field.
    Has(&'static str),
    /// The payload does not have this field.
    Lacks(&'static str),
    /// A field has this text as its value.
    Is(&'static str, &'static str),
    /// The name of the event is one of these.
    Event(&'static [&'static str]),
    /// The process has this variable.
    Variable(&'static str),
}

/// One event of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventRow {
    /// The name in payloads.
    pub native: &'static str,
    /// The event of the protocol.
    pub kind: EventKind,
    /// The parts of an answer that the agent honours.
    pub supports: AnswerSupport,
    /// Fields that the event implies: our field, value.
    pub implies: &'static [(&'static str, &'static str)],
    /// Set if the agent reports the event again after every tool result, with an empty prompt: then nothing runs.
    pub repeats_without_prompt: bool,
}

impl EventRow {
    pub(crate) const fn new(native: &'static str, kind: EventKind, supports: AnswerSupport) -> Self {
        EventRow { native, kind, supports, implies: &[], repeats_without_prompt: false }
    }

    /// Creates a row of an event that has the protocol's name.
    pub(crate) const fn named(kind: EventKind, supports: AnswerSupport) -> Self {
        EventRow::new(kind.name(), kind, supports)
    }

    /// Adds fields that the payload does not have.
    pub(crate) const fn implying(self, implies: &'static [(&'static str, &'static str)]) -> Self {
        EventRow { implies, ..self }
    }

    /// Marks the event as one that the agent reports again without a prompt.
    pub(crate) const fn repeated_without_prompt(self) -> Self {
        EventRow { repeats_without_prompt: true, ..self }
    }
}

/// The parts of an answer that an agent honours on one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerSupport {
    /// A denial or a block takes effect, and its reason reaches the model (or, for a prompt, the user).
    pub refusal: bool,
    /// The form of an ask.
    pub ask: AskForm,
    /// A rewritten input replaces the model's.
    pub rewrite: bool,
    /// A rewrite also allows the call: it counts only beside an allow.
    pub rewrite_allows: bool,
    /// Text for the model.
    pub context: bool,
    /// `continue: false`.
    pub stop: bool,
    /// Text for the user.
    pub message: bool,
    /// The form of an output that replaces the tool's.
    pub output: OutputForm,
}

/// An agent's form of an output that replaces the tool's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputForm {
    /// None: the model reads the original.
    None,
    /// A field of its own.
    Field,
    /// The reason of a block, which the model reads instead of the original.
    Block,
    /// The reason of `continue: false`, which the model reads instead of the original: the agent does not stop.
    Stop,
}

/// An agent's handling of an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskForm {
    /// It runs the call.
    None,
    /// It asks the user; without one, it ends the whole run.
    EndsRun,
    /// It asks the user; without one, it denies the call.
    Kept,
    /// It does the same as `Kept`, and it shows and runs the rewritten call.
    KeptWithRewrite,
}

impl AnswerSupport {
    /// No part at all.
    pub(crate) const NOTHING: AnswerSupport = AnswerSupport {
        refusal: false,
        ask: AskForm::None,
        rewrite: false,
        rewrite_allows: false,
        context: false,
        stop: false,
        message: false,
        output: OutputForm::None,
    };
    /// Every part but an ask.
    pub(crate) const ALL: AnswerSupport = AnswerSupport {
        refusal: true,
        ask: AskForm::None,
        rewrite: true,
        rewrite_allows: false,
        context: true,
        stop: true,
        message: true,
        output: OutputForm::Field,
    };

    pub(crate) const fn refusal(self) -> Self {
        AnswerSupport { refusal: true, ..self }
    }

    pub(crate) const fn ask(self, ask: AskForm) -> Self {
        AnswerSupport { ask, ..self }
    }

    pub(crate) const fn rewrite(self) -> Self {
        AnswerSupport { rewrite: true, ..self }
    }

    pub(crate) const fn rewrite_beside_allow(self) -> Self {
        AnswerSupport { rewrite: true, rewrite_allows: true, ..self }
    }

    pub(crate) const fn context(self) -> Self {
        AnswerSupport { context: true, ..self }
    }

    pub(crate) const fn stop(self) -> Self {
        AnswerSupport { stop: true, ..self }
    }

    pub(crate) const fn message(self) -> Self {
        AnswerSupport { message: true, ..self }
    }

    pub(crate) const fn output(self, output: OutputForm) -> Self {
        AnswerSupport { output, ..self }
    }
}

impl Dialect {
    /// Returns the row of an event by its name in payloads.
    pub fn event(&self, native: &str) -> Option<&'static EventRow> {
        self.events.iter().find(|row| row.native == native)
    }

    /// Returns the first row of an event of the protocol; `None` if the agent does not fire it.
    pub fn row_of(&self, kind: EventKind) -> Option<&'static EventRow> {
        self.events.iter().find(|row| row.kind == kind)
    }

    /// Returns the row of a tool by its name in payloads.
    pub fn tool(&self, native: &str) -> Option<&'static ToolRow> {
        self.tools.iter().find(|row| row.native == native)
    }

    /// Returns the name of the event in a payload.
    pub fn event_name<'p>(&self, payload: &'p Value) -> Option<&'p str> {
        let own =
            self.fields.iter().filter(|(_, ours)| *ours == "hook_event_name").map(|(theirs, _)| *theirs);
        own.chain(["hook_event_name"]).find_map(|field| payload.get(field)?.as_str())
    }

    /// Returns the effect of an answer to a tool call.
    pub fn effect_of(&self, answer: &Answer) -> Effect {
        let form = AnswerForm::of(answer);
        let listed = self.effects.iter().find(|(listed, _)| *listed == form);
        listed.map_or(Effect::Runs, |(_, effect)| *effect)
    }
}
