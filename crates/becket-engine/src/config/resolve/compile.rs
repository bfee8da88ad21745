//! Compiles one entry of a file into a [`Handler`]: place, time limit, and the privileges that its file gives it.

use super::Part;
use crate::config::fix::{Fix, FixChange};
use crate::config::handler::{Background, Handler, Once, Timeout};
use crate::config::policy::Policy;
use crate::config::position::{HandlerOrder, position};
use crate::config::raw::{Entry, RawRollout};
use crate::config::request::Request;
use crate::config::rollout::Rollout;
use crate::host::profile::Profile;
use becket_model::table::{HandlerKind, OnFailureEffect};
use becket_model::{Enforcement, EventKind, HandlerOrigin, OnFailure, Privileges, Source};

/// State that all handlers of a configuration share while they are compiled.
#[derive(Debug)]
pub(crate) struct CompileContext<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) fail_closed: bool,
    /// Set if nothing goes to the background.
    pub(crate) waits_for_async: bool,
    /// The running number of the next handler.
    pub(crate) sequence: u32,
}

impl<'a> CompileContext<'a> {
    pub(crate) fn new(request: &'a Request, policy: &Policy) -> Self {
        CompileContext {
            profile: &request.profile,
            fail_closed: policy.fail_closed,
            waits_for_async: request.waits_for_async,
            sequence: 0,
        }
    }
}

/// Compiles the handler of an entry.
pub(crate) fn handler(entry: &Entry, part: &mut Part<'_>, making: &mut CompileContext<'_>) -> Handler {
    let raw = &entry.handler;
    let source = part.layer.source.clone();
    let seat =
        HandlerOrder { source: &source, nth: part.layer.nth, order: raw.order, sequence: making.sequence };
    making.sequence += 1;
    let position = position(making.profile, seat);
    let background = if making.waits_for_async { Background::No } else { raw.background };
    let rollout = rollout(raw.rollout, &source, part);
    let once = raw.once.and_then(|at| once(at, &source, part));
    Handler {
        event: entry.event,
        place: HandlerOrigin {
            position,
            label: raw.label.clone(),
            privileges: privileges(part),
            on_failure: on_failure(entry, background, making.fail_closed),
            enforcement: Enforcement::Enforce,
            source,
        },
        location: part.report.location(entry.span),
        matcher: entry.matcher.clone(),
        condition: raw.condition.clone(),
        anchor: part.layer.anchor.clone(),
        timeout: timeout(entry, making.profile),
        status_message: raw.status_message.clone(),
        once,
        background,
        rollout,
        questions: raw.questions,
        worker: raw.worker,
        warm: raw.warm,
        agent_scope: None,
        root: part.layer.root.clone(),
        action: raw.action.clone(),
    }
}

/// Returns the privileges of the handlers of a file (C7b, G3).
fn privileges(part: &Part<'_>) -> Privileges {
    match &part.sheet.broken_guard {
        _ if part.layer.is_untrusted => Privileges::Untrusted,
        Some(_) => Privileges::BrokenGuard,
        None => Privileges::Full,
    }
}

/// Returns the rollout of a handler. A managed handler can be observed only with an end, and is enforced without one
/// (G5).
fn rollout(raw: RawRollout, source: &Source, part: &mut Part<'_>) -> Rollout {
    let is_weaker = raw.rollout.written() != Enforcement::Enforce;
    if !is_weaker || raw.has_end || *source != Source::Policy {
        return raw.rollout;
    }
    let message = format!(
        "a managed hook in mode `{}` needs `observeUntil`; without it, the hook is enforced",
        raw.rollout.written().as_str()
    );
    part.report
        .error(raw.span, "observation-without-end", message)
        .help("add the last day of the observation: `\"observeUntil\": \"2026-12-31\"`")
        .rule("G5");
    Rollout::default()
}

/// Returns the state of `once`, which counts in the frontmatter of a skill and for handlers that the host registers
/// (C11).
fn once(at: crate::config::source::tree::Span, source: &Source, part: &mut Part<'_>) -> Option<Once> {
    match source {
        Source::Skill(_) | Source::Callback | Source::Function => Some(Once::default()),
        Source::Policy
        | Source::User
        | Source::Project
        | Source::Local
        | Source::Flag
        | Source::Plugin(_)
        | Source::Agent(_) => {
            let message = "`once` counts in a skill's frontmatter only; here the handler runs every time";
            part.report
                .warning(at, "once-without-effect", message)
                .help("remove `once`")
                .rule("C11")
                .fix(Fix::safe(at, "remove `once`", FixChange::RemoveMember("once")));
            None
        }
    }
}

fn on_failure(entry: &Entry, background: Background, fail_closed: bool) -> OnFailure {
    let counts = entry.event.spec().on_failure != OnFailureEffect::Nothing && background == Background::No;
    if counts && (fail_closed || entry.handler.on_failure == OnFailure::Block) {
        OnFailure::Block
    } else {
        OnFailure::Continue
    }
}

/// Returns the configured limit, else the profile's for commands, else the table's (H11).
fn timeout(entry: &Entry, profile: &Profile) -> Timeout {
    let kind = entry.handler.action.kind();
    match &entry.handler.timeout {
        Some(timeout) => Timeout { limit: timeout.value, configured: true },
        None => Timeout {
            limit: kind.map(|kind| default_timeout(entry.event, kind, profile)).unwrap_or_default(),
            configured: false,
        },
    }
}

fn default_timeout(event: EventKind, kind: HandlerKind, profile: &Profile) -> std::time::Duration {
    let of_the_table = event.spec().default_timeout(kind).unwrap_or_default();
    match kind {
        HandlerKind::Command => profile.default_timeout.unwrap_or(of_the_table),
        HandlerKind::Http | HandlerKind::McpTool | HandlerKind::Prompt | HandlerKind::Agent => of_the_table,
    }
}
