# Written by `cargo xtask gen` from the event table. Do not edit.
"""The inputs of hooks, one class for each event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from becket._input import HookInput

__all__ = [
    "HookInput",
    "INPUTS",
    "SetupInput",
    "SessionStartInput",
    "SessionEndInput",
    "UserPromptSubmitInput",
    "UserPromptExpansionInput",
    "StopInput",
    "StopFailureInput",
    "PreToolUseInput",
    "PostToolUseInput",
    "PostToolUseFailureInput",
    "PostToolBatchInput",
    "PermissionRequestInput",
    "PermissionDeniedInput",
    "NotificationInput",
    "SubagentStartInput",
    "SubagentStopInput",
    "TaskCreatedInput",
    "TaskCompletedInput",
    "TeammateIdleInput",
    "InstructionsLoadedInput",
    "PreCompactInput",
    "PostCompactInput",
    "MessageDisplayInput",
    "PreModelSwitchInput",
    "PostModelSwitchInput",
    "ConfigChangeInput",
    "CwdChangedInput",
    "DirectoryAddedInput",
    "FileChangedInput",
    "WorktreeCreateInput",
    "WorktreeRemoveInput",
    "ElicitationInput",
    "ElicitationResultInput",
]


@dataclass(kw_only=True, slots=True)
class SetupInput(HookInput):
    """The host prepares the project once, on its init or maintenance flag."""

    hook_event_name: ClassVar[str] = "Setup"

    trigger: str
    """The cause: `init` or `maintenance`."""


@dataclass(kw_only=True, slots=True)
class SessionStartInput(HookInput):
    """A session starts: new, resumed, cleared, compacted or forked."""

    hook_event_name: ClassVar[str] = "SessionStart"

    source: str
    """The cause of the start."""
    model: str | None = None
    """The model in use."""
    session_title: str | None = None
    """The title shown for the session."""
    seconds_since_last_response: float | None = None
    """The number of seconds since the model last answered (resume and fork)."""
    context_tokens: int | None = None
    """The number of tokens in the context."""
    prompt_cache_likely_expired: bool | None = None
    """Set if the provider has probably dropped its prompt cache."""
    estimated_cache_write_usd: float | None = None
    """The cost of writing the cache again, in US dollars."""


@dataclass(kw_only=True, slots=True)
class SessionEndInput(HookInput):
    """A session is over."""

    hook_event_name: ClassVar[str] = "SessionEnd"

    reason: str
    """The reason why it has ended."""


@dataclass(kw_only=True, slots=True)
class UserPromptSubmitInput(HookInput):
    """The user sends a prompt; the model has not seen it yet."""

    hook_event_name: ClassVar[str] = "UserPromptSubmit"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    prompt: str
    """The user's text."""


@dataclass(kw_only=True, slots=True)
class UserPromptExpansionInput(HookInput):
    """A command that the user typed becomes a prompt."""

    hook_event_name: ClassVar[str] = "UserPromptExpansion"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    expansion_type: str
    """`slash_command` or `mcp_prompt`."""
    command_name: str
    """The command, without its slash."""
    command_args: str
    """The text after the command, as typed."""
    command_source: str | None = None
    """The place where the command is defined."""
    prompt: str
    """The user's text."""


@dataclass(kw_only=True, slots=True)
class StopInput(HookInput):
    """The main agent has answered and calls no more tools."""

    hook_event_name: ClassVar[str] = "Stop"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    effort: dict[str, Any] | None = None
    """The effort of the model: `{level}` is low, medium, high, xhigh or max."""
    stop_hook_active: bool
    """True while the turn continues because an earlier stop hook blocked."""
    last_assistant_message: str | None = None
    """The final text of the model."""
    background_tasks: list[dict[str, Any]] | None = None
    """The running background tasks, one object each."""
    session_crons: list[dict[str, Any]] | None = None
    """The scheduled jobs of the session, one object each."""


@dataclass(kw_only=True, slots=True)
class StopFailureInput(HookInput):
    """An API error ended the turn."""

    hook_event_name: ClassVar[str] = "StopFailure"

    effort: dict[str, Any] | None = None
    """The effort of the model: `{level}` is low, medium, high, xhigh or max."""
    error: str
    """The error."""
    error_details: str | None = None
    """Details of the error, if there are any."""
    last_assistant_message: str | None = None
    """The final text of the model."""


@dataclass(kw_only=True, slots=True)
class PreToolUseInput(HookInput):
    """A tool call is about to run."""

    hook_event_name: ClassVar[str] = "PreToolUse"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    effort: dict[str, Any] | None = None
    """The effort of the model: `{level}` is low, medium, high, xhigh or max."""
    tool_name: str
    """The tool, under its current name."""
    tool_input: dict[str, Any]
    """The call's arguments."""
    tool_use_id: str
    """The id of the call."""
    mcp_server: dict[str, Any] | None = None
    """The MCP server of the tool, if it has one: `name` and `source`."""
    executed: dict[str, Any] | None = None
    """A program that the call is about to run: `file`, `argv`, `cwd`, `chain`."""


@dataclass(kw_only=True, slots=True)
class PostToolUseInput(HookInput):
    """A tool call has succeeded."""

    hook_event_name: ClassVar[str] = "PostToolUse"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    effort: dict[str, Any] | None = None
    """The effort of the model: `{level}` is low, medium, high, xhigh or max."""
    tool_name: str
    """The tool, under its current name."""
    tool_input: dict[str, Any]
    """The call's arguments."""
    tool_use_id: str
    """The id of the call."""
    mcp_server: dict[str, Any] | None = None
    """The MCP server of the tool, if it has one: `name` and `source`."""
    tool_response: Any
    """The answer of the tool."""
    duration_ms: int | None = None
    """The duration of the call, in milliseconds."""


@dataclass(kw_only=True, slots=True)
class PostToolUseFailureInput(HookInput):
    """A tool call has started and failed."""

    hook_event_name: ClassVar[str] = "PostToolUseFailure"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    effort: dict[str, Any] | None = None
    """The effort of the model: `{level}` is low, medium, high, xhigh or max."""
    tool_name: str
    """The tool, under its current name."""
    tool_input: dict[str, Any]
    """The call's arguments."""
    tool_use_id: str
    """The id of the call."""
    mcp_server: dict[str, Any] | None = None
    """The MCP server of the tool, if it has one: `name` and `source`."""
    error: str
    """The error."""
    is_interrupt: bool | None = None
    """Set if the user interrupted it."""
    duration_ms: int | None = None
    """The duration of the call, in milliseconds."""


@dataclass(kw_only=True, slots=True)
class PostToolBatchInput(HookInput):
    """All calls of one model answer are done; the next request has not been sent."""

    hook_event_name: ClassVar[str] = "PostToolBatch"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    effort: dict[str, Any] | None = None
    """The effort of the model: `{level}` is low, medium, high, xhigh or max."""
    tool_calls: list[dict[str, Any]]
    """The calls of the batch: `tool_name`, `tool_input`, `tool_use_id`, `tool_response` each."""


@dataclass(kw_only=True, slots=True)
class PermissionRequestInput(HookInput):
    """A tool call needs a permission."""

    hook_event_name: ClassVar[str] = "PermissionRequest"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    effort: dict[str, Any] | None = None
    """The effort of the model: `{level}` is low, medium, high, xhigh or max."""
    tool_name: str
    """The tool, under its current name."""
    tool_input: dict[str, Any]
    """The call's arguments."""
    permission_suggestions: list[dict[str, Any]] | None = None
    """Rule updates that the host would offer the user."""


@dataclass(kw_only=True, slots=True)
class PermissionDeniedInput(HookInput):
    """The automatic mode has refused a tool call."""

    hook_event_name: ClassVar[str] = "PermissionDenied"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    effort: dict[str, Any] | None = None
    """The effort of the model: `{level}` is low, medium, high, xhigh or max."""
    tool_name: str
    """The tool, under its current name."""
    tool_input: dict[str, Any]
    """The call's arguments."""
    tool_use_id: str
    """The id of the call."""
    mcp_server: dict[str, Any] | None = None
    """The MCP server of the tool, if it has one: `name` and `source`."""
    reason: str
    """The reason for the refusal."""


@dataclass(kw_only=True, slots=True)
class NotificationInput(HookInput):
    """The host notifies the user."""

    hook_event_name: ClassVar[str] = "Notification"

    message: str
    """The text shown to the user."""
    title: str | None = None
    """The title above the message."""
    notification_type: str
    """The kind of notification."""


@dataclass(kw_only=True, slots=True)
class SubagentStartInput(HookInput):
    """A subagent starts."""

    hook_event_name: ClassVar[str] = "SubagentStart"


@dataclass(kw_only=True, slots=True)
class SubagentStopInput(HookInput):
    """A subagent has answered."""

    hook_event_name: ClassVar[str] = "SubagentStop"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    effort: dict[str, Any] | None = None
    """The effort of the model: `{level}` is low, medium, high, xhigh or max."""
    stop_hook_active: bool
    """True while the turn continues because an earlier stop hook blocked."""
    last_assistant_message: str | None = None
    """The final text of the model."""
    background_tasks: list[dict[str, Any]] | None = None
    """The running background tasks, one object each."""
    session_crons: list[dict[str, Any]] | None = None
    """The scheduled jobs of the session, one object each."""
    agent_transcript_path: str
    """The subagent's own transcript."""


@dataclass(kw_only=True, slots=True)
class TaskCreatedInput(HookInput):
    """A task is about to be created."""

    hook_event_name: ClassVar[str] = "TaskCreated"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    task_id: str
    """The task's id."""
    task_subject: str
    """The subject of the task, in one line."""
    task_description: str | None = None
    """The description of the task."""
    teammate_name: str | None = None
    """The teammate's name."""
    team_name: str | None = None
    """The team's name."""


@dataclass(kw_only=True, slots=True)
class TaskCompletedInput(HookInput):
    """A task is about to be marked as done."""

    hook_event_name: ClassVar[str] = "TaskCompleted"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    task_id: str
    """The task's id."""
    task_subject: str
    """The subject of the task, in one line."""
    task_description: str | None = None
    """The description of the task."""
    teammate_name: str | None = None
    """The teammate's name."""
    team_name: str | None = None
    """The team's name."""


@dataclass(kw_only=True, slots=True)
class TeammateIdleInput(HookInput):
    """A teammate has nothing more to do."""

    hook_event_name: ClassVar[str] = "TeammateIdle"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    teammate_name: str
    """The teammate's name."""
    team_name: str | None = None
    """The team's name."""


@dataclass(kw_only=True, slots=True)
class InstructionsLoadedInput(HookInput):
    """A file with instructions has entered the context."""

    hook_event_name: ClassVar[str] = "InstructionsLoaded"

    effort: dict[str, Any] | None = None
    """The effort of the model: `{level}` is low, medium, high, xhigh or max."""
    file_path: str
    """The file."""
    memory_type: str
    """`User`, `Project`, `Local` or `Managed`."""
    load_reason: str
    """The reason why it was loaded."""
    globs: list[str] | None = None
    """The path patterns that caused it to be loaded."""
    trigger_file_path: str | None = None
    """The file whose access caused it to be loaded."""
    parent_file_path: str | None = None
    """The file that includes it."""


@dataclass(kw_only=True, slots=True)
class PreCompactInput(HookInput):
    """The conversation is about to be compacted."""

    hook_event_name: ClassVar[str] = "PreCompact"

    trigger: str
    """The cause of the compaction: `manual` or `auto`."""
    custom_instructions: str | None
    """The user's instructions for the summary; null if there are none."""


@dataclass(kw_only=True, slots=True)
class PostCompactInput(HookInput):
    """The conversation has been compacted."""

    hook_event_name: ClassVar[str] = "PostCompact"

    trigger: str
    """The cause of the compaction: `manual` or `auto`."""
    compact_summary: str
    """The summary as the model wrote it."""


@dataclass(kw_only=True, slots=True)
class MessageDisplayInput(HookInput):
    """The model's text is about to be shown."""

    hook_event_name: ClassVar[str] = "MessageDisplay"

    turn_id: str
    """The id of the turn."""
    message_id: str
    """The id of the message."""
    index: int
    """The number of the batch in its message, from 0."""
    final: bool
    """Set if this is the last batch."""
    delta: str
    """The text of this batch."""


@dataclass(kw_only=True, slots=True)
class PreModelSwitchInput(HookInput):
    """The user requests another model."""

    hook_event_name: ClassVar[str] = "PreModelSwitch"

    from_model: str
    """The previous model."""
    to_model: str
    """The new model."""
    requested_model: str
    """The name that the user requested."""
    source: str
    """The origin of the request to switch."""
    context_tokens: int | None = None
    """The number of tokens in the context."""
    prompt_cache_warm: bool | None = None
    """Set if the provider still caches the prompt."""
    cache_ttl: str | None = None
    """The lifetime of a cache entry."""
    estimated_cache_write_usd: float | None = None
    """The cost of writing the cache again, in US dollars."""
    pricing: str | None = None
    """The origin of the price."""


@dataclass(kw_only=True, slots=True)
class PostModelSwitchInput(HookInput):
    """Another model is in use."""

    hook_event_name: ClassVar[str] = "PostModelSwitch"

    from_model: str
    """The previous model."""
    to_model: str
    """The new model."""
    requested_model: str
    """The name that the user requested."""
    source: str
    """The origin of the request to switch."""
    context_tokens: int | None = None
    """The number of tokens in the context."""
    prompt_cache_warm: bool | None = None
    """Set if the provider still caches the prompt."""
    cache_ttl: str | None = None
    """The lifetime of a cache entry."""
    estimated_cache_write_usd: float | None = None
    """The cost of writing the cache again, in US dollars."""
    pricing: str | None = None
    """The origin of the price."""


@dataclass(kw_only=True, slots=True)
class ConfigChangeInput(HookInput):
    """A configuration file has changed."""

    hook_event_name: ClassVar[str] = "ConfigChange"

    source: str
    """The kind of settings that changed."""
    file_path: str | None = None
    """The file."""


@dataclass(kw_only=True, slots=True)
class CwdChangedInput(HookInput):
    """The working directory has changed."""

    hook_event_name: ClassVar[str] = "CwdChanged"

    old_cwd: str
    """The previous directory."""
    new_cwd: str
    """The new directory."""


@dataclass(kw_only=True, slots=True)
class DirectoryAddedInput(HookInput):
    """A working directory was added to the session."""

    hook_event_name: ClassVar[str] = "DirectoryAdded"

    directory: str
    """The directory that was added."""
    source: str
    """The way in which it was added."""


@dataclass(kw_only=True, slots=True)
class FileChangedInput(HookInput):
    """A watched file has changed on disk."""

    hook_event_name: ClassVar[str] = "FileChanged"

    file_path: str
    """The file."""
    event: str
    """`add`, `change` or `unlink`."""


@dataclass(kw_only=True, slots=True)
class WorktreeCreateInput(HookInput):
    """A worktree is requested; the hook creates it instead of the host."""

    hook_event_name: ClassVar[str] = "WorktreeCreate"

    name: str
    """The requested name."""


@dataclass(kw_only=True, slots=True)
class WorktreeRemoveInput(HookInput):
    """A worktree is about to be removed."""

    hook_event_name: ClassVar[str] = "WorktreeRemove"

    worktree_path: str
    """The path of the worktree."""


@dataclass(kw_only=True, slots=True)
class ElicitationInput(HookInput):
    """An MCP server asks the user a question."""

    hook_event_name: ClassVar[str] = "Elicitation"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    mcp_server_name: str
    """The MCP server that asks."""
    message: str
    """The text shown to the user."""
    mode: str | None = None
    """`form` or `url`."""
    url: str | None = None
    """The page that the user is sent to (mode `url`)."""
    elicitation_id: str | None = None
    """The id of the question."""
    requested_schema: dict[str, Any] | None = None
    """The schema of the answer (mode `form`)."""


@dataclass(kw_only=True, slots=True)
class ElicitationResultInput(HookInput):
    """The user has answered an MCP server's question."""

    hook_event_name: ClassVar[str] = "ElicitationResult"

    permission_mode: str | None = None
    """The permission mode: default, plan, acceptEdits, auto, dontAsk or bypassPermissions."""
    mcp_server_name: str
    """The MCP server that asks."""
    action: str
    """`accept`, `decline` or `cancel`."""
    mode: str | None = None
    """`form` or `url`."""
    elicitation_id: str | None = None
    """The id of the question."""
    content: dict[str, Any] | None = None
    """The answer, by field."""


INPUTS: dict[str, type[HookInput]] = {
    "Setup": SetupInput,
    "SessionStart": SessionStartInput,
    "SessionEnd": SessionEndInput,
    "UserPromptSubmit": UserPromptSubmitInput,
    "UserPromptExpansion": UserPromptExpansionInput,
    "Stop": StopInput,
    "StopFailure": StopFailureInput,
    "PreToolUse": PreToolUseInput,
    "PostToolUse": PostToolUseInput,
    "PostToolUseFailure": PostToolUseFailureInput,
    "PostToolBatch": PostToolBatchInput,
    "PermissionRequest": PermissionRequestInput,
    "PermissionDenied": PermissionDeniedInput,
    "Notification": NotificationInput,
    "SubagentStart": SubagentStartInput,
    "SubagentStop": SubagentStopInput,
    "TaskCreated": TaskCreatedInput,
    "TaskCompleted": TaskCompletedInput,
    "TeammateIdle": TeammateIdleInput,
    "InstructionsLoaded": InstructionsLoadedInput,
    "PreCompact": PreCompactInput,
    "PostCompact": PostCompactInput,
    "MessageDisplay": MessageDisplayInput,
    "PreModelSwitch": PreModelSwitchInput,
    "PostModelSwitch": PostModelSwitchInput,
    "ConfigChange": ConfigChangeInput,
    "CwdChanged": CwdChangedInput,
    "DirectoryAdded": DirectoryAddedInput,
    "FileChanged": FileChangedInput,
    "WorktreeCreate": WorktreeCreateInput,
    "WorktreeRemove": WorktreeRemoveInput,
    "Elicitation": ElicitationInput,
    "ElicitationResult": ElicitationResultInput,
}
"""The class of each event."""
