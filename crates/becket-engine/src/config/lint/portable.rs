//! Becket's own keys in a file that another program reads too, and ignores.

use super::{Around, Entry};
use crate::config::handler::Warm;
use crate::config::load::{Layer, LayerKind};
use crate::config::source::report::Report;
use crate::config::source::tree::Span;
use becket_model::{Enforcement, Source};
use std::path::Path;

/// Keys of a handler that only Becket reads, and what other programs do instead.
const HANDLER_KEYS: &[(&str, &str)] = &[
    ("questions", "elsewhere the hook's questions are not asked"),
    ("worker", "elsewhere the hook is started for each event"),
    ("warm", "elsewhere the hook is started for each event"),
    ("mode", "elsewhere the hook is enforced: its answers count"),
    ("order", "elsewhere hooks run in the order of the file"),
];

/// Keys of a settings file that only Becket reads.
const SETTINGS_KEYS: &[(&str, &str)] = &[
    (
        "failClosed",
        "elsewhere a hook that fails lets the action pass, unless it says `\"onFailure\": \"block\"`",
    ),
    ("strictConfig", "elsewhere a session starts in spite of errors in its settings"),
    ("httpHookAllowedNetworks", "elsewhere other addresses may be reached"),
    ("httpHookLoopback", "elsewhere other addresses may be reached"),
    ("pluginHooks", "elsewhere the hooks of plugins have all rights"),
    ("hookBudget", "elsewhere nothing reports slow hooks"),
    ("audit", "elsewhere verdicts are not recorded"),
    ("httpHookProxy", "elsewhere the environment decides about proxies"),
];

/// Returns whether another program reads the file.
pub(super) fn is_shared(layer: &Layer, around: &Around<'_>) -> bool {
    around.profile.name == "claude" && layer.source != Source::Flag
}

/// Notes the keys of a handler.
pub(super) fn handler(entry: &Entry, text: &str, report: &mut Report<'_>) {
    let is_set = |key| match key {
        "questions" => entry.handler.questions,
        "worker" => entry.handler.worker,
        "warm" => entry.handler.warm == Warm::Auto,
        "mode" => entry.handler.rollout.rollout.written() != Enforcement::Enforce,
        _ => entry.handler.order != 0,
    };
    for (key, elsewhere) in HANDLER_KEYS.iter().filter(|(key, _)| is_set(*key)) {
        let at = key_in(text, entry.span, key).unwrap_or(entry.handler.action_span);
        note(at, key, elsewhere, report);
    }
}

/// Notes the keys of a settings file.
pub(super) fn settings(layer: &Layer, text: &str, report: &mut Report<'_>) {
    if layer.kind != LayerKind::Settings {
        return;
    }
    let Ok(serde_json::Value::Object(members)) = serde_json::from_str(text.trim_start_matches('\u{feff}'))
    else {
        return;
    };
    // If a key has no effect even in Becket, that is reported instead.
    let counts = |key: &str| match layer.source {
        _ if key == "hookBudget" => true,
        Source::Policy => true,
        Source::User => matches!(key, "httpHookAllowedNetworks" | "httpHookProxy" | "audit"),
        Source::Project
        | Source::Local
        | Source::Plugin(_)
        | Source::Skill(_)
        | Source::Agent(_)
        | Source::Callback
        | Source::Function
        | Source::Flag => false,
    };
    if layer.source == Source::Project && !is_home_in_repository(&layer.file) {
        dangerous_modes(&members, text, report);
    }
    for (key, elsewhere) in SETTINGS_KEYS.iter().filter(|(key, _)| counts(key) && members.contains_key(*key))
    {
        if let Some(at) = key_in(text, Span::new(0, text.len()), key) {
            note(at, key, elsewhere, report);
        }
    }
}

/// Returns whether a file is the user's own that a repository of settings keeps: `home/.claude/settings.json`, or
/// `claude/.claude/settings.json`, whose directory `stow` links into the home directory.
fn is_home_in_repository(file: &Path) -> bool {
    const HOMES: [&str; 6] = ["home", "claude", "claude-code", "dotfiles", ".dotfiles", "dots"];
    let directory = file.ancestors().nth(2).and_then(Path::file_name);
    directory.is_some_and(|directory| HOMES.iter().any(|home| directory == *home))
}

/// Notes settings that a file of a repository can't switch on for its users (P14).
fn dangerous_modes(
    members: &serde_json::Map<String, serde_json::Value>,
    text: &str,
    report: &mut Report<'_>,
) {
    let whole = Span::new(0, text.len());
    let mode = members.get("permissions").and_then(|permissions| permissions.get("defaultMode"));
    let is_bypass = mode.and_then(serde_json::Value::as_str) == Some("bypassPermissions");
    let mode = key_in(text, whole, "defaultMode").filter(|_| is_bypass);
    let skip = key_in(text, whole, "skipDangerousModePermissionPrompt")
        .filter(|_| members.contains_key("skipDangerousModePermissionPrompt"));
    for (at, key) in [(mode, "bypassPermissions"), (skip, "skipDangerousModePermissionPrompt")] {
        let Some(at) = at else { continue };
        let message =
            format!("`{key}` has no effect in a project's file on newer hosts, and older ones stop asking");
        report
            .note(at, "dangerous-mode", message)
            .help("remove it; users who want it can set it in their own settings")
            .rule("P14");
    }
}

fn note(at: Span, key: &str, elsewhere: &str, report: &mut Report<'_>) {
    let message = format!("`{key}` is a key of Becket's own: {elsewhere}");
    report
        .note(at, "becket-only-key", message)
        .help("that is fine if Becket runs these hooks; `docs/guide/claude-code.md` shows how")
        .rule("C4");
}

/// Returns the place of a key in a stretch of the text.
fn key_in(text: &str, within: Span, key: &str) -> Option<Span> {
    let quoted = format!("\"{key}\"");
    let part = text.get(within.range())?;
    let at = part.match_indices(&quoted).find(|(at, _)| {
        let after = part.get(at + quoted.len()..).unwrap_or_default();
        after.trim_start().starts_with(':')
    });
    at.map(|(at, _)| Span::new(within.start + at, within.start + at + quoted.len()))
}
