//! The input of a session's printers, in one order.

use super::result::RunResult;
use super::system_line::Init;
use becket_agent::update::Update;
use becket_engine::RunEvent;
use serde_json::Value;

/// One item of the output.
#[derive(Debug, Clone)]
pub(crate) enum SessionEvent {
    /// The session is open; sent for each prompt, since its facts may have changed.
    Opened(Box<PromptStart>),
    /// An update of the conversation.
    Update(Box<Update>),
    /// An event of a hook.
    Hook(Box<RunEvent>),
    /// A line for the program that started this one: a request, or an answer to one.
    Control(Box<Value>),
    /// The host has requested the messages of subagents as well.
    SubagentsWanted,
    /// The session has begun to work, waits for the host, or is idle.
    State(SessionState),
    /// A prompt is done.
    Ended(Box<RunResult>),
}

/// The state of a session that a program drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SessionState {
    /// `running`, `requires_action` or `idle`.
    pub(crate) name: &'static str,
    /// True if only the SDK reads the state, and not its application.
    pub(crate) for_sdk: bool,
}

/// A prompt that begins.
#[derive(Debug, Clone)]
pub(crate) struct PromptStart {
    /// The facts of the session.
    pub(crate) init: Init,
    /// The prompt as typed.
    pub(crate) prompt: String,
}
