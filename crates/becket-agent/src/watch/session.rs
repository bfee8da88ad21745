//! The watch of a session: changes on disk become events, and the results of their hooks are applied.
//!
//! FileChanged is fired without waiting (L3), at most one run per path and [`AT_ONCE`] in total: changes in the
//! meantime are collected and reported once. ConfigChange is awaited, concurrently with everything else, because it may
//! block the change (C8).

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

/// The maximum number of changes whose hooks run at once.
const AT_ONCE: usize = 8;

/// The session's handles for its watch.
pub(crate) struct WatchContext {
    pub(crate) shared: Weak<SessionShared>,
    pub(crate) facts: Facts,
    pub(crate) updates: Updates,
    pub(crate) expand: Option<Arc<dyn Expand>>,
}

/// A running watch, until it is ended or dropped.
pub(crate) struct WatchHandle {
    end: CancellationToken,
    task: Option<JoinHandle<()>>,
}

impl WatchHandle {
    /// Starts to watch for changes. `None` if the system can't watch; the user is notified.
    pub(crate) async fn start(before: WatchBaseline, context: WatchContext) -> Option<Self> {
        let disk = match Disk::new() {
            Ok(disk) => disk,
            Err(error) => {
                let text =
                    format!("files are not watched, so FileChanged and ConfigChange do not fire: {error}");
                context.updates.notice(Notice::warning(text));
                return None;
            }
        };
        let dirty = disk.dirty();
        let shared = Arc::new(WatchState { dirty, state: Mutex::default() });
        let mut watch = Watch { context, shared, eyes: None, told: HashSet::new(), judged: JoinSet::new() };
        let made = tokio::task::spawn_blocking(move || Eyes::new(before, disk)).await;
        watch.eyes = made.ok();
        watch.list(false).await;
        let end = CancellationToken::new();
        let until = end.clone();
        let task = tokio::spawn(async move {
            // Cancelling drops it at any point, together with everything that it has started.
            until.run_until_cancelled(watch.run()).await;
            watch.judged.shutdown().await;
        });
        Some(Self { end, task: Some(task) })
    }

    /// Ends the watch, and waits until nothing of it is left.
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

/// The state shared with running hooks.
struct WatchState {
    dirty: Arc<Dirty>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    chain: Chain,
    /// The paths whose hooks are running.
    busy: HashSet<PathBuf>,
    /// The paths that have changed in the meantime.
    held: HashSet<PathBuf>,
}

impl WatchState {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A run of hooks, counted until dropped.
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

/// The running watch.
struct Watch {
    context: WatchContext,
    shared: Arc<WatchState>,
    /// `None` only if a check has panicked.
    eyes: Option<Eyes>,
    /// The messages that the user has already seen.
    told: HashSet<String>,
    /// The running ConfigChange hooks.
    judged: JoinSet<()>,
}

impl Watch {
    async fn run(&mut self) {
        let Some(news) = self.context.shared.upgrade().map(|shared| shared.watch_news()) else { return };
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

    /// Runs a function on the state, off the runtime's threads.
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
                self.context.updates.notice(crate::turn::error(text));
                None
            }
        }
    }

    /// Updates the watched files.
    async fn list(&mut self, afresh: bool) {
        let Some(shared) = self.context.shared.upgrade() else { return };
        // Without a FileChanged hook nothing is watched for it.
        let list = match shared.engine.host().has_any(EventKind::FileChanged) {
            true => {
                List::of(&shared.engine.config().watch_names(), &self.context.facts.cwd(), &shared.watched())
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
                self.context.updates.notice(Notice::warning(text));
            }
        }
    }

    /// Checks what has changed, and fires events.
    async fn look(&mut self) {
        let marks = self.shared.dirty.take();
        if marks.all {
            self.list(true).await;
        }
        let mut busy = self.shared.state().busy.clone();
        let may = move |path: &Path| busy.len() < AT_ONCE && busy.insert(path.to_owned());
        let Some(changes) = self.with_eyes(move |eyes| eyes.look(&marks, may)).await else { return };
        let Some(shared) = self.context.shared.upgrade() else { return };
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

    /// Keeps paths that change while their hooks run, to check them after those have ended.
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
            self.context.updates.notice(Notice::warning(text));
        }
        link == Link::Told
    }

    fn file_changed(&self, shared: &Arc<SessionShared>, path: &Path, event: &str) {
        let body = FileChanged::new(path.to_string_lossy().into_owned(), event.to_owned());
        let running = HookRun::begin(&self.shared, path);
        shared.leave_with(&self.context.facts, body, &self.context.updates, running);
    }

    fn config_changed(&mut self, shared: &Arc<SessionShared>, file: ConfigFile) {
        let running = HookRun::begin(&self.shared, &file.place);
        let (shared, updates) = (Arc::clone(shared), self.context.updates.clone());
        let body =
            ConfigChange::new(file.source.to_owned()).file_path(file.path.to_string_lossy().into_owned());
        let event = Event::new(self.context.facts.session(), body);
        let expand = self.context.expand.clone().filter(|_| file.source == SKILLS);
        self.judged.spawn(async move {
            let hook = hook_messages::hook_name(&event.body);
            let mut change = shared.engine.host().pending_change(&event);
            let changed = loop {
                let outcome = shared.engine.fire(&event).await;
                hook_messages::for_user(&hook, &outcome.verdict, false)
                    .into_iter()
                    .for_each(|said| updates.notice(said));
                if let Some(changed) = change.settle(outcome) {
                    break changed;
                }
            };
            tell(&hook, &file, &changed, &updates);
            if let (ConfigChanged::Accepted(_), Some(expand)) = (&changed, expand) {
                expand.reload();
            }
            // The matchers of FileChanged may have changed.
            shared.watch_news().notify_one();
            drop(running);
        });
    }
}

/// Reports a change to the user.
fn tell(hook: &str, file: &ConfigFile, changed: &ConfigChanged, updates: &Updates) {
    let path = file.path.display();
    match changed {
        ConfigChanged::Accepted(config) => {
            let text = format!("`{path}` has changed, and counts from now on");
            updates.notice(Notice { level: Level::Notice, ..Notice::warning(text) });
            let errors = config.errors().filter(|error| *error.file == *file.path);
            errors.map(Notice::of).for_each(|error| updates.notice(error));
        }
        ConfigChanged::Blocked(outcome) => {
            let because = outcome.verdict.joined_reason().unwrap_or_default();
            let text = format!("`{path}` has changed, and a hook keeps that from counting: {because}");
            updates.notice(Notice { hook: Some(hook.to_owned()), ..Notice::warning(text) });
        }
        ConfigChanged::Rejected(kept) => updates.notice(Notice::warning(kept.to_string())),
        ConfigChanged::Superseded => {
            let text =
                format!("`{path}` kept changing while hooks judged it, so the configuration stays as it was");
            updates.notice(Notice::warning(text));
        }
    }
}
