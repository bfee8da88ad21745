//! The files of a tree, as ripgrep sees them: no hidden files, none that an ignore file names, no links followed.
//!
//! Files that ripgrep reads outside of the tree are not read, neither git's excludes nor its own configuration: this
//! crate looks up no home directory, and the tree itself decides where its repository is.
//!
//! INVARIANT: an ignore file is opened only if it is a regular file of a sensible size. A tree may contain one that is
//! a pipe or leads to a device, which would block the search forever, or fill the memory.

use super::name_filter::NameFilter;
use crate::blocking::{BlockingError, Stop};
use crate::denied::DeniedFiles;
use ignore::WalkBuilder;
use ignore::types::{Types, TypesBuilder};
use std::path::{Path, PathBuf};

/// The ignore files of a directory.
const IGNORE_FILES: [&str; 2] = [".ignore", ".gitignore"];
/// The maximum size of the ignore files that apply to one file, in bytes: an expression of a few bytes costs a
/// kilobyte and more.
const LONGEST: u64 = 256 << 10;

/// The roots of a walk, and the files that it skips.
#[derive(Debug)]
pub(crate) struct Tree {
    /// A directory, or a single file.
    pub(crate) root: PathBuf,
    pub(crate) filter: Option<NameFilter>,
    pub(crate) types: Option<Types>,
    pub(crate) denied: DeniedFiles,
}

impl Tree {
    /// Passes every file to `each`, those of a directory sorted by name, until it returns `false` or the work has to
    /// end. Returns the number of files that were skipped because a rule denies them.
    pub(crate) fn visit(
        &self,
        stop: &Stop,
        mut each: impl FnMut(&Path) -> bool,
    ) -> Result<usize, BlockingError> {
        let mut passed_over = 0;
        if self.root.is_dir() && !ignore_plainly([self.root.as_path()]) {
            return Ok(passed_over);
        }
        let hidden = self.filter.as_ref().is_some_and(NameFilter::is_about_hidden);
        let mut builder = WalkBuilder::new(&self.root);
        builder.hidden(!hidden).follow_links(false).sort_by_file_name(Ord::cmp);
        builder.git_global(false).git_exclude(false);
        // Ignore files above the tree are read for git, too: if one of them is unsafe, git's ignore files are not used
        // at all.
        let above = self.root.canonicalize().unwrap_or_default();
        let above = ignore_plainly(above.ancestors().skip(1));
        builder.parents(above).git_ignore(above);
        // A directory is skipped like one that can't be read.
        let root = self.root.clone();
        builder.filter_entry(move |entry| {
            let inside = entry.path().ancestors().take_while(|directory| directory.starts_with(&root));
            !entry.file_type().is_some_and(|kind| kind.is_dir()) || ignore_plainly(inside)
        });
        if let Some(types) = &self.types {
            builder.types(types.clone());
        }
        for entry in builder.build() {
            stop.check()?;
            // A directory that can't be read hides its files, as in ripgrep.
            let Ok(entry) = entry else { continue };
            let is_file = match entry.file_type() {
                Some(kind) if kind.is_symlink() => entry.depth() == 0 && entry.path().is_file(),
                Some(kind) => kind.is_file(),
                None => false,
            };
            if !is_file || !self.names(entry.path()) {
                continue;
            }
            if self.denied.has(entry.path()) {
                passed_over += 1;
            } else if !each(entry.path()) {
                break;
            }
        }
        Ok(passed_over)
    }

    fn names(&self, path: &Path) -> bool {
        let Some(filter) = &self.filter else { return true };
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        if below.as_os_str().is_empty() {
            path.file_name().is_some_and(|name| filter.names(Path::new(name)))
        } else {
            filter.names(below)
        }
    }
}

/// Returns whether the ignore files of all these directories can be read safely.
fn ignore_plainly<'a>(directories: impl IntoIterator<Item = &'a Path>) -> bool {
    let files = directories.into_iter().flat_map(|directory| IGNORE_FILES.map(|name| directory.join(name)));
    let total = files.map(|path| length(&path)).try_fold(0_u64, |sum, length| sum.checked_add(length?));
    total.is_some_and(|total| total <= LONGEST)
}

/// Returns the size of a file, 0 if there is none; `None` if it might be read forever. An empty file behind a link may
/// be a file of the system that only looks empty.
fn length(path: &Path) -> Option<u64> {
    match path.metadata() {
        Ok(file) if file.is_file() && (file.len() > 0 || !path.is_symlink()) => Some(file.len()),
        Ok(_) => None,
        Err(_) => Some(0),
    }
}

/// Returns ripgrep's file type of that name.
///
/// # Errors
/// Errors if there is none, with a similar name if possible.
pub(crate) fn file_type(name: &str) -> Result<Types, String> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let known = builder.definitions();
    let names: Vec<&str> = known.iter().map(ignore::types::FileTypeDef::name).collect();
    if !names.contains(&name) {
        let near = becket_base::suggest(name, &names);
        let hint = near.map_or("use `glob`".to_owned(), |near| format!("did you mean `{near}`?"));
        return Err(format!("`type` has no `{}`: {hint}", crate::schema::brief(name)));
    }
    builder.select(name).build().map_err(|error| format!("`type` can't be read: {error}"))
}
