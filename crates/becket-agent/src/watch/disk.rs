//! Changes reported by the operating system, kept until the next check.
//!
//! Directories are watched instead of files, so that a file that is replaced by another one of the same name is still
//! noticed. For a path that does not exist yet, its nearest existing directory is watched.
//!
//! INVARIANT: at most one mark is kept for each watched path, however much and however often it changes.

use crate::definitions::is_markdown;
use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// The time without changes after which a change counts as complete.
const QUIET: Duration = Duration::from_millis(100);
/// The maximum time that a change waits for that.
const LONGEST: Duration = Duration::from_secs(1);

/// The maximum number of directories watched in a tree, and their maximum depth.
const MOST_DIRECTORIES: usize = 500;
const DEEPEST: usize = 8;

/// The paths to watch.
#[derive(Debug, Clone, Default)]
pub(super) struct WatchedPaths {
    /// Single paths.
    pub(super) paths: HashSet<PathBuf>,
    /// Directory trees, in which Markdown files are watched.
    pub(super) trees: Vec<PathBuf>,
    /// Directories whose direct entries are watched.
    pub(super) flat: Vec<PathBuf>,
}

/// The marks left by changes.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// The marked paths, trees and flat directories.
    pub(super) paths: HashSet<PathBuf>,
    /// Set if events were lost, or a directory around a path was replaced: everything must be checked.
    pub(super) all: bool,
}

/// The marks, and the paths that they can be set for.
#[derive(Debug, Default)]
pub(super) struct Dirty {
    inner: Mutex<Inner>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    wanted: WatchedPaths,
    /// The parent directories of the watched paths.
    around: HashSet<PathBuf>,
    marks: Marks,
    first: Option<Instant>,
    last: Option<Instant>,
}

/// Receives events from the operating system, until dropped.
pub(super) struct Disk {
    watcher: RecommendedWatcher,
    watched: HashSet<PathBuf>,
    dirty: Arc<Dirty>,
}

impl Disk {
    /// Creates a watcher without any paths.
    pub(super) fn new() -> Result<Self, notify::Error> {
        let dirty = Arc::<Dirty>::default();
        let receiver = Arc::clone(&dirty);
        let on = move |event: notify::Result<Event>| receiver.heard(event.as_ref().ok());
        let watcher = RecommendedWatcher::new(on, Config::default().with_follow_symlinks(false))?;
        Ok(Self { watcher, watched: HashSet::new(), dirty })
    }

    pub(super) fn dirty(&self) -> Arc<Dirty> {
        Arc::clone(&self.dirty)
    }

    /// Watches the directories around these paths, and nothing else. With `afresh`, existing watches are renewed: a
    /// directory may have been replaced by another one of the same name. Returns errors about paths that can't be
    /// watched.
    pub(super) fn listen(&mut self, wanted: WatchedPaths, afresh: bool) -> Vec<String> {
        let (directories, mut wrong) = directories(&wanted);
        self.dirty.want(wanted);
        let gone: Vec<PathBuf> = self.watched.difference(&directories).cloned().collect();
        for old in gone {
            self.watched.remove(&old);
            // The directory may also have been deleted.
            drop(self.watcher.unwatch(&old));
        }
        for directory in directories {
            if !afresh && self.watched.contains(&directory) {
                continue;
            }
            match self.watcher.watch(&directory, RecursiveMode::NonRecursive) {
                Ok(()) => drop(self.watched.insert(directory)),
                Err(error) => wrong.push(format!("`{}` can't be watched: {error}", directory.display())),
            }
        }
        wrong
    }
}

/// Returns the directories to watch, and errors for those beyond the limit: for a path the nearest existing directory,
/// and all directories of a tree.
fn directories(wanted: &WatchedPaths) -> (HashSet<PathBuf>, Vec<String>) {
    let nearest = |path: &Path| path.ancestors().skip(1).find(|above| above.is_dir()).map(Path::to_owned);
    let around =
        wanted.paths.iter().chain(&wanted.trees).chain(&wanted.flat).filter_map(|path| nearest(path));
    let flat = wanted.flat.iter().filter(|path| path.is_dir()).cloned();
    let mut all: HashSet<PathBuf> = around.chain(flat).collect();
    let mut wrong = Vec::new();
    for tree in &wanted.trees {
        let (below, is_whole) = tree_of(tree);
        all.extend(below);
        if !is_whole {
            let most = format!("more than {MOST_DIRECTORIES} directories");
            wrong.push(format!("`{}` has {most}: the others are not watched", tree.display()));
        }
    }
    (all, wrong)
}

/// Returns the directories of a tree, including the tree itself, topmost first, and whether these are all. Hidden ones
/// contain no definitions.
fn tree_of(tree: &Path) -> (Vec<PathBuf>, bool) {
    let (mut found, mut at) = (Vec::new(), 0);
    found.extend(Some(tree.to_owned()).filter(|tree| tree.is_dir()));
    while let Some(directory) = found.get(at).cloned() {
        at += 1;
        let is_deep = directory.strip_prefix(tree).map_or(0, |below| below.components().count()) >= DEEPEST;
        let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten().filter(|_| !is_deep);
        let is_hidden = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
        let entries = entries.filter(|entry| !is_hidden(&entry.file_name()));
        for below in entries.map(|entry| entry.path()).filter(|path| path.is_dir()) {
            if found.len() == MOST_DIRECTORIES {
                return (found, false);
            }
            found.push(below);
        }
    }
    (found, true)
}

impl Dirty {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn want(&self, wanted: WatchedPaths) {
        let all = wanted.paths.iter().chain(&wanted.trees).chain(&wanted.flat);
        let around = all.flat_map(|path| path.ancestors().skip(1)).map(Path::to_owned).collect();
        let mut inner = self.inner();
        (inner.wanted, inner.around) = (wanted, around);
    }

    /// Handles an event of the operating system; `None` is an error of the watcher itself.
    fn heard(&self, event: Option<&Event>) {
        let mut inner = self.inner();
        match event {
            Some(event) if !event.need_rescan() => {
                if !is_change(event.kind) {
                    return;
                }
                let moves = is_move(event.kind);
                let marked = event.paths.iter().filter(|path| inner.takes(path, moves)).count();
                if marked == 0 {
                    return;
                }
            }
            Some(_) | None => inner.marks.all = true,
        }
        inner.now();
        drop(inner);
        self.news.notify_one();
    }

    /// Sets a mark, as if a path had just changed.
    pub(super) fn mark(&self, path: PathBuf) {
        let mut inner = self.inner();
        inner.marks.paths.insert(path);
        inner.now();
        drop(inner);
        self.news.notify_one();
    }

    /// Returns once there are marks, and nothing has changed for a moment.
    pub(super) async fn settled(&self) {
        loop {
            let news = self.news.notified();
            let due = self.inner().due();
            match due.map(|due| due.saturating_duration_since(Instant::now())) {
                None => news.await,
                Some(Duration::ZERO) => return,
                Some(left) => tokio::time::sleep(left).await,
            }
        }
    }

    /// Takes the marks.
    pub(super) fn take(&self) -> Marks {
        let mut inner = self.inner();
        (inner.first, inner.last) = (None, None);
        std::mem::take(&mut inner.marks)
    }
}

impl Inner {
    fn now(&mut self) {
        let now = Instant::now();
        self.first.get_or_insert(now);
        self.last = Some(now);
    }

    fn due(&self) -> Option<Instant> {
        Some((self.last? + QUIET).min(self.first? + LONGEST))
    }

    /// Sets the mark for a changed path; returns whether it matters here.
    fn takes(&mut self, path: &Path, moves: bool) -> bool {
        let WatchedPaths { paths, trees, flat } = &self.wanted;
        if paths.contains(path) {
            self.marks.paths.insert(path.to_owned());
            return true;
        }
        if let Some(tree) = trees.iter().find(|tree| path.starts_with(tree) && counts_in_a_tree(path, moves))
        {
            // A new or removed directory must be added to or removed from the watch.
            self.marks.all |= !is_markdown(path);
            self.marks.paths.insert(tree.clone());
            return true;
        }
        if let Some(flat) = flat.iter().find(|flat| path.parent() == Some(flat) || (moves && path == **flat))
        {
            self.marks.all |= path == *flat;
            self.marks.paths.insert(flat.clone());
            return true;
        }
        // A directory on the way was created, removed or renamed.
        let is_around = moves && self.around.contains(path);
        self.marks.all |= is_around;
        is_around
    }
}

/// Returns whether a path may matter in a tree: a Markdown file, or possibly a directory that was moved with its
/// content.
fn counts_in_a_tree(path: &Path, moves: bool) -> bool {
    is_markdown(path) || (moves && path.extension().is_none())
}

fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(access) => access == AccessKind::Close(AccessMode::Write),
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    }
}

fn is_move(kind: EventKind) -> bool {
    match kind {
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => true,
        EventKind::Any | EventKind::Access(_) | EventKind::Modify(_) | EventKind::Other => false,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use notify::event::{CreateKind, DataChange, RemoveKind};

    fn dirty() -> Dirty {
        let dirty = Dirty::default();
        dirty.want(WatchedPaths {
            paths: [PathBuf::from("/w/a/x")].into(),
            trees: vec!["/h/skills".into()],
            flat: vec!["/m/d".into()],
        });
        dirty
    }

    #[test]
    fn only_what_is_wanted_leaves_a_mark() {
        let changed = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        let (made, removed) = (EventKind::Create(CreateKind::Any), EventKind::Remove(RemoveKind::Any));
        let opened = EventKind::Access(AccessKind::Open(AccessMode::Any));
        for (kind, path, marked, all) in [
            (changed, "/w/a/x", Some("/w/a/x"), false),
            (removed, "/w/a/x", Some("/w/a/x"), false),
            (opened, "/w/a/x", None, false),
            (changed, "/w/a/y", None, false),
            (made, "/w/a", None, true),
            (changed, "/w/a", None, false),
            (made, "/w/b", None, false),
            (changed, "/h/skills/s/SKILL.md", Some("/h/skills"), false),
            (changed, "/h/skills/s/data.bin", None, false),
            (made, "/h/skills/new", Some("/h/skills"), true),
            (made, "/h/skills/new.bin", None, false),
            (made, "/h/skills", Some("/h/skills"), true),
            (changed, "/m/d/10.json", Some("/m/d"), false),
            (removed, "/m/d", Some("/m/d"), true),
        ] {
            let dirty = dirty();
            dirty.heard(Some(&Event::new(kind).add_path(path.into())));
            let marks = dirty.take();
            let found: Vec<PathBuf> = marks.paths.into_iter().collect();
            assert_eq!(
                (found, marks.all),
                (marked.map(PathBuf::from).into_iter().collect(), all),
                "{kind:?} {path}"
            );
        }
    }

    #[test]
    fn a_tree_is_listened_to_as_far_as_it_is_sensible() {
        let root = tempfile::tempdir().unwrap();
        let tree = root.path().join("skills");
        assert_eq!(tree_of(&tree), (vec![], true));
        for below in ["a/b", ".git/objects"] {
            std::fs::create_dir_all(tree.join(below)).unwrap();
        }
        std::os::unix::fs::symlink(&tree, tree.join("a/circle")).unwrap();
        let (found, is_whole) = tree_of(&tree);
        assert!(is_whole && found[0] == tree && found.contains(&tree.join("a/b")), "{found:?}");
        assert!(found.iter().all(|path| !path.starts_with(tree.join(".git"))), "{found:?}");
        assert!(found.iter().all(|path| path.strip_prefix(&tree).unwrap().components().count() <= DEEPEST));
        for n in 0..MOST_DIRECTORIES {
            std::fs::create_dir(tree.join(n.to_string())).unwrap();
        }
        let (found, is_whole) = tree_of(&tree);
        assert_eq!((found.len(), is_whole), (MOST_DIRECTORIES, false));
    }

    #[test]
    fn a_storm_leaves_one_mark_and_what_was_lost_marks_all() {
        let dirty = dirty();
        let changed = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        for n in 0..100_000 {
            dirty.heard(Some(&Event::new(changed).add_path(format!("/w/a/{n}").into())));
            dirty.heard(Some(&Event::new(changed).add_path("/w/a/x".into())));
        }
        assert_eq!(dirty.take().paths.len(), 1);
        dirty.heard(None);
        assert!(dirty.take().all);
        assert!(dirty.inner().due().is_none(), "what was taken is not due any more");
    }

    #[tokio::test]
    async fn a_change_settles_even_where_it_never_rests() {
        let dirty = dirty();
        dirty.mark("/w/a/x".into());
        let (waited, ()) = tokio::join!(
            async {
                let start = Instant::now();
                dirty.settled().await;
                start.elapsed()
            },
            async {
                for _ in 0..30 {
                    tokio::time::sleep(QUIET / 2).await;
                    dirty.mark("/w/a/x".into());
                }
            }
        );
        assert!(waited >= LONGEST, "{waited:?}");
    }
}
