//! Rows of the event table about the environment: settings, directories, files, worktrees.

use super::{
    Alphabet, Audience, Carries, DecisionModel, EventSpec, Exit2, Exit2Effect, Family, FieldType,
    HandlerKind, Honours, MatcherSpec, OnFailureEffect, PlainStdout, opt, req,
};
use crate::EventKind;
use std::time::Duration;

pub(super) const CONFIG_CHANGE: EventSpec = EventSpec {
    kind: EventKind::ConfigChange,
    family: Family::Environment,
    summary: "A configuration file has changed.",
    matcher: Some(MatcherSpec {
        field: "source",
        alphabet: Alphabet::Wide,
        values: &["user_settings", "project_settings", "local_settings", "policy_settings", "skills"],
    }),
    condition: false,
    carries: Carries { permission_mode: false, effort: false },
    input: &[
        req("source", FieldType::String, "The kind of settings that changed."),
        opt("file_path", FieldType::String, "The file."),
    ],
    output: &[],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::BlockChange, told: Audience::Log },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: false, system_message: false },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Block,
    env_file: false,
    host_waits: true,
    notes: &["a policy change cannot be blocked"],
};

pub(super) const CWD_CHANGED: EventSpec = EventSpec {
    kind: EventKind::CwdChanged,
    family: Family::Environment,
    summary: "The working directory has changed.",
    matcher: None,
    condition: false,
    carries: Carries { permission_mode: false, effort: false },
    input: &[
        req("old_cwd", FieldType::String, "The directory before."),
        req("new_cwd", FieldType::String, "The directory after."),
    ],
    output: &[opt(
        "watchPaths",
        FieldType::Strings,
        "absolute paths to watch; replaces the dynamic list, `[]` clears it",
    )],
    decision: DecisionModel::None,
    exit_2: Exit2 { effect: Exit2Effect::Proceed, told: Audience::User },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: false, system_message: true },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Nothing,
    env_file: true,
    host_waits: false,
    notes: &[],
};

pub(super) const DIRECTORY_ADDED: EventSpec = EventSpec {
    kind: EventKind::DirectoryAdded,
    family: Family::Environment,
    summary: "The session has got a further working directory.",
    matcher: Some(MatcherSpec {
        field: "source",
        alphabet: Alphabet::Wide,
        values: &["slash_command", "register_repo_root"],
    }),
    condition: false,
    carries: Carries { permission_mode: false, effort: false },
    input: &[
        req("directory", FieldType::String, "The directory that was added."),
        req("source", FieldType::String, "The way in which it was added."),
    ],
    output: &[],
    decision: DecisionModel::None,
    exit_2: Exit2 { effect: Exit2Effect::Proceed, told: Audience::Log },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: false, system_message: true },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Nothing,
    env_file: false,
    host_waits: false,
    notes: &[
        "source `slash_command`: `systemMessage` goes to the model's next turn; `register_repo_root`: to the log",
    ],
};

pub(super) const FILE_CHANGED: EventSpec = EventSpec {
    kind: EventKind::FileChanged,
    family: Family::Environment,
    summary: "A watched file has changed on disk.",
    matcher: Some(MatcherSpec { field: "file_path", alphabet: Alphabet::Narrow, values: &[] }),
    condition: false,
    carries: Carries { permission_mode: false, effort: false },
    input: &[
        req("file_path", FieldType::String, "The file."),
        req("event", FieldType::String, "`add`, `change` or `unlink`.").one_of(&["add", "change", "unlink"]),
    ],
    output: &[opt(
        "watchPaths",
        FieldType::Strings,
        "absolute paths to watch; replaces the dynamic list, `[]` clears it",
    )],
    decision: DecisionModel::None,
    exit_2: Exit2 { effect: Exit2Effect::Proceed, told: Audience::User },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: false, system_message: true },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Nothing,
    env_file: true,
    host_waits: false,
    notes: &["the matcher is also the watch list: names split on `|`, each a file in the working directory"],
};

pub(super) const WORKTREE_CREATE: EventSpec = EventSpec {
    kind: EventKind::WorktreeCreate,
    family: Family::Environment,
    summary: "A worktree is wanted; the hook makes it in place of the host.",
    matcher: None,
    condition: false,
    carries: Carries { permission_mode: false, effort: false },
    input: &[req("name", FieldType::String, "The name asked for.")],
    output: &[opt("worktreePath", FieldType::String, "the worktree that was made")],
    decision: DecisionModel::Path,
    exit_2: Exit2 { effect: Exit2Effect::FailCreation, told: Audience::User },
    plain_stdout: PlainStdout::Path,
    honours: Honours { stop: false, system_message: false },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Nothing,
    env_file: false,
    host_waits: true,
    notes: &[
        "a nonzero exit, or no path, fails the creation",
        "a command prints the path as its last line that is not empty; an HTTP hook answers `worktreePath`",
        "a path with `.` or `..` in it, or through a symlink below the repository root, is refused",
    ],
};

pub(super) const WORKTREE_REMOVE: EventSpec = EventSpec {
    kind: EventKind::WorktreeRemove,
    family: Family::Environment,
    summary: "A worktree is about to be removed.",
    matcher: None,
    condition: false,
    carries: Carries { permission_mode: false, effort: false },
    input: &[req("worktree_path", FieldType::String, "The worktree.")],
    output: &[],
    decision: DecisionModel::None,
    exit_2: Exit2 { effect: Exit2Effect::Ignored, told: Audience::Log },
    plain_stdout: PlainStdout::Log,
    honours: Honours { stop: false, system_message: false },
    handlers: &[
        (HandlerKind::Command, Duration::from_secs(600)),
        (HandlerKind::Http, Duration::from_secs(600)),
        (HandlerKind::McpTool, Duration::from_secs(600)),
    ],
    model_not_ok: None,
    on_failure: OnFailureEffect::Nothing,
    env_file: false,
    host_waits: true,
    notes: &[],
};
