//! The content of one file, and the entries that could not be loaded.

use super::handler::RawHandler;
use super::permissions::RawPermissions;
use super::switches::{Switches, Variable};
use crate::config::hookset::{HookModule, RejectedHandler};
use crate::config::source::report::Report;
use crate::config::source::tree::Span;
use crate::host::profile::Profile;
use becket_model::EventKind;
use becket_model::table::Alphabet;
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
    /// Set if an entry under an event that grants could not be loaded (C7b); its error.
    pub(crate) broken_guard: Option<String>,
    pub(crate) permissions: RawPermissions,
    pub(crate) switches: Switches,
    /// The place of `policyHelper` in the file.
    pub(crate) policy_helper: Option<Span>,
    pub(crate) env: Vec<Variable>,
    /// The other agent that the hooks are written for.
    pub(crate) agent: Option<&'static str>,
    /// The modules of in-process hooks that a plugin's hooks file names (C12).
    pub(crate) modules: Vec<HookModule>,
}

impl Sheet {
    /// Records an entry that is not loaded because of the latest error; `event` is the one that it is under, or the
    /// nearest one (C7b).
    pub(crate) fn reject(&mut self, event: Option<EventKind>, label: &str, at: Span, report: &Report<'_>) {
        let (location, why) = (report.location(at), report.latest_error());
        if matches!(event, Some(EventKind::PreToolUse | EventKind::PermissionRequest)) {
            self.broken_guard.get_or_insert_with(|| format!("{location}: {why}"));
        }
        if report.is_full() {
            return;
        }
        self.rejected.push(RejectedHandler {
            event,
            source: report.source().clone(),
            label: label.into(),
            location,
            why,
        });
    }
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
