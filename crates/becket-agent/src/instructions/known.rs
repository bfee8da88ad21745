//! The instructions that one agent loop has seen, and those that wait for it.

use super::globs::Globs;
use super::loaded::Memory;
use super::places;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The instructions that one agent loop knows. They are not stored: a resumed session searches its files again.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownInstructions {
    /// Set once the initial instructions were given.
    pub(crate) has_begun: bool,
    /// The files that were looked at, by where they really lie.
    pub(super) files: HashSet<PathBuf>,
    /// The directories below the start that were looked at.
    pub(super) directories: HashSet<PathBuf>,
    /// Rules that match no file used so far.
    pub(super) waiting: Vec<PendingRule>,
    /// Number of files given, and their total size.
    pub(super) count: usize,
    pub(super) bytes: usize,
    /// Set once the user knows that there was no room for all.
    pub(super) is_full: bool,
}

/// A rule that waits for a file.
#[derive(Debug, Clone)]
pub(super) struct PendingRule {
    pub(super) path: PathBuf,
    pub(super) memory: Memory,
    pub(super) globs: Globs,
    /// The directory that its patterns start from.
    pub(super) base: PathBuf,
}

impl PendingRule {
    /// Returns whether it is about a file, by its given name or its target.
    pub(super) fn is_about(&self, file: &Path, real: Option<&Path>) -> bool {
        let real_base = self.base.canonicalize().ok();
        let given = places::below(&self.base, file);
        let led_to = real_base.as_deref().zip(real).and_then(|(base, real)| places::below(base, real));
        [given, led_to].into_iter().flatten().any(|below| self.globs.name(below))
    }
}

impl KnownInstructions {
    /// Takes the rules out that a file lets in.
    pub(super) fn let_in(&mut self, file: &Path, real: Option<&Path>) -> Vec<PendingRule> {
        let (let_in, waiting) =
            std::mem::take(&mut self.waiting).into_iter().partition(|rule| rule.is_about(file, real));
        self.waiting = waiting;
        let_in
    }
}
