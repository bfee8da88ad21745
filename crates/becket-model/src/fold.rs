//! Replies and failures of all handlers of one event become one [`Verdict`]: rules D1, D2, D4–D8, D10, D11, C7b, G5, O10.
//!
//! Pure, total and independent of order: whichever handler finished first, the verdict is the same. Where order matters
//! (reasons, contexts, rewrites within one source) it is [`HandlerOrigin::position`]. A denial can't be lost: no answer of
//! another handler, and no failure, weakens a ruling. An allow is only an answer: the engine settles it against rules
//! (D3).

mod handler_reply;
mod observed;
mod ruling;
mod second_look;
mod settle;

pub use observed::{is_observed, observe};
pub use second_look::second_look;

use crate::event::EventKind;
use crate::failure::Failure;
use crate::reply::{Decision, ElicitationAction, PermissionDecision, Reply, Stop};
use crate::source::HandlerOrigin;
use crate::table::{DecisionModel, EventSpec, Exit2Effect};
use crate::verdict::{Attributed, Ruling, Verdict};
use handler_reply::HandlerReply;

/// Options of the session and the profile for folding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoldOptions {
    /// Set if a person can be asked: then a `defer` counts as an `ask` (D10).
    pub interactive: bool,
    /// Set if context is kept next to a denial; profile `agent` drops it (D5).
    pub context_on_deny: bool,
}

impl Default for FoldOptions {
    /// Returns the options of a session that is not interactive, with context kept.
    fn default() -> Self {
        FoldOptions { interactive: false, context_on_deny: true }
    }
}

/// The result of one handler for an event.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The handler's origin, and its privileges.
    pub place: HandlerOrigin,
    /// Its answer.
    pub reply: Reply,
    /// Its failure.
    pub failure: Option<Failure>,
}

/// The entries received so far.
#[derive(Debug, Clone)]
pub struct Tally {
    spec: &'static EventSpec,
    options: FoldOptions,
    entries: Vec<Entry>,
}

impl Tally {
    /// Creates the tally of an event, without entries.
    pub fn new(spec: &'static EventSpec, options: FoldOptions) -> Self {
        Tally { spec, options, entries: Vec::new() }
    }

    /// Adds the result of one handler.
    pub fn add(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Merges two tallies of the same event; the spec and options of `self` are kept.
    pub fn merge(mut self, other: Tally) -> Tally {
        self.entries.extend(other.entries);
        self
    }

    /// Returns the verdict of all entries.
    pub fn finish(self) -> Verdict {
        let Tally { spec, options, mut entries } = self;
        // Positions are unique within an event; the rest of the key keeps the fold independent of order if they are
        // not.
        entries.sort_by(|a, b| order(&a.place).cmp(&order(&b.place)));
        let mut warnings = Vec::new();
        let (entries, observed) = observed::take_out(spec, options, entries, &mut warnings);
        let replies: Vec<HandlerReply> = entries
            .into_iter()
            .map(|entry| handler_reply::apply(spec, options, entry, &mut warnings))
            .collect();
        Verdict { observed, ..verdict(spec, options, replies, warnings) }
    }
}

/// Folds all entries of an event at once.
///
/// ```
/// use becket_model::fold::{Entry, FoldOptions, fold};
/// use becket_model::interpret::{HandlerOutput, OutputOrigin, printed};
/// use becket_model::{Enforcement, EventKind, OnFailure, HandlerOrigin, Privileges, Source};
///
/// let spec = EventKind::PreToolUse.spec();
/// let output = HandlerOutput { exit: 2, stderr: b"no force pushes", ..HandlerOutput::nothing(OutputOrigin::Command) };
/// let taken = printed(spec, &output);
/// let place = HandlerOrigin {
///     position: 0,
///     source: Source::Project,
///     label: "guard.sh".into(),
///     privileges: Privileges::Full,
///     on_failure: OnFailure::Continue,
///     enforcement: Enforcement::Enforce,
/// };
/// let entry = Entry { place, reply: taken.reply, failure: taken.failure };
///
/// let verdict = fold(spec, FoldOptions::default(), [entry]);
/// assert!(verdict.blocks());
/// assert_eq!(verdict.joined_reason().as_deref(), Some("no force pushes"));
/// ```
pub fn fold(
    spec: &'static EventSpec,
    options: FoldOptions,
    entries: impl IntoIterator<Item = Entry>,
) -> Verdict {
    Tally { spec, options, entries: entries.into_iter().collect() }.finish()
}

/// Returns whether a reply, if it were the only one, holds back the action of its event. Decides as [`fold`] would, but
/// cheaply.
pub fn blocks_alone(spec: &'static EventSpec, place: &HandlerOrigin, reply: &Reply) -> bool {
    if is_observed(spec, place, None) {
        return false;
    }
    match (spec.decision, &reply.decision) {
        // A path has to be checked as the fold checks it.
        (DecisionModel::Path, Some(_)) => {
            let entry = Entry { place: place.clone(), reply: reply.clone(), failure: None };
            fold(spec, FoldOptions::default(), [entry]).blocks()
        }
        (DecisionModel::None | DecisionModel::Context | DecisionModel::Retry | DecisionModel::Display, _) => {
            false
        }
        (DecisionModel::Elicitation, Some(Decision::Elicitation { action, .. })) => {
            *action != ElicitationAction::Accept
        }
        (DecisionModel::Permission | DecisionModel::PermissionRequest, decision) => {
            let refuses_rights = handler_reply::refuses_rights(spec, reply);
            let stops = reply.stop.is_some() && spec.honours.stop;
            decision.as_ref().is_some_and(Decision::holds_back) || stops || refuses_rights
        }
        (
            DecisionModel::Block
            | DecisionModel::Task
            | DecisionModel::ContinueOnly
            | DecisionModel::Path
            | DecisionModel::Elicitation,
            decision,
        ) => decision.as_ref().is_some_and(Decision::holds_back),
    }
}

fn order(place: &HandlerOrigin) -> (u64, u8, &str) {
    (place.position, place.source.list_rank(), &place.label)
}

fn verdict(
    spec: &EventSpec,
    options: FoldOptions,
    replies: Vec<HandlerReply>,
    mut warnings: Vec<String>,
) -> Verdict {
    let ruling = ruling::rule(spec, &replies, &mut warnings);
    let mut fields = settle::fields(spec, &replies, &mut warnings);
    if holds_back_call(&ruling) {
        fields.updated_input = None;
    }
    let drops_context = drops_context(spec, options, &ruling);
    let mut verdict = Verdict { ruling, fields, ..Verdict::silent(spec.kind) };
    verdict.stop = stop(spec, &replies);
    for HandlerReply { place, reply, failure, .. } in replies {
        let attributed = |what| Attributed::by(&place, what);
        if !drops_context {
            verdict.context.extend(reply.context.into_iter().map(|text| Attributed::by(&place, text)));
        }
        verdict.notices.extend(reply.notices.into_iter().map(|notice| Attributed::by(&place, notice)));
        verdict.terminal_sequences.extend(reply.terminal_sequence.map(attributed));
        verdict.messages.extend(reply.system_message.filter(|_| spec.honours.system_message).map(attributed));
        verdict.failures.extend(failure.map(|failure| Attributed::by(&place, failure)));
    }
    verdict.warnings = warnings;
    verdict
}

/// Returns whether a ruling drops a rewrite: a denial or a deferral (D4).
fn holds_back_call(ruling: &Ruling) -> bool {
    matches!(
        ruling,
        Ruling::Permission { decision: PermissionDecision::Deny | PermissionDecision::Defer, .. }
    )
}

/// Returns whether a ruling drops all context: a rejected prompt does, and in profile `agent` a denial (D5).
fn drops_context(spec: &EventSpec, options: FoldOptions, ruling: &Ruling) -> bool {
    let prompt = matches!(spec.exit_2.effect, Exit2Effect::RejectPrompt | Exit2Effect::BlockExpansion);
    match ruling {
        Ruling::Block(_) => prompt,
        Ruling::Permission { decision: PermissionDecision::Deny, .. } | Ruling::RequestDeny { .. } => {
            !options.context_on_deny
        }
        Ruling::None
        | Ruling::Permission { .. }
        | Ruling::RequestAllow { .. }
        | Ruling::Elicitation { .. }
        | Ruling::Worktree(_)
        | Ruling::WorktreeFailed(_) => false,
    }
}

/// Returns the stop, if any handler stops; the first with a reason is shown (D6).
fn stop(spec: &EventSpec, replies: &[HandlerReply]) -> Option<Attributed<Stop>> {
    let stops = || {
        replies
            .iter()
            .filter(|_| spec.honours.stop)
            .filter_map(|one| one.reply.stop.as_ref().map(|stop| (&one.place, stop)))
    };
    stops()
        .find(|(_, stop)| stop.reason.is_some())
        .or_else(|| stops().next())
        .map(|(place, stop)| Attributed::by(place, stop.clone()))
}

impl Verdict {
    /// Returns the verdict of an event without any answers.
    pub fn silent(event: EventKind) -> Verdict {
        Verdict {
            event,
            ruling: Ruling::None,
            stop: None,
            context: Vec::new(),
            messages: Vec::new(),
            notices: Vec::new(),
            terminal_sequences: Vec::new(),
            failures: Vec::new(),
            observed: Vec::new(),
            fields: Default::default(),
            warnings: Vec::new(),
        }
    }
}
