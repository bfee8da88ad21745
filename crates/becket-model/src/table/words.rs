//! The vocabulary of the table. Each enum is closed: a new effect is a new variant, and every reader of the table has
//! to handle it.

use crate::EventKind;
use serde::Serialize;

/// The seven families of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Family {
    Session,
    Tool,
    Permission,
    Agents,
    Context,
    Environment,
    Mcp,
}

/// The value that a matcher of the event is tested against (M6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatcherSpec {
    /// The input field; of `file_path` the base name counts.
    pub field: &'static str,
    /// The characters that make a matcher a list of names (M2, M5).
    pub alphabet: Alphabet,
    /// The values that are known to occur; empty if the set is open.
    pub values: &'static [&'static str],
}

/// The characters that make a matcher a list of names rather than an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Alphabet {
    /// Letters, digits, `_`, `-`, space, `,` and `|` (M2).
    Wide,
    /// Letters, digits, `_` and `|` (M5).
    Narrow,
}

/// The optional common fields in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carries {
    /// `permission_mode`
    pub permission_mode: bool,
    /// `effort`
    pub effort: bool,
}

/// One field of an input or output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldSpec {
    /// Its name on the wire.
    pub name: &'static str,
    /// Its JSON type.
    pub kind: FieldType,
    /// Set if it is always present.
    pub required: bool,
    /// Its meaning.
    pub doc: &'static str,
    /// The allowed texts; empty if any text is. Answers are checked against them (O5), inputs are not: a host may send
    /// values that are newer than this table.
    pub values: &'static [&'static str],
    /// The fields within, if it is an object of a known shape.
    pub fields: &'static [FieldSpec],
    /// Set if it restricts rights: a value that can't be read blocks the event, instead of voiding the answer (E5).
    pub restricts: bool,
}

impl FieldSpec {
    /// Returns the field, restricted to these texts.
    pub(super) const fn one_of(self, values: &'static [&'static str]) -> Self {
        FieldSpec { values, ..self }
    }

    /// Returns the field as an object with these fields.
    pub(super) const fn holding(self, fields: &'static [FieldSpec]) -> Self {
        FieldSpec { fields, ..self }
    }

    /// Returns the field, marked as one that restricts rights.
    pub(super) const fn restricting(self) -> Self {
        FieldSpec { restricts: true, ..self }
    }
}

/// JSON types as the table names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum FieldType {
    String,
    StringOrNull,
    Strings,
    Number,
    Integer,
    Boolean,
    Object,
    Objects,
    Any,
}

impl FieldType {
    /// Returns the type as `events` and error messages spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            FieldType::String => "string",
            FieldType::StringOrNull => "string or null",
            FieldType::Strings => "list of strings",
            FieldType::Number => "number",
            FieldType::Integer => "integer",
            FieldType::Boolean => "boolean",
            FieldType::Object => "object",
            FieldType::Objects => "list of objects",
            FieldType::Any => "any value",
        }
    }
}

/// The decisions of an event's hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionModel {
    /// Nothing: hooks only receive the event.
    None,
    /// Nothing, but hooks may give the model context.
    Context,
    /// Block by `decision: "block"` or exit 2.
    Block,
    /// Allow, deny, ask or defer a tool call.
    Permission,
    /// Answer a permission prompt.
    PermissionRequest,
    /// A flag for the model: it may try a denied call again.
    Retry,
    /// Block by `decision: "block"` or exit 2; `continue: false` has no effect.
    Task,
    /// Block by exit 2 alone; `continue: false` stops the teammate.
    ContinueOnly,
    /// The text that is shown instead.
    Display,
    /// The path of a worktree.
    Path,
    /// Answer an MCP server's question.
    Elicitation,
}

/// The effect of exit code 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit2 {
    /// The effect.
    pub effect: Exit2Effect,
    /// The audience of stderr.
    pub audience: Audience,
}

/// The effect of exit code 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Exit2Effect {
    /// None; stderr is shown as the table says.
    Proceed,
    /// None at all.
    Ignored,
    /// The tool call does not run.
    DenyTool,
    /// The prompt is erased.
    RejectPrompt,
    /// The command is not expanded.
    BlockExpansion,
    /// The turn continues with the message.
    ContinueTurn,
    /// The model reads the message; nothing is undone.
    Feedback,
    /// The loop ends before the next request.
    StopLoop,
    /// The task is not created.
    Rollback,
    /// The task stays open.
    RefuseCompletion,
    /// The teammate continues.
    KeepWorking,
    /// The conversation is not compacted.
    BlockCompaction,
    /// The model does not change.
    BlockSwitch,
    /// The settings do not change.
    BlockChange,
    /// No worktree is created.
    FailCreation,
    /// The question is declined.
    Decline,
}

impl Exit2Effect {
    /// Returns whether exit 2 holds something back on this event (O3); elsewhere its stderr is only shown.
    pub const fn blocks(self) -> bool {
        !matches!(self, Exit2Effect::Proceed | Exit2Effect::Ignored)
    }
}

/// The audience of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Audience {
    None,
    User,
    Model,
    Both,
    Log,
}

/// The effect of plain text on stdout with exit 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PlainStdout {
    /// Context for the model.
    Context,
    /// Shown to the user.
    User,
    /// Only logged.
    Log,
    /// Its last line that is not empty is a path.
    Path,
}

/// The universal output fields that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Honours {
    /// `continue: false`
    pub stop: bool,
    /// `systemMessage`
    pub system_message: bool,
}

/// The kinds of handlers that a settings file can contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HandlerKind {
    /// A process.
    Command,
    /// A POST request.
    Http,
    /// A tool of a connected MCP server.
    McpTool,
    /// One request to a model.
    Prompt,
    /// A model with tools.
    Agent,
}

impl HandlerKind {
    /// All kinds.
    pub const ALL: [HandlerKind; 5] = [
        HandlerKind::Command,
        HandlerKind::Http,
        HandlerKind::McpTool,
        HandlerKind::Prompt,
        HandlerKind::Agent,
    ];

    /// Returns the `type` of a handler in a settings file.
    pub const fn name(self) -> &'static str {
        match self {
            HandlerKind::Command => "command",
            HandlerKind::Http => "http",
            HandlerKind::McpTool => "mcp_tool",
            HandlerKind::Prompt => "prompt",
            HandlerKind::Agent => "agent",
        }
    }
}

/// The effect of a model's `ok: false` (H7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelNotOk {
    /// Deny the call and end the turn; feedback instead under `continueOnBlock`.
    DenyAndEndTurn,
    /// End the turn with a warning; feedback instead under `continueOnBlock`.
    EndTurnWithWarning,
    /// End the turn, always.
    EndTurnAlways,
    /// An error of the tool; work continues.
    ToolError,
    /// The turn continues with the reason.
    ContinueTurnWithReason,
    /// The teammate stops; feedback instead under `continueOnBlock`.
    StopTeammate,
    /// Nothing.
    Ignored,
}

/// The effect of `onFailure: "block"` on a failed handler (O10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailureEffect {
    /// No effect on this event (`check` warns).
    Nothing,
    /// A block with the failure as its reason.
    Block,
}

impl std::fmt::Display for HandlerKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the events on which `onFailure` counts, for messages.
pub fn on_failure_events() -> impl Iterator<Item = EventKind> {
    EventKind::ALL.into_iter().filter(|kind| kind.spec().on_failure != OnFailureEffect::Nothing)
}
