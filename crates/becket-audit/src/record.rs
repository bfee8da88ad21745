//! One line of the log.

use crate::chain::digest;
use becket_base::secret::Redactor;
use becket_base::text::one_line;
use becket_engine::{AuditedVerdict, Outcome, Plan, Run, Settlement};
use becket_model::EventBody;
use becket_model::wire::input;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The version of records that this build writes; it reads those up to it.
pub const VERSION: u32 = 1;

/// The longest texts of a record, in characters.
const LONGEST: usize = 500;

/// One line: its place in the chain, and what it records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditRecord {
    /// The version of the record. It is the first member of a line.
    pub version: u32,
    /// The id of the log, which its first record has made up.
    pub log: String,
    /// The number of the record in the log, from 0 on.
    pub seq: u64,
    /// The hash of the line before it; of the first, 64 zeros.
    pub previous: String,
    /// The time of its writing, in RFC 3339 and UTC.
    pub at: String,
    /// The process that has written it.
    pub pid: u32,
    /// The fact that it records.
    #[serde(flatten)]
    pub body: RecordBody,
}

/// A record as it is in the file now, for copies of the log.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WrittenRecord {
    /// The record.
    pub record: AuditRecord,
    /// The hash of its line: the member `previous` of the next one.
    pub hash: String,
}

/// The content of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "what", rename_all = "snake_case")]
pub enum RecordBody {
    /// The start of a log.
    Begin {
        /// The machine.
        machine: String,
    },
    /// A verdict.
    Verdict(Box<VerdictRecord>),
    /// Lines before this one that a process has not written to their end.
    Torn(TornLines),
    /// A statement about the line before this one.
    Checkpoint(crate::Checkpoint),
}

/// Lines that are not records: they stay in the file, and the chain continues after them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TornLines {
    /// Their length in bytes, with the line feeds.
    pub bytes: u64,
    /// Their hash.
    pub sha256: String,
}

/// A verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct VerdictRecord {
    /// The id of the session.
    pub session: String,
    /// The event.
    pub event: String,
    /// The value that matchers were tested against, such as the name of the tool.
    pub subject: Option<String>,
    /// The id of the tool call.
    pub tool_use: Option<String>,
    /// The hash of the input, as hooks read it.
    pub input: String,
    /// The hash of the plan: of the hooks that ran, and of those that did not, with the reasons.
    pub plan: String,
    /// The hash of the configuration.
    pub policy: String,
    /// `proceed`, `block` or `wait`: the next step of the host.
    pub decision: String,
    /// The decision of rules and mode together with the hooks, on a tool call.
    pub settlement: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// The hooks that ran.
    pub handlers: Vec<RecordedHandler>,
}

/// A hook that ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RecordedHandler {
    /// Its source.
    pub source: String,
    /// Its name for people.
    pub label: String,
    /// The place where it is written.
    pub place: String,
    /// Its status.
    pub status: String,
    /// Its decision, if it made one that counts.
    pub decision: Option<String>,
    /// Why: the reason of the decision, or of the failure.
    pub reason: Option<String>,
    /// Its mode, if its answer did not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// The effect that its answer would have had then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub would: Option<String>,
}

impl VerdictRecord {
    /// Describes a verdict.
    #[must_use]
    pub fn new(verdict: &AuditedVerdict<'_>) -> Self {
        let AuditedVerdict { event, outcome, policy, .. } = verdict;
        VerdictRecord {
            session: text(&event.session.id.to_string()),
            event: event.kind().name().to_owned(),
            subject: event.body.subject().map(text),
            tool_use: tool_use(&event.body).map(text),
            input: digest(&input::to_bytes(event)),
            plan: plan(&outcome.plan),
            policy: (*policy).to_owned(),
            decision: outcome.decision().as_str().to_owned(),
            settlement: outcome.settlement.as_ref().map(|settled| settled.as_str().to_owned()),
            reason: why(outcome),
            handlers: outcome.runs.iter().map(|run| RecordedHandler::new(run)).collect(),
        }
    }
}

impl RecordedHandler {
    fn new(run: &Run) -> Self {
        let observed = run.withheld.as_ref().and_then(|withheld| withheld.observed.as_ref());
        let made = run.reply.decision.as_ref();
        let failure = || run.failure.as_ref().map(ToString::to_string);
        let of_observed = || observed.and_then(|observed| observed.reason.clone());
        let why =
            made.and_then(|made| Some(made.reason()?.into_owned())).or_else(failure).or_else(of_observed);
        RecordedHandler {
            source: run.handler.place.source.to_string(),
            label: text(&run.handler.place.label),
            place: text(&run.handler.location.to_string()),
            status: run.status.as_str().to_owned(),
            decision: made.map(|decision| decision.as_str().to_owned()),
            reason: why.map(|why| text(&why)),
            mode: run.withheld.as_ref().map(|withheld| withheld.enforcement.as_str().to_owned()),
            would: observed.map(|observed| observed.effect.as_str().to_owned()),
        }
    }
}

fn tool_use(body: &EventBody) -> Option<&str> {
    if let EventBody::PreToolUse(call) = body {
        return Some(&call.tool_use_id);
    }
    if let EventBody::PostToolUse(call) = body {
        return Some(&call.tool_use_id);
    }
    if let EventBody::PostToolUseFailure(call) = body {
        return Some(&call.tool_use_id);
    }
    if let EventBody::PermissionDenied(call) = body {
        return Some(&call.tool_use_id);
    }
    None
}

/// Returns a text on one line, cut, and without what looks like a secret.
fn text(text: &str) -> String {
    let mut redactor = Redactor::default();
    redactor.add_found_in(text);
    one_line(&redactor.redact(text), LONGEST)
}

fn why(outcome: &Outcome) -> Option<String> {
    let settled = match &outcome.settlement {
        Some(
            Settlement::Allowed { because }
            | Settlement::Denied { because }
            | Settlement::Asked { because }
            | Settlement::Stopped { because },
        ) => Some(because.clone()).filter(|because| !because.is_empty()),
        Some(Settlement::Deferred | Settlement::Undecided) | None => None,
    };
    settled.or_else(|| outcome.verdict.joined_reason()).map(|why| text(&why))
}

fn plan(plan: &Plan) -> String {
    let mut lines = String::new();
    for run in plan.runs() {
        let handler = &run.handler;
        let (source, label, place) = (&handler.place.source, &handler.place.label, &handler.location);
        // INVARIANT: a String takes everything that is written to it.
        let _ = writeln!(lines, "runs\t{source}\t{place}\t{}\t{label}", handler.rollout);
    }
    for skipped in plan.skipped() {
        let handler = &skipped.handler;
        let _ = writeln!(lines, "skipped\t{}\t{}\t{skipped}", handler.place.source, handler.location);
    }
    digest(lines.as_bytes())
}
