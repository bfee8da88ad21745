//! The cases of a project: its case files, and the comments in its hooks.

use crate::case::{Case, CaseOrigin, EquivalentMutant};
use crate::case_file::{self, CaseFileError};
use crate::comment;
use crate::handler_name;
use becket_base::text_file;
use becket_engine::handler::Handler;
use becket_engine::hookset::HookSet;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The directory of case files next to that of the settings.
const BESIDE: &str = "becket-tests";
/// The largest file of a hook that is searched for comments, in bytes.
const LARGEST: u64 = 1 << 20;
/// The largest case file, in bytes.
const LARGEST_OF_CASES: u64 = 16 << 20;

/// All cases of a project.
#[derive(Debug, Default)]
pub struct Suite {
    /// The cases: those of files first, in the order of their names.
    pub cases: Vec<Arc<Case>>,
    /// The mutants that no case can kill, as declared by the authors.
    pub equivalents: Vec<EquivalentMutant>,
    /// The errors in case files and comments.
    pub errors: Vec<CaseFileError>,
    /// The texts of the case files as they were read.
    texts: BTreeMap<PathBuf, String>,
}

impl Suite {
    /// Reads the cases of the project in `root`, whose settings directory is called `settings`.
    pub fn load(root: &Path, settings: &str, hooks: &HookSet) -> Self {
        let mut suite = Suite::default();
        let mut files = Vec::new();
        for directory in [root.join(settings).join("tests"), root.join(BESIDE)] {
            suite.list(&directory, &mut files);
        }
        files.sort();
        for file in files {
            suite.add_file(&file);
        }
        for (file, handlers) in by_script(hooks, root) {
            let Ok(text) = text_file::read_within(&file, LARGEST) else { continue };
            let (cases, errors) = comment::read(&file, &text, &handlers);
            suite.cases.extend(cases.into_iter().map(Arc::new));
            suite.errors.extend(errors);
        }
        suite
    }

    /// Lists the TOML files of a directory and those below it.
    fn list(&mut self, directory: &Path, files: &mut Vec<PathBuf>) {
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => return self.unread(directory, &error),
        };
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() && !path.is_symlink() {
                self.list(&path, files);
            } else if path.extension().is_some_and(|ending| ending == "toml") {
                files.push(path);
            }
        }
    }

    fn add_file(&mut self, file: &Path) {
        let text = match text_file::read_within(file, LARGEST_OF_CASES) {
            Ok(text) => text,
            Err(error) => return self.unread(file, &error),
        };
        match case_file::read(file, &text) {
            Ok(read) => {
                self.cases.extend(read.cases.into_iter().map(Arc::new));
                self.equivalents.extend(read.equivalents);
            }
            Err(errors) => self.errors.extend(errors),
        }
        self.texts.insert(file.to_owned(), text);
    }

    fn unread(&mut self, file: &Path, error: &impl std::fmt::Display) {
        let origin = CaseOrigin { file: file.to_owned(), line: 1, column: 1, index: None };
        self.errors.push(CaseFileError { origin, what: format!("it can't be read: {error}") });
    }

    /// Returns the text of a case file as it was read.
    pub fn text(&self, file: &Path) -> Option<&str> {
        self.texts.get(file).map(String::as_str)
    }

    /// Returns the case files that were changed since they were read: a hook has changed them.
    pub fn changed_files(&self) -> Vec<&Path> {
        let now = |file: &Path| text_file::read_within(file, LARGEST_OF_CASES).ok();
        let is_changed = |(file, text): &(&PathBuf, &String)| now(file).as_ref() != Some(*text);
        self.texts.iter().filter(is_changed).map(|(file, _)| file.as_path()).collect()
    }
}

/// Groups the handlers by the files that they run.
fn by_script(hooks: &HookSet, root: &Path) -> BTreeMap<PathBuf, Vec<Arc<Handler>>> {
    let mut found: BTreeMap<PathBuf, Vec<Arc<Handler>>> = BTreeMap::new();
    for handler in hooks.all() {
        for script in scripts(handler, root) {
            found.entry(script).or_default().push(handler.clone());
        }
    }
    found
}

/// Returns the files of the project and of plugins that the command of a handler names.
pub fn scripts(handler: &Handler, root: &Path) -> BTreeSet<PathBuf> {
    let plugin = handler.root.as_ref().map(|plugin| plugin.root.as_path());
    let is_inside =
        |path: &PathBuf| path.starts_with(root) || plugin.is_some_and(|plugin| path.starts_with(plugin));
    let paths = named_paths(handler, root).into_iter().filter_map(|path| path.canonicalize().ok());
    paths.filter(|path| is_inside(path) && path.is_file()).collect()
}

/// Returns the paths that the words of a command may be, whether or not there are such files.
fn named_paths(handler: &Handler, root: &Path) -> Vec<PathBuf> {
    let plugin = handler.root.as_ref().map(|plugin| plugin.root.as_path());
    let path = |word: String| match word.strip_prefix('$') {
        Some(rest) => {
            let rest = rest.trim_start_matches('{');
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let (variable, path) = rest.split_at(end);
            let path = path.trim_start_matches('}').trim_start_matches('/');
            match variable {
                name if name.ends_with("PLUGIN_ROOT") => Some(plugin?.join(path)),
                name if name.ends_with("PROJECT_DIR") => Some(root.join(path)),
                _ => None,
            }
        }
        None => Some(root.join(word)),
    };
    handler_name::words(handler).into_iter().filter_map(path).collect()
}

/// Shuffles cases with a seed.
pub fn shuffle(cases: &mut [Arc<Case>], seed: u64) {
    fastrand::Rng::with_seed(seed).shuffle(cases);
}

/// Returns whether the case file, or the settings or a script of a hook of the case's events, is among `changed`.
pub fn is_concerned(case: &Case, hooks: &HookSet, root: &Path, changed: &BTreeSet<PathBuf>) -> bool {
    let mut handlers = case.steps.iter().flat_map(|step| hooks.of(step.event));
    changed.contains(&case.origin.file)
        || handlers.any(|handler| {
            // A script that is no longer there has changed as well.
            let is_changed = |path: PathBuf| changed.contains(&path.canonicalize().unwrap_or(path));
            changed.contains(&*handler.location.file)
                || named_paths(handler, root).into_iter().any(is_changed)
        })
}
