//! The instructions that an agent loop has seen, and those that are pending.

use super::globs::Globs;
use super::loaded::Memory;
use super::places;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The instructions that an agent loop has seen. They are not stored: a resumed session searches its files again.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownInstructions {
    /// Set once the initial instructions were given.
    pub(crate) has_begun: bool,
    /// The files that were checked, by their real paths.
    pub(super) files: HashSet<PathBuf>,
    /// The directories below the start that were checked.
    pub(super) directories: HashSet<PathBuf>,
    /// Rules that match no file used so far.
    pub(super) waiting: Vec<PendingRule>,
    /// The number of files given, and their total size.
    pub(super) count: usize,
    pub(super) bytes: usize,
    /// Set once the user was told that not all fit.
    pub(super) is_full: bool,
}

/// A rule that waits for a file.
#[derive(Debug, Clone)]
pub(super) struct PendingRule {
    pub(super) path: PathBuf,
    pub(super) memory: Memory,
    pub(super) globs: Globs,
    /// The directory that the rule's patterns are relative to.
    pub(super) base: PathBuf,
}

impl PendingRule {
    /// Returns whether the rule applies to a file, by its given path or its target.
    pub(super) fn is_about(&self, file: &Path, real: Option<&Path>) -> bool {
        let real_base = self.base.canonicalize().ok();
        let below_base = places::below(&self.base, file);
        let below_real_base =
            real_base.as_deref().zip(real).and_then(|(base, real)| places::below(base, real));
        [below_base, below_real_base].into_iter().flatten().any(|below| self.globs.name(below))
    }
}

impl KnownInstructions {
    /// Takes out the rules that apply to a file.
    pub(super) fn let_in(&mut self, file: &Path, real: Option<&Path>) -> Vec<PendingRule> {
        let (let_in, waiting) =
            std::mem::take(&mut self.waiting).into_iter().partition(|rule| rule.is_about(file, real));
        self.waiting = waiting;
        let_in
    }
}
