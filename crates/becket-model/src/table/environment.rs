//! Rows of the event table about the environment: settings, directories, files, worktrees.

use super::{
    Alphabet, Audience, DecisionModel, EventSpec, Exit2, Exit2Effect, Family, FieldType, Honours,
    MatcherSpec, OnFailureEffect, PlainStdout, opt, req, wide,
};
use crate::EventKind;

/// The defaults of the rows below.
const BASE: EventSpec = EventSpec { family: Family::Environment, ..super::BASE };

pub(super) const CONFIG_CHANGE: EventSpec = EventSpec {
    kind: EventKind::ConfigChange,
    summary: "A configuration file has changed.",
    matcher: wide(
        "source",
        &["user_settings", "project_settings", "local_settings", "policy_settings", "skills"],
    ),
    input: &[
        req("source", FieldType::String, "The kind of settings that changed."),
        opt("file_path", FieldType::String, "The file."),
    ],
    decision: DecisionModel::Block,
    exit_2: Exit2 { effect: Exit2Effect::BlockChange, audience: Audience::Log },
    honours: Honours { stop: false, system_message: false },
    on_failure: OnFailureEffect::Block,
    notes: &["a policy change cannot be blocked"],
    ..BASE
};

pub(super) const CWD_CHANGED: EventSpec = EventSpec {
    kind: EventKind::CwdChanged,
    summary: "The working directory has changed.",
    input: &[
        req("old_cwd", FieldType::String, "The previous directory."),
        req("new_cwd", FieldType::String, "The new directory."),
    ],
    output: &[opt(
        "watchPaths",
        FieldType::Strings,
        "absolute paths to watch; replaces the dynamic list, `[]` clears it",
    )],
    env_file: true,
    host_waits: false,
    ..BASE
};

pub(super) const DIRECTORY_ADDED: EventSpec = EventSpec {
    kind: EventKind::DirectoryAdded,
    summary: "A working directory was added to the session.",
    matcher: wide("source", &["slash_command", "register_repo_root"]),
    input: &[
        req("directory", FieldType::String, "The directory that was added."),
        req("source", FieldType::String, "The way in which it was added."),
    ],
    exit_2: Exit2 { effect: Exit2Effect::Proceed, audience: Audience::Log },
    host_waits: false,
    notes: &[
        "source `slash_command`: `systemMessage` goes to the model's next turn; `register_repo_root`: to the log",
    ],
    ..BASE
};

pub(super) const FILE_CHANGED: EventSpec = EventSpec {
    kind: EventKind::FileChanged,
    summary: "A watched file has changed on disk.",
    matcher: Some(MatcherSpec { field: "file_path", alphabet: Alphabet::Narrow, values: &[] }),
    input: &[
        req("file_path", FieldType::String, "The file."),
        req("event", FieldType::String, "`add`, `change` or `unlink`.").one_of(&["add", "change", "unlink"]),
    ],
    output: &[opt(
        "watchPaths",
        FieldType::Strings,
        "absolute paths to watch; replaces the dynamic list, `[]` clears it",
    )],
    env_file: true,
    host_waits: false,
    notes: &["the matcher is also the watch list: names split on `|`, each a file in the working directory"],
    ..BASE
};

pub(super) const WORKTREE_CREATE: EventSpec = EventSpec {
    kind: EventKind::WorktreeCreate,
    summary: "A worktree is requested; the hook creates it instead of the host.",
    input: &[req("name", FieldType::String, "The requested name.")],
    output: &[opt("worktreePath", FieldType::String, "the worktree that was created")],
    decision: DecisionModel::Path,
    exit_2: Exit2 { effect: Exit2Effect::FailCreation, audience: Audience::User },
    plain_stdout: PlainStdout::Path,
    honours: Honours { stop: false, system_message: false },
    notes: &[
        "a nonzero exit, or no path, fails the creation",
        "a command prints the path as its last non-empty line; an HTTP hook answers `worktreePath`",
        "a path with `.` or `..` in it, or through a symlink below the repository root, is refused",
    ],
    ..BASE
};

pub(super) const WORKTREE_REMOVE: EventSpec = EventSpec {
    kind: EventKind::WorktreeRemove,
    summary: "A worktree is about to be removed.",
    input: &[req("worktree_path", FieldType::String, "The path of the worktree.")],
    exit_2: Exit2 { effect: Exit2Effect::Ignored, audience: Audience::Log },
    honours: Honours { stop: false, system_message: false },
    ..BASE
};
