//! Spellings of other agents, so that a file in their layout gets a helpful message.
//!
//! It translates nothing: a hook for another agent is not loaded.

use becket_model::EventKind;

/// An agent whose configuration people bring along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Cursor,
    Gemini,
    Copilot,
    Windsurf,
}

impl Dialect {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Dialect::Cursor => "Cursor",
            Dialect::Gemini => "Gemini CLI",
            Dialect::Copilot => "Copilot",
            Dialect::Windsurf => "Windsurf",
        }
    }
}

/// An event name of another agent: whose it is, and the event that comes nearest.
pub(crate) fn foreign_event(name: &str) -> Option<(Dialect, Option<EventKind>)> {
    FOREIGN.iter().find(|(foreign, ..)| *foreign == name).map(|(_, dialect, near)| (*dialect, *near))
}

use Dialect::{Copilot, Cursor, Gemini, Windsurf};

#[rustfmt::skip]
const FOREIGN: &[(&str, Dialect, Option<EventKind>)] = &[
    ("beforeShellExecution", Cursor, Some(EventKind::PreToolUse)),
    ("afterShellExecution", Cursor, Some(EventKind::PostToolUse)),
    ("beforeMCPExecution", Cursor, Some(EventKind::PreToolUse)),
    ("afterMCPExecution", Cursor, Some(EventKind::PostToolUse)),
    ("beforeReadFile", Cursor, Some(EventKind::PreToolUse)),
    ("afterFileEdit", Cursor, Some(EventKind::PostToolUse)),
    ("beforeTabFileRead", Cursor, Some(EventKind::PreToolUse)),
    ("afterTabFileEdit", Cursor, Some(EventKind::PostToolUse)),
    ("beforeSubmitPrompt", Cursor, Some(EventKind::UserPromptSubmit)),
    ("afterAgentResponse", Cursor, Some(EventKind::MessageDisplay)),
    ("afterAgentThought", Cursor, None),
    ("sessionStart", Cursor, Some(EventKind::SessionStart)),
    ("sessionEnd", Cursor, Some(EventKind::SessionEnd)),
    ("preToolUse", Cursor, Some(EventKind::PreToolUse)),
    ("postToolUse", Cursor, Some(EventKind::PostToolUse)),
    ("postToolUseFailure", Cursor, Some(EventKind::PostToolUseFailure)),
    ("subagentStart", Cursor, Some(EventKind::SubagentStart)),
    ("subagentStop", Cursor, Some(EventKind::SubagentStop)),
    ("preCompact", Cursor, Some(EventKind::PreCompact)),
    ("stop", Cursor, Some(EventKind::Stop)),
    ("BeforeTool", Gemini, Some(EventKind::PreToolUse)),
    ("AfterTool", Gemini, Some(EventKind::PostToolUse)),
    ("BeforeAgent", Gemini, Some(EventKind::UserPromptSubmit)),
    ("AfterAgent", Gemini, Some(EventKind::Stop)),
    ("BeforeModel", Gemini, None),
    ("AfterModel", Gemini, None),
    ("BeforeToolSelection", Gemini, None),
    ("PreCompress", Gemini, Some(EventKind::PreCompact)),
    ("userPromptSubmitted", Copilot, Some(EventKind::UserPromptSubmit)),
    ("errorOccurred", Copilot, Some(EventKind::StopFailure)),
    ("pre_run_command", Windsurf, Some(EventKind::PreToolUse)),
    ("post_run_command", Windsurf, Some(EventKind::PostToolUse)),
    ("pre_write_code", Windsurf, Some(EventKind::PreToolUse)),
    ("post_write_code", Windsurf, Some(EventKind::PostToolUse)),
    ("pre_read_code", Windsurf, Some(EventKind::PreToolUse)),
    ("post_read_code", Windsurf, Some(EventKind::PostToolUse)),
    ("pre_mcp_tool_use", Windsurf, Some(EventKind::PreToolUse)),
    ("post_mcp_tool_use", Windsurf, Some(EventKind::PostToolUse)),
    ("pre_user_prompt", Windsurf, Some(EventKind::UserPromptSubmit)),
    ("post_cascade_response", Windsurf, Some(EventKind::Stop)),
];

/// Returns the meaning of a key of a handler in another agent's layout, in words.
pub(crate) fn foreign_key(key: &str) -> Option<&'static str> {
    Some(match key {
        "name" | "description" => "it is shown nowhere; use `statusMessage` for what a user should see",
        "event" => "the event is the key that the group stands under",
        "timeoutSec" | "timeoutMs" | "timeout_ms" => "write `timeout`, in seconds",
        "bash" | "powershell" => "write `command`, and for PowerShell `\"shell\": \"powershell\"`",
        "cwd" => "hooks run in the session's directory; write `cd … && …` in the command",
        "env" | "environment" => "set variables in front of the command, or in the settings' `env`",
        "failClosed" => "write `\"onFailure\": \"block\"`",
        "continueOnError" => "write `\"onFailure\": \"block\"` to have a failure block",
        "enabled" => "a handler is on while it is in the file; remove it to turn it off",
        "rewakeMessage" | "rewakeSummary" => {
            "with `asyncRewake` the message is what the hook prints on stderr"
        }
        "loop_limit" => "the host caps how often Stop hooks may continue a turn",
        "matcher" => "`matcher` belongs on the group, beside `hooks`",
        _ => return None,
    })
}

/// The same for a key of a matcher group.
pub(crate) fn foreign_group_key(key: &str) -> Option<&'static str> {
    Some(match key {
        "description" | "name" => "it is shown nowhere; nothing is lost without it",
        "if" => "`if` belongs on each handler; here the handlers run without it",
        "filePattern" => "write an `if` on each handler, such as `\"if\": \"Edit(*.yml)\"`",
        "priority" => "write `order` on a handler; lower runs first in lists",
        "enabled" => "a group is on while it is in the file; remove it to turn it off",
        "timeout" => "`timeout` belongs on each handler",
        "sequential" => "all handlers of an event run at the same time",
        _ => return None,
    })
}
