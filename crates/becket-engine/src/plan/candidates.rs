//! The handlers that a value selects: gates, matchers and duplicates, computed once per (event, value) and then cached
//! (M9). The result depends on the configuration alone, never on the rest of an event.

use crate::config::handler::{Action, Handler, If};
use crate::config::hookset::HookSet;
use crate::config::placeholders::Places;
use crate::plan::PlannedRun;
use crate::plan::dedupe;
use crate::plan::gates::Gates;
use crate::plan::skip::{SkipReason, SkippedHandler};
use becket_model::EventKind;
use becket_rules::Verdict;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// The number of values that are cached before the cache of that event is emptied (M9).
const REMEMBERED: usize = 1_024;

/// The longest value that is cached, in bytes: a model may make up names, and memory must not grow with them.
const LONGEST_REMEMBERED: usize = 1_024;

/// A compiled set of handlers with its cache.
#[derive(Debug)]
pub(crate) struct Part {
    hooks: Arc<HookSet>,
    gates: Gates,
    places: Arc<Places>,
    /// For each event, the reasons why its handlers run for no value, in their order.
    closed: Vec<OnceLock<Box<[Option<SkipReason>]>>>,
    memory: Vec<RwLock<HashMap<Box<str>, Arc<Candidates>>>>,
    judged: AtomicU64,
}

/// The handlers that a value selects.
#[derive(Debug)]
pub(crate) struct Candidates {
    /// The handlers that remain, in C6 order, duplicates merged.
    pub(crate) runs: Arc<[PlannedRun]>,
    /// The other handlers. A thousand of them must cost little, so they are stored as indexes.
    dropped: Vec<DroppedHandler>,
    /// The value, for handlers that a matcher dropped.
    subject: Arc<str>,
    /// Duplicates that were replaced by another handler.
    duplicates: Vec<SkippedHandler>,
    /// Set if no other property of the event can drop a handler: no `if`, no `once`, no agent scope, no `agent`
    /// handler.
    pub(crate) settled: bool,
}

/// A handler that the configuration and the value drop.
#[derive(Debug)]
enum DroppedHandler {
    /// By its matcher.
    Matcher(u32),
    /// By anything else.
    Other(u32, SkipReason),
}

impl Candidates {
    /// Returns the handlers that the value does not select, each with the reason; `hooks` is the set they were selected
    /// from.
    pub(crate) fn skipped<'a>(
        &'a self,
        hooks: &'a HookSet,
        event: EventKind,
    ) -> impl Iterator<Item = SkippedHandler> + 'a {
        let all = hooks.of(event);
        let dropped = self.dropped.iter().filter_map(move |dropped| {
            let (at, why) = match dropped {
                DroppedHandler::Matcher(at) => (at, SkipReason::Matcher { subject: self.subject.clone() }),
                DroppedHandler::Other(at, why) => (at, why.clone()),
            };
            Some(SkippedHandler { handler: all.get(*at as usize)?.clone(), why })
        });
        dropped.chain(self.duplicates.iter().cloned())
    }
}

impl Part {
    pub(crate) fn new(hooks: Arc<HookSet>, gates: Gates, places: Arc<Places>) -> Self {
        let memory = EventKind::ALL.iter().map(|_| RwLock::default()).collect();
        let closed = EventKind::ALL.iter().map(|_| OnceLock::new()).collect();
        Part { hooks, gates, places, closed, memory, judged: AtomicU64::new(0) }
    }

    /// Returns the same handlers behind other gates, with an empty cache.
    pub(crate) fn behind(&self, gates: Gates) -> Self {
        Part::new(self.hooks.clone(), gates, self.places.clone())
    }

    pub(crate) fn hooks(&self) -> &Arc<HookSet> {
        &self.hooks
    }

    /// Returns how many matchers have been evaluated since the set was compiled.
    pub(crate) fn judged(&self) -> u64 {
        self.judged.load(Ordering::Relaxed)
    }

    /// Returns the candidates for a value, which may be known by other names as well; cached ones need no matcher.
    pub(crate) fn candidates(
        &self,
        event: EventKind,
        subject: Option<&str>,
        others: &[String],
    ) -> Arc<Candidates> {
        let Some(key) = key(subject.unwrap_or_default(), others) else {
            return Arc::new(self.select(event, subject, others));
        };
        let memory = &self.memory[event as usize];
        if let Some(known) = memory.read().unwrap_or_else(PoisonError::into_inner).get(&*key) {
            return known.clone();
        }
        let found = Arc::new(self.select(event, subject, others));
        if key.len() > LONGEST_REMEMBERED {
            return found;
        }
        let mut memory = memory.write().unwrap_or_else(PoisonError::into_inner);
        if memory.len() >= REMEMBERED {
            memory.clear();
        }
        memory.insert(key.into(), found.clone());
        found
    }

    fn select(&self, event: EventKind, subject: Option<&str>, others: &[String]) -> Candidates {
        let mut runs = Vec::new();
        let mut dropped = Vec::new();
        let mut last: Option<(&Handler, bool)> = None;
        let gate = |handler: &Arc<Handler>| self.gates.closed_to(handler);
        let closed =
            self.closed[event as usize].get_or_init(|| self.hooks.of(event).iter().map(gate).collect());
        for ((at, handler), why) in (0_u32..).zip(self.hooks.of(event)).zip(closed) {
            if let Some(why) = why {
                dropped.push(DroppedHandler::Other(at, why.clone()));
                continue;
            }
            // The handlers of a group share their matcher, so one result is enough for all of them.
            let matches = match last {
                Some((before, matches)) if std::ptr::eq(before.matcher.text(), handler.matcher.text()) => {
                    matches
                }
                _ => self.matches(handler, subject, others),
            };
            last = Some((handler, matches));
            if !matches {
                dropped.push(DroppedHandler::Matcher(at));
            } else if matches!(handler.condition, If::NeverRuns(_)) {
                dropped.push(DroppedHandler::Other(at, SkipReason::IfNeverRuns));
            } else {
                runs.push(handler.clone());
            }
        }
        let mut duplicates = Vec::new();
        let runs = dedupe::merge(runs, &self.places, &mut duplicates);
        let settled = runs.iter().all(|handler| is_settled(handler));
        let runs = runs.into_iter().map(|handler| self.planned(handler)).collect();
        Candidates { runs, dropped, subject: subject.unwrap_or_default().into(), duplicates, settled }
    }

    fn planned(&self, handler: Arc<Handler>) -> PlannedRun {
        let fails = self.gates.fails(&handler);
        PlannedRun { handler, note: None, fails }
    }

    /// Returns whether a matcher selects a value, under any of its names. One that is too long to be matched counts as
    /// a match: a guard must not miss.
    fn matches(&self, handler: &Handler, subject: Option<&str>, others: &[String]) -> bool {
        let Some(subject) = subject else { return true };
        let mut names = std::iter::once(subject).chain(others.iter().map(String::as_str));
        names.any(|name| {
            self.judged.fetch_add(1, Ordering::Relaxed);
            handler.matcher.judge(name) != Verdict::NoMatch
        })
    }
}

/// Returns the key under which the candidates of a value are cached: its names, separated by NUL. `None` if a name has
/// a NUL itself.
fn key<'a>(value: &'a str, others: &[String]) -> Option<Cow<'a, str>> {
    if value.contains('\0') || others.iter().any(|name| name.contains('\0')) {
        return None;
    }
    Some(match others {
        [] => Cow::Borrowed(value),
        others => Cow::Owned(format!("{value}\0{}", others.join("\0"))),
    })
}

fn is_settled(handler: &Handler) -> bool {
    matches!(handler.condition, If::Absent)
        && handler.once.is_none()
        && handler.agent_scope.is_none()
        && !matches!(handler.action, Action::Agent(_))
}
