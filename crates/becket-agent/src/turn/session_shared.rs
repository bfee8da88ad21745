//! State that all agent loops of a session share.

use super::context_usage::ContextUsage;
use super::detached_events::DetachedEvents;
use super::fallback::Fallback;
use super::meter::Meter;
use super::model_settings::ModelSettings;
use super::seat::Seat;
use super::tasks::TurnEndTasks;
use crate::checkpoints::Checkpoints;
use crate::compact::Window;
use crate::facts::Facts;
use crate::hook_messages;
use crate::instructions::Instructions;
use crate::permission::{AutoMode, SessionPermissions};
use crate::structured_output::StructuredOutput;
use crate::team::Team;
use crate::tool_call::{AskPermission, ToolCalls};
use crate::update::{Level, Notice, Origin, Updates};
use becket_engine::{CancellationToken, Engine, Outcome, ToolSet};
use becket_llm::{Model, Thinking};
use becket_model::event::environment::CwdChanged;
use becket_model::{Event, EventBody, EventKind};
use becket_tools::tasks::Tasks;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Default number of times in a row that hooks may send a model back to work before the turn ends anyway (L4).
const STOP_CAP: u32 = 8;
/// Default time that a session with one prompt waits for its background tasks (A4).
const BACKGROUND_WAIT: Duration = Duration::from_secs(600);
/// The most tokens of one answer.
const MAX_TOKENS: u32 = 16_384;

/// The most times that a request without an answer is sent again.
const MAX_RETRIES: u32 = 10;

/// Default number of attempts that a turn has to give an answer of the host's schema.
const OUTPUT_ATTEMPTS: u32 = 5;

/// Options of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnOptions {
    /// Number of times in a row that hooks at a turn's end may send the model back to work; 0: no limit (L4).
    pub stop_cap: u32,
    /// The most tokens of one answer.
    pub max_tokens: u32,
    /// Set if the session is one prompt and can't be woken afterwards: then `asyncRewake` hooks are waited for (A4).
    pub one_shot: bool,
    /// Settings of requests.
    pub model: ModelSettings,
    /// Maximum number of retries of a request without an answer.
    pub max_retries: u32,
    /// Total time that such a session waits for its background tasks at the end of a turn; zero: none (A4).
    pub background_wait: Duration,
    /// Set if a screen shows answers as they come: then MessageDisplay is fired for each batch of whole lines, and the
    /// text to
    /// show is in [`crate::update::UpdateKind::Displayed`].
    pub shows_batches: bool,
    /// Set if all pieces of answers are reported as they come: [`crate::update::UpdateKind::Piece`].
    pub tells_pieces: bool,
    /// Number of attempts that a turn has to give an answer of the host's schema, if there is one.
    pub output_attempts: u32,
}

impl Default for TurnOptions {
    fn default() -> Self {
        Self {
            stop_cap: STOP_CAP,
            max_tokens: MAX_TOKENS,
            one_shot: false,
            model: ModelSettings::default(),
            max_retries: MAX_RETRIES,
            background_wait: BACKGROUND_WAIT,
            shows_batches: false,
            tells_pieces: false,
            output_attempts: OUTPUT_ATTEMPTS,
        }
    }
}

/// The parties that decide calls that no rule decides.
#[derive(Default)]
pub(crate) struct Approvers {
    pub(crate) person: Option<Arc<dyn AskPermission>>,
    pub(crate) auto: Option<AutoMode>,
}

/// State that all agent loops of a session share. Dropping a handle ends nothing: the session does.
pub(crate) struct SessionShared {
    pub(crate) engine: Engine,
    /// Watchers, about the session's own agent loop.
    pub(crate) updates: Updates,
    pub(crate) options: TurnOptions,
    pub(crate) at_turn_end: TurnEndTasks,
    pub(crate) detached_events: DetachedEvents,
    /// Spending of the whole session.
    pub(crate) meter: Meter,
    /// Mode, rules and directories, as they change.
    pub(crate) permissions: SessionPermissions,
    /// Classifier of the mode `auto`.
    pub(crate) auto: Option<AutoMode>,
    /// Background tasks.
    pub(crate) tasks: Option<Tasks>,
    /// The shared list of tasks, and its teammates.
    pub(crate) team: Option<Team>,
    /// The session's model, if it has changed.
    pub(crate) seat: Seat,
    /// The copies of edited files.
    pub(crate) checkpoints: Option<Checkpoints>,
    /// The limit on the cost of the session, in US dollars.
    pub(crate) budget_usd: Option<f64>,
    /// The model that answers if the main one is overloaded.
    pub(crate) fallback: Option<Fallback>,
    /// The tools that are called if the model names another one.
    pub(crate) tool_aliases: HashMap<String, String>,
    /// The answers of the host's schema, if there is one.
    pub(crate) structured_output: Option<StructuredOutput>,
    /// Size of the conversation.
    pub(crate) context: ContextUsage,
    /// The thinking before an answer.
    pub(super) thinking: Mutex<Thinking>,
    /// Warnings about settings, which are given once.
    pub(super) warned: Mutex<HashSet<String>>,
    /// The size that conversations are compacted for, if the host limits it.
    pub(crate) window: Option<Window>,
    /// Instructions from files.
    pub(crate) instructions: Instructions,
    /// Runs calls; agent loops share the person.
    calls: ToolCalls,
    watched: Mutex<Vec<PathBuf>>,
    /// Told when other files are to be watched.
    watch_news: Arc<Notify>,
    /// Set if the session has written settings since the last check.
    wrote_settings: AtomicBool,
    reminders: Mutex<Vec<String>>,
    title: Mutex<Option<String>>,
}

impl SessionShared {
    pub(crate) fn new(engine: Engine, asked: Approvers, updates: Updates) -> Self {
        let Approvers { person, auto } = asked;
        let mut calls = ToolCalls::new(engine.clone(), ToolSet::default());
        if let Some(person) = person {
            calls = calls.with_person(person);
        }
        if let Some(auto) = &auto {
            calls = calls.with_auto_mode(auto.clone());
        }
        Self {
            detached_events: DetachedEvents::new(engine.clone()),
            calls,
            permissions: SessionPermissions::new(engine.clone()),
            auto,
            engine,
            updates,
            options: TurnOptions::default(),
            at_turn_end: TurnEndTasks::default(),
            meter: Meter::default(),
            tasks: None,
            team: None,
            seat: Seat::default(),
            checkpoints: None,
            budget_usd: None,
            fallback: None,
            structured_output: None,
            tool_aliases: HashMap::new(),
            context: ContextUsage::default(),
            thinking: Mutex::default(),
            warned: Mutex::default(),
            window: None,
            instructions: Instructions::default(),
            watched: Mutex::default(),
            watch_news: Arc::default(),
            wrote_settings: AtomicBool::new(false),
            reminders: Mutex::default(),
            title: Mutex::default(),
        }
    }

    /// Returns the context window of a model: its own, or the host's smaller one.
    pub(crate) fn window(&self, model: &dyn Model) -> Window {
        let own = model.spec().context_window.map(Window::of);
        match (self.window, own) {
            (Some(limit), Some(own)) if own.tokens() < limit.tokens() => own,
            (Some(window), _) | (None, Some(window)) => window,
            (None, None) => Window::default(),
        }
    }

    /// Keeps copies of edited files from now on.
    pub(crate) fn keep_checkpoints(&mut self, checkpoints: Checkpoints) {
        self.calls = self.calls.clone().with_checkpoints(checkpoints.clone());
        self.checkpoints = Some(checkpoints);
    }

    /// Returns the runner of calls for an agent loop with these tools.
    pub(crate) fn calls(&self, toolbox: &ToolSet) -> ToolCalls {
        self.calls.with_tools(toolbox.clone())
    }

    /// Returns the tool that is called by a name that the model has used. Aliases are not followed further.
    pub(crate) fn called<'n>(&'n self, name: &'n str) -> &'n str {
        self.tool_aliases.get(name).map_or(name, String::as_str)
    }

    /// Watchers, about an agent loop.
    pub(crate) fn updates_of(&self, who: &Origin) -> Updates {
        self.updates.about(who.clone())
    }

    /// Fires an event, waits for its hooks, and shows their messages to the user.
    pub(crate) async fn fire(
        &self,
        facts: &Facts,
        body: impl Into<EventBody>,
        updates: &Updates,
        cancel: &CancellationToken,
    ) -> FiredEvent {
        let event = Event::new(facts.session(), body);
        let outcome = self.engine.fire_until(&event, cancel).await;
        self.meter.fired(&outcome);
        let hook = hook_messages::hook_name(&event.body);
        for notice in hook_messages::for_user(&hook, &outcome.verdict, cancel.is_cancelled()) {
            updates.notice(notice);
        }
        if let Some(paths) = &outcome.verdict.fields.watch_paths {
            self.watch(paths.clone());
        }
        FiredEvent { hook, outcome }
    }

    /// Fires an event without waiting (L3).
    pub(crate) fn leave(self: &Arc<Self>, facts: &Facts, body: impl Into<EventBody>, updates: &Updates) {
        self.leave_with(facts, body, updates, ());
    }

    /// The same; `kept` is dropped when its hooks have ended, or at once if there are none.
    pub(crate) fn leave_with(
        self: &Arc<Self>,
        facts: &Facts,
        body: impl Into<EventBody>,
        updates: &Updates,
        kept: impl Send + 'static,
    ) {
        let (shared, updates) = (Arc::downgrade(self), updates.clone());
        let then = move |event: &Event, outcome: &Outcome, cancelled: bool| {
            if let Some(shared) = shared.upgrade() {
                shared.heard_later(event, outcome, &updates, cancelled);
            }
            drop(kept);
        };
        self.detached_events.start(Event::new(facts.session(), body), then);
    }

    fn heard_later(&self, event: &Event, outcome: &Outcome, updates: &Updates, cancelled: bool) {
        self.meter.fired(outcome);
        let (hook, verdict) = (hook_messages::hook_name(&event.body), &outcome.verdict);
        if event.kind() == EventKind::DirectoryAdded {
            if event.body.subject() == Some("register_repo_root") {
                // Neither the model nor the user has asked for it: it is in the stream of events, which a log is made of.
                return;
            }
            // What these hooks say is for the model; the user reads how many have failed.
            let says = verdict.messages.iter().map(|said| format!("{hook} says: {}", said.what));
            says.for_each(|text| self.remind_later(text));
            let failed = verdict.failures.len();
            if failed > 0 && !cancelled {
                updates.notice(Notice::warning(format!("{failed} of the hooks of {hook} failed")));
            }
            return;
        }
        for notice in hook_messages::for_user(&hook, verdict, cancelled) {
            updates.notice(notice);
        }
        if let Some(paths) = &verdict.fields.watch_paths {
            self.watch(paths.clone());
        }
    }

    /// The working directory of an agent loop has moved.
    pub(crate) fn moved(self: &Arc<Self>, facts: &Facts, from: &Path, updates: &Updates) {
        let cwd = facts.cwd();
        if cwd == from {
            return;
        }
        updates.tell(crate::update::UpdateKind::Moved { cwd: cwd.clone() });
        self.watch_news.notify_one();
        let body = CwdChanged::new(from.to_string_lossy().into_owned(), cwd.to_string_lossy().into_owned());
        self.leave(facts, body, updates);
    }

    /// Returns the session's title.
    pub(crate) fn title(&self) -> Option<String> {
        self.title.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_title(&self, title: &str) {
        self.put_title(Some(title.to_owned()));
    }

    /// The same, or that it is called nothing.
    pub(crate) fn put_title(&self, title: Option<String>) {
        *self.title.lock().unwrap_or_else(PoisonError::into_inner) = title;
    }

    /// Keeps a text for the model until the next request of the session's own agent loop.
    pub(crate) fn remind_later(&self, text: impl Into<String>) {
        self.reminders.lock().unwrap_or_else(PoisonError::into_inner).push(text.into());
    }

    /// Takes the reminders kept for the model.
    pub(crate) fn take_reminders(&self) -> Vec<String> {
        std::mem::take(&mut *self.reminders.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The paths that hooks want to be watched now (D11).
    pub(crate) fn watched(&self) -> Vec<PathBuf> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Told when other files are to be watched.
    pub(crate) fn watch_news(&self) -> Arc<Notify> {
        Arc::clone(&self.watch_news)
    }

    /// Records that the session has written to settings files: such a change is not judged.
    pub(crate) fn wrote_settings(&self) {
        self.wrote_settings.store(true, Ordering::Release);
        self.watch_news.notify_one();
    }

    /// Returns whether it has, since the last call.
    pub(crate) fn take_wrote_settings(&self) -> bool {
        self.wrote_settings.swap(false, Ordering::AcqRel)
    }

    fn watch(&self, paths: Vec<PathBuf>) {
        *self.watched.lock().unwrap_or_else(PoisonError::into_inner) = paths;
        self.watch_news.notify_one();
    }
}

/// An event that was fired.
pub(crate) struct FiredEvent {
    /// Name of its hooks.
    pub(crate) hook: String,
    pub(crate) outcome: Outcome,
}

impl FiredEvent {
    /// Returns the reason why a hook stops the host after it (D6).
    pub(crate) fn stop(&self) -> Option<String> {
        self.outcome.verdict.stop.as_ref().map(hook_messages::stop_reason)
    }

    /// Returns the hook that stops the host, else the first that blocks.
    pub(crate) fn stopped_by(&self) -> Option<String> {
        let verdict = &self.outcome.verdict;
        let stop = verdict.stop.as_ref().map(|said| hook_messages::stopped_by(verdict.event, said));
        stop.or_else(|| {
            hook_messages::blocks(verdict).first().map(|said| hook_messages::stopped_by(verdict.event, said))
        })
    }

    /// Returns its texts for the model.
    pub(crate) fn for_model(&self) -> Vec<String> {
        hook_messages::for_model(&self.hook, &self.outcome.verdict)
    }
}

/// An error for the user.
pub(crate) fn error(text: impl Into<String>) -> Notice {
    Notice { level: Level::Error, ..Notice::warning(text) }
}
