//! The content of one file, and the entries that could not be loaded.

use super::dialect::{self, Dialect};
use super::handler::RawHandler;
use super::permissions::RawPermissions;
use super::switches::{Switches, Variable};
use crate::config::hookset::{HookModule, RejectedHandler};
use crate::config::source::report::Report;
use crate::config::source::tree::Span;
use crate::host::profile::Profile;
use becket_model::table::Alphabet;
use becket_model::{EventKind, Source};
use becket_rules::{Matcher, MatcherError, Renames};

/// One handler with its event and matcher.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) event: EventKind,
    pub(crate) matcher: Matcher,
    pub(crate) matcher_span: Span,
    pub(crate) span: Span,
    pub(crate) handler: RawHandler,
}

/// The content of one file.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    pub(crate) entries: Vec<Entry>,
    /// Sound handlers whose group or event can't be loaded, for findings about their texts.
    pub(crate) not_loaded: Vec<Entry>,
    pub(crate) rejected: Vec<RejectedHandler>,
    /// Set if an entry under an event that grants, or a rule that restricts, could not be loaded (C7b); its error.
    pub(crate) broken_guard: Option<String>,
    /// Set if hooks or rules could not be loaded as a whole: `hooks`, an event, `permissions`, one of its lists; its
    /// error.
    pub(crate) lost: Option<String>,
    pub(crate) permissions: RawPermissions,
    pub(crate) switches: Switches,
    /// The place of `policyHelper` in the file.
    pub(crate) policy_helper: Option<Span>,
    pub(crate) env: Vec<Variable>,
    /// The other agent that the hooks are written for.
    pub(crate) agent: Option<Dialect>,
    /// The modules of in-process hooks that a plugin's hooks file names (C12).
    pub(crate) modules: Vec<HookModule>,
}

impl Sheet {
    /// Records that rules which restrict were lost because of the latest error (C7b).
    pub(crate) fn lose_guard(&mut self, at: Span, report: &Report<'_>) {
        self.broken_guard.get_or_insert_with(|| error_at(at, report));
    }

    /// Records an entry that is not loaded because of the latest error; `event` is the one that it is under, or the
    /// nearest one (C7b).
    pub(crate) fn reject(&mut self, event: Option<EventKind>, label: &str, at: Span, report: &Report<'_>) {
        if matches!(event, Some(EventKind::PreToolUse | EventKind::PermissionRequest)) {
            self.lose_guard(at, report);
        }
        if report.is_full() {
            return;
        }
        let (location, why) = (report.location(at), report.latest_error());
        self.rejected.push(RejectedHandler {
            event,
            source: report.source().clone(),
            label: label.into(),
            location,
            why,
        });
    }

    /// Records all hooks of an event, or of all events, that are not loaded because of the latest error.
    pub(crate) fn lose(&mut self, event: Option<EventKind>, label: &str, at: Span, report: &Report<'_>) {
        self.lose_rules(at, report);
        self.reject(event, label, at, report);
    }

    /// Records a list of rules that is not loaded because of the latest error.
    pub(crate) fn lose_rules(&mut self, at: Span, report: &Report<'_>) {
        self.lost.get_or_insert_with(|| error_at(at, report));
    }
}

/// Returns the latest error with a place.
fn error_at(at: Span, report: &Report<'_>) -> String {
    format!("{}: {}", report.location(at), report.latest_error())
}

/// The context, apart from its text, that determines how a file is read.
#[derive(Debug, Clone)]
pub(crate) struct ReadContext {
    pub(crate) profile: Profile,
    pub(crate) tools: Renames,
    pub(crate) failures: Renames,
    pub(crate) none: Renames,
    /// Set if the file is in the flat layout, where `query` means `prompt` (C2).
    pub(crate) flat: bool,
}

impl ReadContext {
    pub(crate) fn new(profile: Profile, tools: Renames) -> Self {
        let (failures, none) = (Renames::stop_failures(), Renames::none());
        ReadContext { profile, tools, failures, none, flat: false }
    }

    /// Returns whether a file belongs to this agent, whatever the directories above it: the agent reads it at a place
    /// of its own (C4), or it is in a directory of settings.
    pub(crate) fn is_own(&self, report: &Report<'_>) -> bool {
        let is_placed = match report.source() {
            Source::Policy | Source::User | Source::Project | Source::Local => true,
            Source::Plugin(_)
            | Source::Skill(_)
            | Source::Agent(_)
            | Source::Callback
            | Source::Function
            | Source::Flag => false,
        };
        is_placed
            || report.file().parent().is_some_and(|directory| directory.ends_with(&*self.profile.directory))
    }

    /// Returns the other agent that a file belongs to, by its directory.
    pub(crate) fn agent_of(&self, report: &Report<'_>) -> Option<Dialect> {
        if self.is_own(report) { None } else { dialect::of_path(report.file()) }
    }

    /// Returns the other names under which an event's subject matches (M5, M7).
    pub(crate) fn renames(&self, event: EventKind) -> &Renames {
        match event.spec().matcher.map(|spec| spec.field) {
            Some("tool_name") => &self.tools,
            Some("error") => &self.failures,
            Some(_) | None => &self.none,
        }
    }

    /// Compiles the matcher of a group under an event; an event without a subject always matches (M6).
    ///
    /// # Errors
    /// Errors if the text is not a matcher (M4).
    pub(crate) fn matcher(&self, event: EventKind, text: Option<&str>) -> Result<Matcher, MatcherError> {
        let spec = event.spec().matcher;
        let alphabet = match spec.map(|spec| spec.alphabet) {
            Some(Alphabet::Narrow) => becket_rules::Alphabet::Narrow,
            Some(Alphabet::Wide) | None => becket_rules::Alphabet::Wide,
        };
        Matcher::compile(text.filter(|_| spec.is_some()), alphabet, self.renames(event))
    }
}
