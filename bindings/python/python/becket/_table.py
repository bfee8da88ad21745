# Written by `cargo xtask gen` from the event table. Do not edit.
"""What the hooks of each event may decide, and which fields of its own its output has."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """What an event allows."""

    decision: str
    blocks: bool
    output: frozenset[str]


TABLE: dict[str, Row] = {
    "Setup": Row(
        "context",
        False,
        frozenset({"additionalContext"}),
    ),
    "SessionStart": Row(
        "context",
        False,
        frozenset({"additionalContext", "initialUserMessage", "sessionTitle", "watchPaths", "reloadSkills"}),
    ),
    "SessionEnd": Row(
        "none",
        False,
        frozenset(),
    ),
    "UserPromptSubmit": Row(
        "block",
        True,
        frozenset({"additionalContext", "sessionTitle", "suppressOriginalPrompt"}),
    ),
    "UserPromptExpansion": Row(
        "block",
        True,
        frozenset({"additionalContext"}),
    ),
    "Stop": Row(
        "block",
        True,
        frozenset({"additionalContext"}),
    ),
    "StopFailure": Row(
        "none",
        False,
        frozenset(),
    ),
    "PreToolUse": Row(
        "permission",
        False,
        frozenset({"permissionDecision", "permissionDecisionReason", "updatedInput", "sandbox", "additionalContext"}),
    ),
    "PostToolUse": Row(
        "block",
        True,
        frozenset({"additionalContext", "updatedToolOutput", "updatedMCPToolOutput", "classifierContext"}),
    ),
    "PostToolUseFailure": Row(
        "block",
        True,
        frozenset({"additionalContext"}),
    ),
    "PostToolBatch": Row(
        "block",
        True,
        frozenset({"additionalContext"}),
    ),
    "PermissionRequest": Row(
        "permission_request",
        False,
        frozenset({"decision"}),
    ),
    "PermissionDenied": Row(
        "retry",
        False,
        frozenset({"retry"}),
    ),
    "Notification": Row(
        "none",
        False,
        frozenset(),
    ),
    "SubagentStart": Row(
        "context",
        False,
        frozenset({"additionalContext"}),
    ),
    "SubagentStop": Row(
        "block",
        True,
        frozenset({"additionalContext"}),
    ),
    "TaskCreated": Row(
        "task",
        True,
        frozenset(),
    ),
    "TaskCompleted": Row(
        "continue_only",
        False,
        frozenset(),
    ),
    "TeammateIdle": Row(
        "continue_only",
        False,
        frozenset(),
    ),
    "InstructionsLoaded": Row(
        "none",
        False,
        frozenset(),
    ),
    "PreCompact": Row(
        "block",
        True,
        frozenset(),
    ),
    "PostCompact": Row(
        "none",
        False,
        frozenset(),
    ),
    "MessageDisplay": Row(
        "display",
        False,
        frozenset({"displayContent"}),
    ),
    "PreModelSwitch": Row(
        "block",
        True,
        frozenset(),
    ),
    "PostModelSwitch": Row(
        "none",
        False,
        frozenset(),
    ),
    "ConfigChange": Row(
        "block",
        True,
        frozenset(),
    ),
    "CwdChanged": Row(
        "none",
        False,
        frozenset({"watchPaths"}),
    ),
    "DirectoryAdded": Row(
        "none",
        False,
        frozenset(),
    ),
    "FileChanged": Row(
        "none",
        False,
        frozenset({"watchPaths"}),
    ),
    "WorktreeCreate": Row(
        "path",
        False,
        frozenset({"worktreePath"}),
    ),
    "WorktreeRemove": Row(
        "none",
        False,
        frozenset(),
    ),
    "Elicitation": Row(
        "elicitation",
        False,
        frozenset({"action", "content"}),
    ),
    "ElicitationResult": Row(
        "elicitation",
        False,
        frozenset({"action", "content"}),
    ),
}
