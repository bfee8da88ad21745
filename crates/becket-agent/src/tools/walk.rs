//! The files of a tree, as ripgrep sees them: no hidden files, none that an ignore file names, no links followed.
//!
//! What ripgrep reads beside the tree is not read: neither git's global excludes nor a configuration of its own, since
//! this crate looks up no home directory.

use super::name_filter::NameFilter;
use crate::blocking::{Halted, Stop};
use crate::denied::Denied;
use ignore::WalkBuilder;
use ignore::types::{Types, TypesBuilder};
use std::path::{Path, PathBuf};

/// What is walked, and past what.
#[derive(Debug)]
pub(crate) struct Tree {
    /// A directory, or one file.
    pub(crate) root: PathBuf,
    pub(crate) filter: Option<NameFilter>,
    pub(crate) types: Option<Types>,
    pub(crate) denied: Denied,
}

impl Tree {
    /// Shows every file, a directory's in the order of their names, until `each` says `false` or the work is to end.
    /// How many were passed over because a rule denies them.
    pub(crate) fn visit(&self, stop: &Stop, mut each: impl FnMut(&Path) -> bool) -> Result<usize, Halted> {
        let mut passed_over = 0;
        let hidden = self.filter.as_ref().is_some_and(NameFilter::is_about_hidden);
        let mut builder = WalkBuilder::new(&self.root);
        builder.hidden(!hidden).git_global(false).follow_links(false).sort_by_file_name(Ord::cmp);
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

/// Ripgrep's file type of that name.
///
/// # Errors
/// There is none, with a near one where there is one.
pub(crate) fn file_type(name: &str) -> Result<Types, String> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let known = builder.definitions();
    let names: Vec<&str> = known.iter().map(ignore::types::FileTypeDef::name).collect();
    if !names.contains(&name) {
        let near = becket_rules::suggest(name, &names);
        let hint = near.map_or("use `glob`".to_owned(), |near| format!("did you mean `{near}`?"));
        return Err(format!("`type` has no `{}`: {hint}", crate::schema::brief(name)));
    }
    builder.select(name).build().map_err(|error| format!("`type` can't be read: {error}"))
}
