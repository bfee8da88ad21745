//! `check --fix` and `check --diff`: automatic changes that remove findings.
//!
//! Either all changes of a file are made or none, and none if the file would have more findings afterwards. Managed
//! files, files outside of the checked paths and files that changed since they were read are left alone.

use crate::args::CheckArgs;
use crate::env::Surroundings;
use crate::error::CliError;
use crate::report::style::{HEAD, plain, styled};
use becket_base::config_file::{Access, ConfigFile, FileError};
use becket_base::line_diff;
use becket_engine::config::{self, Diagnostic, Fix, FixSafety, LoadedFiles};
use becket_model::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The maximum number of rounds in one file: overlapping fixes are made one after the other.
const ROUNDS: usize = 16;

/// The requested fixes, and the places in which files may be changed.
#[derive(Debug)]
pub(super) struct Fixer {
    roots: Vec<PathBuf>,
    with_unsafe: bool,
}

/// The change of one file.
#[derive(Debug)]
pub(super) struct FileChange {
    file: PathBuf,
    old: String,
    new: String,
    /// The descriptions of the fixes, each with its line.
    pub(super) made: Vec<String>,
}

impl Fixer {
    /// Returns the fixer that the arguments request.
    ///
    /// # Errors
    /// Errors if a path does not exist, or is stdin.
    pub(super) fn of(args: &CheckArgs, start: &Path) -> Result<Option<Self>, CliError> {
        if !args.fix && !args.diff {
            return Ok(None);
        }
        if args.paths.iter().any(|path| path.as_os_str() == "-") {
            return Err(CliError::usage("stdin can't be fixed: give the file".to_owned()));
        }
        let places: Vec<PathBuf> = match args.paths.as_slice() {
            [] => vec![start.to_owned()],
            paths => paths.iter().map(|path| start.join(path)).collect(),
        };
        let real = |path: PathBuf| path.canonicalize().map_err(|error| CliError::unread(path, &error));
        let roots = places.into_iter().map(real).collect::<Result<_, _>>()?;
        Ok(Some(Fixer { roots, with_unsafe: args.unsafe_fixes }))
    }

    /// Makes the fixes in the texts of `loaded`, and returns the files that they change.
    pub(super) fn fix(
        &self,
        loaded: &mut LoadedFiles,
        findings: impl Fn(&LoadedFiles) -> Vec<Diagnostic>,
    ) -> Vec<FileChange> {
        let before = findings(loaded);
        let files: Vec<PathBuf> = loaded
            .layers()
            .iter()
            .filter(|layer| self.may_change(&layer.source, &layer.file))
            .map(|layer| layer.file.to_path_buf())
            .collect();
        let mut changes: Vec<FileChange> = Vec::new();
        for file in files {
            if changes.iter().all(|change| change.file != file)
                && let Some(change) = self.fix_file(&file, loaded, &findings)
            {
                changes.push(change);
            }
        }
        changes.retain(|change| {
            let is_better = weight(&findings(loaded), &change.file) <= weight(&before, &change.file);
            if !is_better {
                loaded.replace_text(&change.file, &change.old);
            }
            is_better
        });
        changes
    }

    fn fix_file(
        &self,
        file: &Path,
        loaded: &mut LoadedFiles,
        findings: impl Fn(&LoadedFiles) -> Vec<Diagnostic>,
    ) -> Option<FileChange> {
        let old = loaded.text(file)?.to_owned();
        let (mut new, mut made) = (old.clone(), Vec::new());
        for _ in 0..ROUNDS {
            let found = findings(loaded);
            let fixable: Vec<(&Diagnostic, &Fix)> = found
                .iter()
                .filter(|d| *d.file == *file)
                .filter_map(|d| Some((d, self.wanted(d)?)))
                .collect();
            let fixes: Vec<&Fix> = fixable.iter().map(|(_, fix)| *fix).collect();
            let Some(fixed) = config::apply_fixes(&new, &fixes).filter(|fixed| fixed.text != new) else {
                break;
            };
            let of_round = fixed.made.iter().filter_map(|nth| fixable.get(*nth));
            made.extend(of_round.map(|(d, fix)| format!("{}: {} [{}]", d.line, fix.title, d.code)));
            new = fixed.text;
            loaded.replace_text(file, &new);
        }
        (new != old).then(|| FileChange { file: file.to_owned(), old, new, made })
    }

    fn wanted<'d>(&self, diagnostic: &'d Diagnostic) -> Option<&'d Fix> {
        diagnostic.fix.as_ref().filter(|fix| self.with_unsafe || fix.safety == FixSafety::Safe)
    }

    fn may_change(&self, source: &Source, file: &Path) -> bool {
        let is_inside = |real: PathBuf| self.roots.iter().any(|root| real.starts_with(root));
        *source != Source::Policy && file.canonicalize().is_ok_and(is_inside)
    }
}

/// Returns the numbers of errors and of all findings in a file.
fn weight(found: &[Diagnostic], file: &Path) -> (usize, usize) {
    let of_file = || found.iter().filter(|diagnostic| *diagnostic.file == *file);
    (of_file().filter(|diagnostic| diagnostic.is_error()).count(), of_file().count())
}

impl FileChange {
    /// Writes the new text, unless the file changed since it was read.
    ///
    /// # Errors
    /// Errors if the file has changed, or can't be written; it is left unchanged then.
    pub(super) fn write(&self) -> Result<(), CliError> {
        let refused = |why: FileError| {
            let path = self.file.clone();
            if matches!(why, FileError::Changed) {
                return CliError::ChangedSince { path };
            }
            CliError::NotFixed { path, why: why.to_string() }
        };
        let file = ConfigFile::read(&self.file).map_err(refused)?;
        if file.bytes() != Some(self.old.as_bytes()) {
            return Err(refused(FileError::Changed));
        }
        file.replace(Some(self.new.as_bytes()), Access::AsUsual).map_err(refused)
    }

    /// Returns the change as a unified diff.
    pub(super) fn diff(&self, around: &Surroundings) -> String {
        let name = plain(&around.short(&self.file));
        plain(&line_diff::unified(&self.old, &self.new, 3, Some([&name, &name])))
    }

    /// Returns a line for each fix.
    pub(super) fn summary(&self, around: &Surroundings) -> String {
        let name = around.short(&self.file);
        let lines = self
            .made
            .iter()
            .map(|made| format!("{} {}\n", styled(HEAD, "fixed"), plain(&format!("{name}:{made}"))));
        lines.collect()
    }
}

/// The warning before unsafe fixes are made.
const NOTE: &str = " (they may change what runs; `--diff` shows them)";

/// Returns the line that says how many findings have a fix, or nothing.
pub(super) fn hint(found: &[Diagnostic]) -> String {
    let mut count: BTreeMap<bool, usize> = BTreeMap::new();
    for fix in found.iter().filter_map(|diagnostic| diagnostic.fix.as_ref()) {
        *count.entry(fix.safety == FixSafety::Safe).or_default() += 1;
    }
    let of = |safe: bool| count.get(&safe).copied().unwrap_or_default();
    match (of(true), of(false)) {
        (0, 0) => String::new(),
        (safe, 0) => format!("{safe} can be fixed with `--fix`\n"),
        (0, more) => format!("{more} can be fixed with `--fix --unsafe-fixes`{NOTE}\n"),
        (safe, more) => {
            format!("{safe} can be fixed with `--fix`, {more} more with `--unsafe-fixes`{NOTE}\n")
        }
    }
}
