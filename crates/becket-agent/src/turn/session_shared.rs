//! The state that all agent loops of a session share.

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

/// The default number of times in a row that hooks may make a model continue before the turn ends anyway (L4).
const STOP_CAP: u32 = 8;
/// The default time that a session with one prompt waits for its background tasks (A4).
const BACKGROUND_WAIT: Duration = Duration::from_secs(600);
/// The maximum number of tokens of an answer.
const MAX_TOKENS: u32 = 16_384;

/// The maximum number of retries of a request without an answer.
const MAX_RETRIES: u32 = 10;

/// The default number of attempts in a turn at an answer that matches the host's schema.
const OUTPUT_ATTEMPTS: u32 = 5;

/// The options that a host can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnOptions {
    /// The number of times in a row that hooks at the end of a turn may make the model continue; 0 means no limit (L4).
    pub stop_cap: u32,
    /// The maximum number of tokens of an answer.
    pub max_tokens: u32,
    /// Set if the session has one prompt and can't be woken afterwards: then `asyncRewake` hooks are waited for (A4).
    pub one_shot: bool,
    /// The settings of requests.
    pub model: ModelSettings,
    /// The maximum number of retries of a request without an answer.
    pub max_retries: u32,
    /// The total time that such a session waits for its background tasks at the end of a turn; zero means no wait (A4).
    pub background_wait: Duration,
    /// Set if a screen shows answers as they arrive: then MessageDisplay is fired for each batch of complete lines, and
    /// the text to show is in [`crate::update::UpdateKind::Displayed`].
    pub shows_batches: bool,
    /// Set if all pieces of answers are reported as they arrive: [`crate::update::UpdateKind::Piece`].
    pub tells_pieces: bool,
    /// The number of attempts in a turn at an answer that matches the host's schema, if there is one.
    pub output_attempts: u32,
    /// The time limit of a tool call, beside the limits of tools and calls themselves.
    pub call_limit: Duration,
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
            call_limit: crate::tool_call::LIMIT,
        }
    }
}

/// The parties that decide calls that no rule decides.
#[derive(Default)]
pub(crate) struct Approvers {
    pub(crate) person: Option<Arc<dyn AskPermission>>,
    pub(crate) auto: Option<AutoMode>,
}

/// The state that all agent loops of a session share. Dropping a handle ends nothing: the session does.
pub(crate) struct SessionShared {
    pub(crate) engine: Engine,
    /// The watchers, for updates about the session's own agent loop.
    pub(crate) updates: Updates,
    pub(crate) options: TurnOptions,
    pub(crate) at_turn_end: TurnEndTasks,
    pub(crate) detached_events: DetachedEvents,
    /// The spending of the whole session.
    pub(crate) meter: Meter,
    /// The current mode, rules and directories.
    pub(crate) permissions: SessionPermissions,
    /// The classifier of the mode `auto`.
    pub(crate) auto: Option<AutoMode>,
    /// The background tasks.
    pub(crate) tasks: Option<Tasks>,
    /// The shared task list, and its teammates.
    pub(crate) team: Option<Team>,
    /// The session's model, if it has changed.
    pub(crate) seat: Seat,
    /// The copies of edited files.
    pub(crate) checkpoints: Option<Checkpoints>,
    /// The limit on the cost of the session, in US dollars.
    pub(crate) budget_usd: Option<f64>,
    /// The model that answers if the main one is overloaded.
    pub(crate) fallback: Option<Fallback>,
    /// The aliases of tools: the tool to call for a name that the model uses.
    pub(crate) tool_aliases: HashMap<String, String>,
    /// The answers that match the host's schema, if there is one.
    pub(crate) structured_output: Option<StructuredOutput>,
    /// The size of the conversation.
    pub(crate) context: ContextUsage,
    /// The thinking before an answer.
    pub(super) thinking: Mutex<Thinking>,
    /// The warnings about settings that were already given.
    pub(super) warned: Mutex<HashSet<String>>,
    /// The context size at which conversations are compacted, if the host limits it.
    pub(crate) window: Option<Window>,
    /// The instructions from files.
    pub(crate) instructions: Instructions,
    /// Runs calls; agent loops share the person.
    calls: ToolCalls,
    watched: Mutex<Vec<PathBuf>>,
    /// Notified when the watched files change.
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

    /// Sets the checkpoints for copies of edited files.
    pub(crate) fn keep_checkpoints(&mut self, checkpoints: Checkpoints) {
        self.calls = self.calls.clone().with_checkpoints(checkpoints.clone());
        self.checkpoints = Some(checkpoints);
    }

    /// Returns the runner of calls for an agent loop with these tools.
    pub(crate) fn calls(&self, toolbox: &ToolSet) -> ToolCalls {
        self.calls.with_tools(toolbox.clone()).with_limit(self.options.call_limit)
    }

    /// Returns the tool to call for a name that the model has used. Aliases are not followed further.
    pub(crate) fn resolve_alias<'n>(&'n self, name: &'n str) -> &'n str {
        self.tool_aliases.get(name).map_or(name, String::as_str)
    }

    /// Returns the watchers, for updates about an agent loop.
    pub(crate) fn updates_of(&self, origin: &Origin) -> Updates {
        self.updates.about(origin.clone())
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

    /// Fires an event without waiting (L3); `kept` is dropped when its hooks have ended, or at once if there are none.
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
                // Neither the model nor the user has requested it: it is in the event stream, from which a log is
                // written.
                return;
            }
            // The texts of these hooks are for the model; the user sees the number of failures.
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

    /// Handles a change of an agent loop's working directory.
    pub(crate) fn moved(self: &Arc<Self>, facts: &Facts, from: &Path, updates: &Updates) {
        let cwd = facts.cwd();
        if cwd == from {
            return;
        }
        updates.send(crate::update::UpdateKind::Moved { cwd: cwd.clone() });
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

    /// Sets or removes the session's title.
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

    /// Returns the paths that hooks currently want to watch (D11).
    pub(crate) fn watched(&self) -> Vec<PathBuf> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the handle that is notified when the watched files change.
    pub(crate) fn watch_news(&self) -> Arc<Notify> {
        Arc::clone(&self.watch_news)
    }

    /// Records that the session has written to settings files: such a change is not judged by hooks.
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
    /// The name of its hooks.
    pub(crate) hook: String,
    pub(crate) outcome: Outcome,
}

impl FiredEvent {
    /// Returns the reason why a hook stops the host after it (D6).
    pub(crate) fn stop(&self) -> Option<String> {
        self.outcome.verdict.stop.as_ref().map(hook_messages::stop_reason)
    }

    /// Returns the hook that stops the host, or else the first one that blocks.
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

/// Returns an error notice for the user.
pub(crate) fn error(text: impl Into<String>) -> Notice {
    Notice { level: Level::Error, ..Notice::warning(text) }
}
