//! What the operating system says of changes, kept until somebody looks.
//!
//! Directories are watched and not files, so that a file that is replaced by another of its name is still seen. What does
//! not exist yet is waited for in the nearest directory that does.
//!
//! INVARIANT: what is kept is at most one mark for each wanted path, whatever changes around it and however often.

use notify::event::{AccessKind, AccessMode, ModifyKind};
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How long it has to be quiet before a change counts as whole.
const QUIET: Duration = Duration::from_millis(100);
/// The longest that a change waits for that.
const LONGEST: Duration = Duration::from_secs(1);

/// What is to be heard of.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    /// Single paths.
    pub(super) paths: HashSet<PathBuf>,
    /// Directories with all that lies below; their Markdown files count.
    pub(super) trees: Vec<PathBuf>,
    /// Directories whose own entries count.
    pub(super) flat: Vec<PathBuf>,
}

/// The marks that changes have left.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Wanted paths, trees and flat directories.
    pub(super) paths: HashSet<PathBuf>,
    /// Something went unheard, or a directory around a path is another one: all has to be looked at.
    pub(super) all: bool,
}

/// Marks, and what they are left for.
#[derive(Debug, Default)]
pub(super) struct Dirty {
    inner: Mutex<Inner>,
    news: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    wanted: Wanted,
    /// The directories around what is wanted.
    around: HashSet<PathBuf>,
    marks: Marks,
    first: Option<Instant>,
    last: Option<Instant>,
}

/// Listens to the operating system. Dropped, it is gone.
pub(super) struct Disk {
    watcher: RecommendedWatcher,
    watched: HashMap<PathBuf, RecursiveMode>,
    dirty: Arc<Dirty>,
}

impl Disk {
    /// Listens to nothing yet.
    pub(super) fn new() -> Result<Self, notify::Error> {
        let dirty = Arc::<Dirty>::default();
        let told = Arc::clone(&dirty);
        let on = move |event: notify::Result<Event>| told.heard(event.as_ref().ok());
        let watcher = RecommendedWatcher::new(on, Config::default().with_follow_symlinks(false))?;
        Ok(Self { watcher, watched: HashMap::new(), dirty })
    }

    pub(super) fn dirty(&self) -> Arc<Dirty> {
        Arc::clone(&self.dirty)
    }

    /// Listens to what is around these, and to nothing else. With `afresh` also where it does already: a directory may be
    /// another one of the same name. Gives what can't be watched.
    pub(super) fn listen(&mut self, wanted: Wanted, afresh: bool) -> Vec<String> {
        let directories = directories(&wanted);
        self.dirty.want(wanted);
        let gone: Vec<PathBuf> =
            self.watched.keys().filter(|old| !directories.contains_key(*old)).cloned().collect();
        for old in gone {
            self.watched.remove(&old);
            // It may be gone from the disk, too.
            drop(self.watcher.unwatch(&old));
        }
        let mut wrong = Vec::new();
        for (directory, mode) in directories {
            if !afresh && self.watched.get(&directory) == Some(&mode) {
                continue;
            }
            match self.watcher.watch(&directory, mode) {
                Ok(()) => drop(self.watched.insert(directory, mode)),
                Err(error) => wrong.push(format!("`{}` can't be watched: {error}", directory.display())),
            }
        }
        wrong
    }
}

/// What is listened to: the nearest directory that is there.
fn directories(wanted: &Wanted) -> HashMap<PathBuf, RecursiveMode> {
    let nearest = |path: &Path| path.ancestors().skip(1).find(|above| above.is_dir()).map(Path::to_owned);
    let around =
        wanted.paths.iter().chain(&wanted.trees).chain(&wanted.flat).filter_map(|path| nearest(path));
    let flat = wanted.flat.iter().filter(|path| path.is_dir()).cloned();
    let mut all: HashMap<PathBuf, RecursiveMode> =
        around.chain(flat).map(|directory| (directory, RecursiveMode::NonRecursive)).collect();
    let trees = wanted.trees.iter().filter(|path| path.is_dir());
    all.extend(trees.map(|tree| (tree.clone(), RecursiveMode::Recursive)));
    all
}

impl Dirty {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn want(&self, wanted: Wanted) {
        let all = wanted.paths.iter().chain(&wanted.trees).chain(&wanted.flat);
        let around = all.flat_map(|path| path.ancestors().skip(1)).map(Path::to_owned).collect();
        let mut inner = self.inner();
        (inner.wanted, inner.around) = (wanted, around);
    }

    /// The operating system says something; `None` is an error of its own.
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

    /// Leaves a mark, as if a path had changed now.
    pub(super) fn mark(&self, path: PathBuf) {
        let mut inner = self.inner();
        inner.marks.paths.insert(path);
        inner.now();
        drop(inner);
        self.news.notify_one();
    }

    /// Returns once there are marks, and it was quiet for a moment.
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

    /// Marks what a path means, if it means anything here.
    fn takes(&mut self, path: &Path, moves: bool) -> bool {
        let Wanted { paths, trees, flat } = &self.wanted;
        if paths.contains(path) {
            self.marks.paths.insert(path.to_owned());
            return true;
        }
        let of_tree = trees.iter().find(|tree| path.starts_with(tree) && counts_in_a_tree(path, tree, moves));
        let of_flat = flat.iter().find(|flat| path.parent() == Some(flat) || (moves && path == **flat));
        if let Some(place) = of_tree.or(of_flat) {
            self.marks.all |= path == place;
            self.marks.paths.insert(place.clone());
            return true;
        }
        // A directory on the way was made, removed or renamed.
        let is_around = moves && self.around.contains(path);
        self.marks.all |= is_around;
        is_around
    }
}

/// A Markdown file, the tree itself, or a directory that was moved with what is in it.
fn counts_in_a_tree(path: &Path, tree: &Path, moves: bool) -> bool {
    crate::definitions::is_markdown(path) || (moves && (path == tree || path.extension().is_none()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use notify::event::{CreateKind, DataChange, RemoveKind};

    fn dirty() -> Dirty {
        let dirty = Dirty::default();
        dirty.want(Wanted {
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
            (made, "/h/skills/new", Some("/h/skills"), false),
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
