//! Compares the disk with its previous state. Blocks, and so runs off the runtime's threads.

use super::disk::{Disk, Marks, WatchedPaths};
use super::list::List;
use super::path_state::{Content, PathState};
use super::places::{FileWatch, Settings};
use crate::definitions::{is_markdown, markdown};
use becket_model::Source;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// The changes found by a check.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    /// The files of FileChanged, with the kind of change.
    pub(super) files: Vec<(PathBuf, &'static str)>,
    /// The files of the configuration, by their source in ConfigChange.
    pub(super) config: Vec<ConfigFile>,
    /// The paths to check again later, because their hooks are still running.
    pub(super) held: Vec<PathBuf>,
}

/// A file of the configuration that has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConfigFile {
    pub(super) source: &'static str,
    pub(super) path: PathBuf,
    /// The path that represents all files of that source.
    pub(super) place: PathBuf,
}

/// The source of skills and commands in ConfigChange.
pub(super) const SKILLS: &str = "skills";

/// The paths to watch, and the settings from before anything ran.
pub(crate) struct WatchBaseline {
    what: FileWatch,
    settings: Vec<BTreeMap<PathBuf, Content>>,
    skills: Vec<BTreeMap<PathBuf, PathState>>,
}

impl FileWatch {
    /// Reads the settings, relative to which changes are detected. Blocks.
    pub(crate) fn remember(self) -> WatchBaseline {
        let settings = self.settings.iter().map(contents).collect();
        let skills = self.skills.iter().map(|tree| below(tree)).collect();
        WatchBaseline { what: self, settings, skills }
    }
}

/// The state of the disk at the last check.
pub(super) struct Eyes {
    what: FileWatch,
    disk: Disk,
    files: HashMap<PathBuf, PathState>,
    settings: Vec<BTreeMap<PathBuf, Content>>,
    skills: Vec<BTreeMap<PathBuf, PathState>>,
}

impl Eyes {
    /// Starts from the remembered state. All settings are marked, because they may have changed since then.
    pub(super) fn new(before: WatchBaseline, disk: Disk) -> Self {
        let WatchBaseline { what, settings, skills } = before;
        let dirty = disk.dirty();
        what.settings.iter().for_each(|settings| dirty.mark(settings.file.clone()));
        Self { what, disk, files: HashMap::new(), settings, skills }
    }

    /// Watches the files of a new list; returns those that can't be watched. Set `afresh` if directories may have
    /// changed.
    pub(super) fn watch(&mut self, list: &List, afresh: bool) -> Vec<String> {
        let files = self.what.settings.iter().map(|settings| settings.file.clone());
        let wanted = WatchedPaths {
            paths: list.paths.iter().cloned().chain(files).collect(),
            trees: self.what.skills.clone(),
            flat: self.what.settings.iter().filter_map(|settings| settings.more.clone()).collect(),
        };
        let wrong = self.disk.listen(wanted, afresh);
        // Checked only after the watch is set up, or a change in between would be lost.
        self.files.retain(|path, _| list.paths.contains(path));
        for path in &list.paths {
            self.files.entry(path.clone()).or_insert_with(|| PathState::at(path));
        }
        wrong
    }

    /// Takes the current settings as the known state: the session has written them itself.
    pub(super) fn know_settings(&mut self) {
        self.settings = self.what.settings.iter().map(contents).collect();
    }

    /// Checks the marked paths; `may` returns whether hooks of a path may run now.
    pub(super) fn look(&mut self, marks: &Marks, mut may: impl FnMut(&Path) -> bool) -> Changes {
        let mut changes = Changes::default();
        let is_marked = |path: &PathBuf| marks.all || marks.paths.contains(path);
        let mut marked: Vec<PathBuf> = self.files.keys().filter(|path| is_marked(path)).cloned().collect();
        marked.sort();
        for path in marked {
            let now = PathState::at(&path);
            let Some(event) = self.files.get(&path).and_then(|before| now.since(*before)) else { continue };
            if may(&path) {
                self.files.insert(path.clone(), now);
                changes.files.push((path, event));
            } else {
                changes.held.push(path);
            }
        }
        self.look_at_settings(&is_marked, &mut may, &mut changes);
        self.look_at_skills(&is_marked, &mut may, &mut changes);
        changes
    }

    fn look_at_settings(
        &mut self,
        is_marked: &impl Fn(&PathBuf) -> bool,
        may: &mut impl FnMut(&Path) -> bool,
        changes: &mut Changes,
    ) {
        for (settings, before) in self.what.settings.iter().zip(&mut self.settings) {
            if is_marked(&settings.file) || settings.more.as_ref().is_some_and(is_marked) {
                changes.compare(settings.source, &settings.file, before, contents(settings), may);
            }
        }
    }

    fn look_at_skills(
        &mut self,
        is_marked: &impl Fn(&PathBuf) -> bool,
        may: &mut impl FnMut(&Path) -> bool,
        changes: &mut Changes,
    ) {
        for (tree, before) in self.what.skills.iter().zip(&mut self.skills) {
            if is_marked(tree) {
                changes.compare(SKILLS, tree, before, below(tree), may);
            }
        }
    }
}

impl Changes {
    /// Records that the files of a source have changed, if hooks may run now.
    fn compare<T: PartialEq>(
        &mut self,
        source: &'static str,
        place: &Path,
        before: &mut BTreeMap<PathBuf, T>,
        now: BTreeMap<PathBuf, T>,
        may: &mut impl FnMut(&Path) -> bool,
    ) {
        let Some(path) = different(before, &now) else { return };
        if may(place) {
            *before = now;
            self.config.push(ConfigFile { source, path, place: place.to_owned() });
        } else {
            self.held.push(place.to_owned());
        }
    }
}

fn contents(settings: &Settings) -> BTreeMap<PathBuf, Content> {
    let read = |path: PathBuf| (Content::of(&path), path);
    let all = settings.files().into_iter().map(read);
    all.filter(|(content, _)| *content != Content::Nothing).map(|(content, path)| (path, content)).collect()
}

/// Returns the Markdown files of a tree.
fn below(tree: &Path) -> BTreeMap<PathBuf, PathState> {
    let files = markdown(tree, &Source::User, is_markdown).files.into_iter().map(|file| tree.join(file));
    files.map(|file| (file.clone(), PathState::at(&file))).collect()
}

/// Returns the first file that has changed.
fn different<T: PartialEq>(before: &BTreeMap<PathBuf, T>, now: &BTreeMap<PathBuf, T>) -> Option<PathBuf> {
    let mut all = before.keys().chain(now.keys());
    all.find(|path| before.get(*path) != now.get(*path)).cloned()
}
