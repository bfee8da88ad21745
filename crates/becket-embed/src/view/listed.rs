//! The hook set, as `list` shows it.

use super::hook::{Hook, SkippedHook, SourcePosition};
use becket_engine::config::{RuleList, RuleSource};
use becket_engine::handler::{Background, Handler, If};
use becket_engine::hookset::HookSet;
use becket_engine::{Gates, SkippedHandler};
use becket_model::{EventKind, OnFailure, Privileges};
use schemars::JsonSchema;
use serde::Serialize;
use std::sync::Arc;

/// The effective hooks.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct HookListing {
    /// The events that have hooks, in the order of the event table.
    pub events: Vec<ListedEvent>,
    /// Entries of unknown events, which no event can run.
    pub rejected: Vec<SkippedHook>,
    /// Modules of in-process hooks that plugins bring, which are not run here.
    pub modules: Vec<SkippedHook>,
    /// The effective permission rules; empty if the listing is for one event.
    pub rules: Vec<ListedRule>,
}

/// A permission rule.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ListedRule {
    /// Its origin: `project`, `user`, …
    pub source: String,
    /// `deny`, `ask` or `allow`.
    pub list: &'static str,
    /// The rule as written.
    pub rule: String,
    /// The position of its definition.
    pub at: SourcePosition,
}

/// The hooks of one event.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct ListedEvent {
    /// The event.
    pub event: &'static str,
    /// The hooks that can run, in order of listing.
    pub hooks: Vec<RecordedHook>,
    /// The hooks that could not be loaded.
    pub rejected: Vec<SkippedHook>,
}

/// A hook.
#[derive(Debug, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct RecordedHook {
    /// The handler.
    #[serde(flatten)]
    pub hook: Hook,
    /// Its kind, with its form.
    pub form: &'static str,
    /// Its matcher as written; empty if it matches everything.
    pub matcher: String,
    /// Its `if`.
    pub condition: Option<String>,
    /// Its time limit in seconds.
    pub timeout_s: f64,
    /// Its mode in observation, with its end: `observe until 2026-12-31`.
    pub mode: Option<String>,
    /// Its special settings: `async`, `once`, `questions`, `onFailure: block`, …
    pub traits: Vec<&'static str>,
    /// The reason why it never runs with this configuration; `None` if it may run.
    pub held_back: Option<String>,
    /// The reason why it can only fail, if that is known already.
    pub fails: Option<String>,
}

impl HookListing {
    /// Converts a hook set, or `only` one event of it.
    pub fn new(hooks: &HookSet, gates: &Gates, only: Option<EventKind>) -> Self {
        let wanted = |kind: &EventKind| only.is_none_or(|only| only == *kind);
        let events = EventKind::ALL.into_iter().filter(wanted).map(|kind| ListedEvent {
            event: kind.name(),
            hooks: hooks.of(kind).iter().map(|handler| RecordedHook::new(handler, gates)).collect(),
            rejected: rejected(hooks, Some(kind)),
        });
        HookListing {
            events: events.filter(|event| !event.hooks.is_empty() || !event.rejected.is_empty()).collect(),
            rejected: if only.is_none() { rejected(hooks, None) } else { Vec::new() },
            modules: hooks.modules().iter().map(SkippedHook::from).collect(),
            rules: Vec::new(),
        }
    }

    /// Adds permission rules, in the order of their evaluation: deny, ask, allow.
    #[must_use]
    pub fn with_rules(mut self, rules: &[RuleSource]) -> Self {
        for list in [RuleList::Deny, RuleList::Ask, RuleList::Allow] {
            let of_list = rules.iter().filter(|rule| rule.list == list);
            self.rules.extend(of_list.map(ListedRule::from));
        }
        self
    }
}

impl From<&RuleSource> for ListedRule {
    fn from(rule: &RuleSource) -> Self {
        ListedRule {
            source: rule.source.to_string(),
            list: match rule.list {
                RuleList::Deny => "deny",
                RuleList::Ask => "ask",
                RuleList::Allow => "allow",
            },
            rule: rule.text.to_string(),
            at: SourcePosition::from(&rule.location),
        }
    }
}

fn rejected(hooks: &HookSet, event: Option<EventKind>) -> Vec<SkippedHook> {
    hooks.rejected().iter().filter(|rejected| rejected.event == event).map(SkippedHook::from).collect()
}

impl RecordedHook {
    fn new(handler: &Arc<Handler>, gates: &Gates) -> Self {
        let closed = gates.closed_to(handler);
        let fails = gates.fails(handler).filter(|_| closed.is_none());
        let why = closed.map(|why| SkippedHandler { handler: handler.clone(), why });
        RecordedHook {
            hook: Hook::from(&**handler),
            form: super::hook::form(&handler.action),
            matcher: handler.matcher.text().to_owned(),
            condition: condition(&handler.condition),
            timeout_s: handler.timeout.limit.as_secs_f64(),
            mode: super::hook::mode(handler),
            traits: traits(handler),
            held_back: why.map(|skipped| skipped.to_string()),
            fails: fails.map(str::to_owned),
        }
    }
}

fn condition(condition: &If) -> Option<String> {
    match condition {
        If::Absent => None,
        If::Rule(rule) => Some(rule.to_string()),
        If::NeverRuns(text) => Some(text.to_string()),
    }
}

fn traits(handler: &Handler) -> Vec<&'static str> {
    let background = match handler.background {
        Background::No => None,
        Background::Async => Some("async"),
        Background::AsyncRewake => Some("asyncRewake"),
    };
    let privileges = handler.place.privileges;
    let flags = [
        (handler.once.is_some(), "once"),
        (handler.questions, "questions"),
        (handler.place.on_failure == OnFailure::Block, "onFailure: block"),
        (privileges == Privileges::BrokenGuard, "can't grant: a guard of its file is broken"),
        (privileges == Privileges::Untrusted, "can't grant: its folder is not trusted"),
        (matches!(handler.condition, If::NeverRuns(_)), "never runs: `if` on an event without a tool call"),
    ];
    background.into_iter().chain(flags.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name)).collect()
}
