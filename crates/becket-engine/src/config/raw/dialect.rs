//! Spellings of other agents, so that a file in their layout gets a helpful message.
//!
//! It translates nothing: a hook for another agent is not loaded.

use crate::config::source::tree::{Data, Member, Node};
use becket_model::EventKind;
use std::path::Path;

/// Another agent whose configuration people may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Cursor,
    Gemini,
    Copilot,
    Windsurf,
    Codex,
    Grok,
    Droid,
    Qwen,
}

impl Dialect {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Dialect::Cursor => "Cursor",
            Dialect::Gemini => "Gemini CLI",
            Dialect::Copilot => "Copilot",
            Dialect::Windsurf => "Windsurf",
            Dialect::Codex => "Codex",
            Dialect::Grok => "Grok",
            Dialect::Droid => "Factory Droid",
            Dialect::Qwen => "Qwen Code",
        }
    }

    /// Returns whether its events, groups and handlers have this format, so that the file can be read.
    pub(crate) const fn is_alike(self) -> bool {
        match self {
            Dialect::Codex | Dialect::Grok | Dialect::Droid | Dialect::Qwen => true,
            Dialect::Cursor | Dialect::Gemini | Dialect::Copilot | Dialect::Windsurf => false,
        }
    }

    /// Returns whether its groups have another format, so that no event in its files is ours.
    pub(crate) const fn has_other_groups(self) -> bool {
        match self {
            Dialect::Cursor | Dialect::Copilot | Dialect::Windsurf => true,
            Dialect::Gemini | Dialect::Codex | Dialect::Grok | Dialect::Droid | Dialect::Qwen => false,
        }
    }

    /// Returns whether its time limits are in milliseconds.
    pub(crate) const fn counts_milliseconds(self) -> bool {
        match self {
            Dialect::Gemini => true,
            Dialect::Cursor
            | Dialect::Copilot
            | Dialect::Windsurf
            | Dialect::Codex
            | Dialect::Grok
            | Dialect::Droid
            | Dialect::Qwen => false,
        }
    }
}

/// Returns the agent that a file belongs to, by its directory.
pub(crate) fn of_path(file: &Path) -> Option<Dialect> {
    let directories: Vec<&str> = file.iter().rev().skip(1).take(4).filter_map(|part| part.to_str()).collect();
    let agent = |directory: &str| match directory {
        ".cursor" => Some(Cursor),
        ".gemini" => Some(Gemini),
        ".copilot" => Some(Copilot),
        ".windsurf" => Some(Windsurf),
        ".codex" => Some(Codex),
        ".grok" => Some(Grok),
        ".factory" => Some(Droid),
        ".qwen" => Some(Qwen),
        _ => None,
    };
    match directories.as_slice() {
        // The directory above does not matter: `.cursor/.claude/settings.json` is a file of Claude Code.
        [".claude", ..] => None,
        ["hooks", ".github", ..] => Some(Copilot),
        // A plugin of an agent: `.grok/plugins/NAME/hooks/hooks.json`.
        ["hooks", _, "plugins" | "extensions", directory] => agent(directory),
        [parent, above, ..] => agent(parent).or_else(|| agent(above)),
        [parent] => agent(parent),
        [] => None,
    }
}

/// The agent whose variables or keys a handler has, though its events have the names of ours.
pub(crate) fn of_handler(handler: &Node) -> Option<Dialect> {
    let command = handler.get("command").and_then(|member| member.value.as_text()).unwrap_or_default();
    let has_key =
        ["commandWindows", "command_windows", "timeoutSec"].iter().any(|key| handler.get(key).is_some());
    let names = ["${PLUGIN_ROOT}", "$PLUGIN_ROOT", "/.codex-plugin/"];
    (has_key || names.iter().any(|name| command.contains(name))).then_some(Codex)
}

/// Returns the agent that has an event of this name, and the event of ours that comes nearest.
pub(crate) fn foreign_event(name: &str) -> Option<(Dialect, Option<EventKind>)> {
    FOREIGN.iter().find(|(foreign, ..)| *foreign == name).map(|(_, dialect, near)| (*dialect, *near))
}

use Dialect::{Codex, Copilot, Cursor, Droid, Gemini, Grok, Qwen, Windsurf};

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

/// The consequence of a key that nothing reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UnknownKey {
    /// Another program reads it, or it is a comment.
    Harmless,
    /// Nothing is lost without it.
    Idle(&'static str),
    /// The author expects an effect that the key does not have.
    Lost(String),
    /// The hook does what the key was meant to prevent.
    Contradicted { message: &'static str, help: &'static str },
    /// A key that no known agent has.
    Unknown,
}

/// Returns the meaning of a key of a handler that nothing reads.
pub(crate) fn handler_key(member: &Member) -> UnknownKey {
    match member.key.as_str() {
        // Claude Code shows them with the message of a hook that wakes the session.
        "rewakeMessage" | "rewakeSummary" => UnknownKey::Harmless,
        // Codex reads them.
        "commandWindows" | "command_windows" | "additionalContextLimit" => UnknownKey::Harmless,
        "name" => UnknownKey::Idle("it is shown nowhere; use `statusMessage` for what a user should see"),
        "event" => lost("the event is the key above the group"),
        "timeoutSec" | "timeoutMs" | "timeout_ms" => lost("write `timeout`, in seconds"),
        "bash" | "powershell" => lost("write `command`, and for PowerShell `\"shell\": \"powershell\"`"),
        "cwd" => lost("hooks run in the session's directory; write `cd … && …` in the command"),
        "env" | "environment" => lost("set variables in front of the command, or in the settings' `env`"),
        "failClosed" => lost("write `\"onFailure\": \"block\"`"),
        "continueOnError" if is(member, false) => {
            lost("write `\"onFailure\": \"block\"` to have a failure block")
        }
        "continueOnError" => UnknownKey::Idle("a hook that fails never blocks anyway: remove it"),
        "loop_limit" => lost("the host caps how often Stop hooks may continue a turn"),
        "matcher" => lost("`matcher` belongs on the group, beside `hooks`"),
        _ => common_key(member),
    }
}

/// Returns the meaning of a key of a matcher group that nothing reads.
pub(crate) fn group_key(member: &Member) -> UnknownKey {
    match member.key.as_str() {
        "name" => UnknownKey::Idle("it is shown nowhere; nothing is lost without it"),
        "if" => lost("`if` belongs on each handler; here the handlers run without it"),
        "filePattern" => lost("write an `if` on each handler, such as `\"if\": \"Edit(*.yml)\"`"),
        "priority" => lost("write `order` on a handler; lower runs first in lists"),
        "timeout" => lost("`timeout` belongs on each handler"),
        "sequential" => lost("all handlers of an event run at the same time"),
        _ => common_key(member),
    }
}

/// Returns the meaning of a key of an entry in the flat layout that nothing reads.
pub(crate) fn flat_key(member: &Member) -> UnknownKey {
    match member.key.as_str() {
        "name" => UnknownKey::Harmless,
        _ => common_key(member),
    }
}

/// Keys that mean the same on a handler and on a group.
fn common_key(member: &Member) -> UnknownKey {
    match member.key.as_str() {
        "enabled" | "disabled" if is(member, member.key == "enabled") => UnknownKey::Harmless,
        "enabled" => UnknownKey::Contradicted {
            message: "this hook runs: `enabled: false` is not read",
            help: "remove it from the file to turn it off",
        },
        "disabled" => UnknownKey::Contradicted {
            message: "this hook runs: `disabled: true` is not read",
            help: "remove it from the file to turn it off",
        },
        // The author of a comment expects no effect.
        "description" | "comment" | "comments" | "note" | "notes" | "id" | "version" | "author" | "tags"
        | "title" => UnknownKey::Harmless,
        key if key.starts_with(['_', '$', '#']) || key.starts_with("//") => UnknownKey::Harmless,
        _ => UnknownKey::Unknown,
    }
}

fn lost(help: &str) -> UnknownKey {
    UnknownKey::Lost(help.to_owned())
}

fn is(member: &Member, value: bool) -> bool {
    member.value.data == Data::Bool(value)
}

/// Returns the replacement for a filter in the language of another tool: `tools:Write AND file_paths:**/*.py`.
pub(crate) fn tool_filter_help(text: &str) -> Option<String> {
    let parts: Vec<(&str, &str)> =
        text.split(" AND ").map(|part| part.trim().split_once(':')).collect::<Option<_>>()?;
    let value = |keys: &[&str]| {
        parts.iter().find(|(key, _)| keys.contains(&key.trim())).map(|(_, value)| value.trim())
    };
    let tool = value(&["tools", "tool", "tool_name"])?;
    let specifier = value(&["file_paths", "file_path", "path", "command"]);
    let condition =
        specifier.map(|specifier| format!(" and `\"if\": \"{tool}({specifier})\"` on the handler"));
    Some(format!(
        "a matcher contains tool names, this is another tool's filter; write `\"matcher\": \"{tool}\"`{}",
        condition.unwrap_or_default()
    ))
}
