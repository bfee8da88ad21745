//! The watch of one session: changes on disk become events, and what hooks make of them is done.
//!
//! FileChanged is started and left (L3), one run of a path at a time and [`AT_ONCE`] in all: what changes meanwhile waits,
//! and is told once. ConfigChange is waited for, beside everything else, since it may refuse the change (C8).

use super::chain::{Chain, Link, MOST};
use super::disk::{Dirty, Disk};
use super::eyes::{Changes, ConfigFile, Eyes, SKILLS, WatchBaseline};
use super::list::List;
use crate::facts::Facts;
use crate::hook_messages;
use crate::session::Expand;
use crate::turn::SessionShared;
use crate::update::{Level, Notice, Updates};
use becket_engine::{CancellationToken, ConfigChanged};
use becket_model::event::environment::{ConfigChange, FileChanged};
use becket_model::{Event, EventKind};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;
use tokio::task::{JoinHandle, JoinSet};

/// Maximum number of changes whose hooks run at once.
const AT_ONCE: usize = 8;

/// The session's handles for its watch.
pub(crate) struct WatchContext {
    pub(crate) shared: Weak<SessionShared>,
    pub(crate) facts: Facts,
    pub(crate) updates: Updates,
    pub(crate) expand: Option<Arc<dyn Expand>>,
}

/// A watch that runs until it is ended, or dropped.
pub(crate) struct WatchHandle {
    end: CancellationToken,
    task: Option<JoinHandle<()>>,
}

impl WatchHandle {
    /// Starts the watch for changes from now on. None if the system can't watch; the user is notified.
    pub(crate) async fn start(before: WatchBaseline, lent: WatchContext) -> Option<Self> {
        let disk = match Disk::new() {
            Ok(disk) => disk,
            Err(error) => {
                let text =
                    format!("files are not watched, so FileChanged and ConfigChange do not fire: {error}");
                lent.updates.notice(Notice::warning(text));
                return None;
            }
        };
        let dirty = disk.dirty();
        let shared = Arc::new(WatchState { dirty, state: Mutex::default() });
        let mut watch = Watch { lent, shared, eyes: None, told: HashSet::new(), judged: JoinSet::new() };
        let made = tokio::task::spawn_blocking(move || Eyes::new(before, disk)).await;
        watch.eyes = made.ok();
        watch.list(false).await;
        let end = CancellationToken::new();
        let until = end.clone();
        let task = tokio::spawn(async move {
            // Cancelled, it is dropped wherever it is; what it has started goes with it.
            until.run_until_cancelled(watch.run()).await;
            watch.judged.shutdown().await;
        });
        Some(Self { end, task: Some(task) })
    }

    /// Ends it, and waits until nothing of it is left.
    pub(crate) async fn end(mut self) {
        self.end.cancel();
        if let Some(task) = self.task.take() {
            drop(task.await);
        }
    }
}

impl Drop for WatchHandle {
    fn drop(&mut self) {
        self.end.cancel();
    }
}

/// State shared with running hooks.
struct WatchState {
    dirty: Arc<Dirty>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    chain: Chain,
    /// Paths whose hooks run.
    busy: HashSet<PathBuf>,
    /// Paths that have changed meanwhile.
    held: HashSet<PathBuf>,
}

impl WatchState {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run of hooks, whatever becomes of it.
struct HookRun {
    shared: Arc<WatchState>,
    path: PathBuf,
}

impl HookRun {
    fn begin(shared: &Arc<WatchState>, path: &Path) -> Self {
        let mut state = shared.state();
        state.chain.began();
        state.busy.insert(path.to_owned());
        drop(state);
        Self { shared: Arc::clone(shared), path: path.to_owned() }
    }
}

impl Drop for HookRun {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.chain.ended(Instant::now());
        state.busy.remove(&self.path);
        let held = std::mem::take(&mut state.held);
        drop(state);
        held.into_iter().for_each(|path| self.shared.dirty.mark(path));
    }
}

/// The watch at work.
struct Watch {
    lent: WatchContext,
    shared: Arc<WatchState>,
    /// Gone only where looking has panicked.
    eyes: Option<Eyes>,
    /// Messages that the user has already seen.
    told: HashSet<String>,
    /// ConfigChange hooks that run.
    judged: JoinSet<()>,
}

impl Watch {
    async fn run(&mut self) {
        let Some(news) = self.lent.shared.upgrade().map(|shared| shared.watch_news()) else { return };
        let dirty = Arc::clone(&self.shared.dirty);
        while self.eyes.is_some() {
            tokio::select! {
                biased;
                () = news.notified() => self.list(false).await,
                () = dirty.settled() => self.look().await,
            }
            while self.judged.try_join_next().is_some() {}
        }
    }

    /// Works with the eyes, off the runtime's threads.
    async fn with_eyes<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Eyes) -> T + Send + 'static,
    ) -> Option<T> {
        let mut eyes = self.eyes.take()?;
        let done = tokio::task::spawn_blocking(move || {
            let done = work(&mut eyes);
            (eyes, done)
        });
        match done.await {
            Ok((eyes, done)) => {
                self.eyes = Some(eyes);
                Some(done)
            }
            Err(lost) => {
                let text = format!("files are not watched any more: {lost}");
                self.lent.updates.notice(crate::turn::error(text));
                None
            }
        }
    }

    /// Watches what is wanted now.
    async fn list(&mut self, afresh: bool) {
        let Some(shared) = self.lent.shared.upgrade() else { return };
        // Without a hook that hears of it nothing is watched for FileChanged.
        let list = match shared.engine.host().has_any(EventKind::FileChanged) {
            true => {
                List::of(&shared.engine.config().watch_names(), &self.lent.facts.cwd(), &shared.watched())
            }
            false => List::default(),
        };
        let wrote = shared.take_wrote_settings();
        let warnings = list.warnings.clone();
        let wrong = self.with_eyes(move |eyes| {
            if wrote {
                eyes.know_settings();
            }
            eyes.watch(&list, afresh)
        });
        let wrong = wrong.await.unwrap_or_default();
        for text in warnings.into_iter().chain(wrong) {
            if self.told.insert(text.clone()) {
                self.lent.updates.notice(Notice::warning(text));
            }
        }
    }

    /// Looks at what has changed, and tells hooks.
    async fn look(&mut self) {
        let marks = self.shared.dirty.take();
        if marks.all {
            self.list(true).await;
        }
        let mut busy = self.shared.state().busy.clone();
        let may = move |path: &Path| busy.len() < AT_ONCE && busy.insert(path.to_owned());
        let Some(changes) = self.with_eyes(move |eyes| eyes.look(&marks, may)).await else { return };
        let Some(shared) = self.lent.shared.upgrade() else { return };
        let Changes { files, config, held } = changes;
        self.hold(held);
        for (path, event) in files {
            if self.may_be_told(&path) {
                self.file_changed(&shared, &path, event);
            }
        }
        for file in config {
            if self.may_be_told(&file.place) {
                self.config_changed(&shared, file);
            }
        }
    }

    /// Keeps paths that change while their hooks run for a look after those have ended.
    fn hold(&self, held: Vec<PathBuf>) {
        let mut state = self.shared.state();
        if !state.busy.is_empty() {
            state.held.extend(held);
            return;
        }
        drop(state);
        held.into_iter().for_each(|path| self.shared.dirty.mark(path));
    }

    fn may_be_told(&self, path: &Path) -> bool {
        let link = self.shared.state().chain.changed(path, Instant::now());
        if link == (Link::Muted { first: true }) {
            let text = format!(
                "`{}` has changed {MOST} times in a row by or beside its own hooks: they hear of it no more until it \
                 rests for a second",
                path.display()
            );
            self.lent.updates.notice(Notice::warning(text));
        }
        link == Link::Told
    }

    fn file_changed(&self, shared: &Arc<SessionShared>, path: &Path, event: &str) {
        let body = FileChanged::new(path.to_string_lossy().into_owned(), event.to_owned());
        let running = HookRun::begin(&self.shared, path);
        shared.leave_with(&self.lent.facts, body, &self.lent.updates, running);
    }

    fn config_changed(&mut self, shared: &Arc<SessionShared>, file: ConfigFile) {
        let running = HookRun::begin(&self.shared, &file.place);
        let (shared, updates) = (Arc::clone(shared), self.lent.updates.clone());
        let body =
            ConfigChange::new(file.source.to_owned()).file_path(file.path.to_string_lossy().into_owned());
        let event = Event::new(self.lent.facts.session(), body);
        let expand = self.lent.expand.clone().filter(|_| file.source == SKILLS);
        self.judged.spawn(async move {
            let outcome = shared.engine.fire(&event).await;
            let hook = hook_messages::hook_name(&event.body);
            hook_messages::for_user(&hook, &outcome.verdict, false)
                .into_iter()
                .for_each(|said| updates.notice(said));
            let changed = shared.engine.host().apply_config_change(&event, outcome);
            tell(&hook, &file, &changed, &updates);
            if let (ConfigChanged::Accepted(_), Some(expand)) = (&changed, expand) {
                expand.reload();
            }
            // The matchers of FileChanged may be others now.
            shared.watch_news().notify_one();
            drop(running);
        });
    }
}

/// Reports a change to the user.
fn tell(hook: &str, file: &ConfigFile, changed: &ConfigChanged, updates: &Updates) {
    let path = file.path.display();
    match changed {
        ConfigChanged::Accepted(_) => {
            let text = format!("`{path}` has changed, and counts from now on");
            updates.notice(Notice { level: Level::Notice, ..Notice::warning(text) });
        }
        ConfigChanged::Blocked(outcome) => {
            let because = outcome.verdict.joined_reason().unwrap_or_default();
            let text = format!("`{path}` has changed, and a hook keeps that from counting: {because}");
            updates.notice(Notice { hook: Some(hook.to_owned()), ..Notice::warning(text) });
        }
        ConfigChanged::KeptOld(kept) => updates.notice(Notice::warning(kept.to_string())),
    }
}
