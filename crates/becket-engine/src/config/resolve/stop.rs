//! Errors that stop a session from starting (C7, C7b).

use super::Part;
use crate::config::diagnostic::Diagnostic;
use crate::config::policy::Policy;
use becket_model::Source;
use std::path::Path;
use std::sync::Arc;

/// The reason why a session must not start with this configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StopsStart {
    /// A managed file can't be read, or a guard in it can't be loaded (C7b).
    #[error("managed settings in `{}` are broken, so no session starts: {why}", file.display())]
    Managed {
        /// The file.
        file: Arc<Path>,
        /// The problem with it.
        why: String,
    },
    /// Settings that the host names are lost, or the hooks or rules in them (C7).
    #[error("the settings in `{}` were asked for and can't be used, so no session starts: {why}", file.display())]
    Named {
        /// The file, or a name in angle brackets for a text.
        file: Arc<Path>,
        /// The problem with it.
        why: String,
    },
    /// There are configuration errors, and the configuration is strict (C7).
    #[error("{first}{}; strict configuration was asked for, so no session starts", more(*.errors))]
    Strict {
        /// The number of errors.
        errors: usize,
        /// The first one, with its place.
        first: String,
    },
}

pub(super) fn of_managed(parts: &[Part<'_>]) -> Option<StopsStart> {
    let mut managed = parts.iter().filter(|part| part.layer.source == Source::Policy);
    managed.find_map(|part| {
        let why = part.unread.clone().or_else(|| part.sheet.broken_guard.clone())?;
        Some(StopsStart::Managed { file: part.layer.file.clone(), why })
    })
}

/// Returns the reason if all of what the host names is lost, or all of its hooks or rules: no file that is merely found
/// stops a start, but one that was asked for is part of the request.
pub(super) fn of_named(parts: &[Part<'_>]) -> Option<StopsStart> {
    let mut named = parts.iter().filter(|part| part.layer.source == Source::Flag);
    named.find_map(|part| {
        let why = part.unread.clone().or_else(|| part.sheet.lost.clone())?;
        Some(StopsStart::Named { file: part.layer.file.clone(), why })
    })
}

pub(super) fn of_strictness(policy: &Policy, diagnostics: &[Diagnostic]) -> Option<StopsStart> {
    let mut errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    let first = errors.next().filter(|_| policy.strict_config)?;
    Some(StopsStart::Strict { errors: 1 + errors.count(), first: first.to_string() })
}

fn more(errors: usize) -> String {
    match errors {
        0 | 1 => String::new(),
        2 => " (and another error)".to_owned(),
        errors => format!(" (and {} more errors)", errors - 1),
    }
}
