//! Converts events of an engine to spans.

use crate::report::human::masked::masked;
use becket_engine::handler::Handler;
use becket_engine::{Observer, Run, RunEvent, RunEventKind, Status as Ended};
use becket_model::{Event, PermissionDecision, Ruling, Verdict};
use opentelemetry::trace::{Span as _, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::SdkTracer;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// The limit on concurrent firings that are traced; past it the oldest is dropped.
const MOST: usize = 1_024;

/// Creates the spans of one engine.
pub(super) struct Spans {
    tracer: SdkTracer,
    open: Mutex<BTreeMap<u64, FiringSpan>>,
}

/// A firing whose span, or a handler's, has not ended.
struct FiringSpan {
    context: Context,
    session: String,
    handlers: i64,
    in_background: usize,
    is_decided: bool,
}

impl Spans {
    pub(super) fn new(tracer: SdkTracer) -> Self {
        Spans { tracer, open: Mutex::default() }
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<u64, FiringSpan>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fired(&self, number: u64, event: &Event) {
        let session = event.session.id.to_string();
        let attributes = [
            KeyValue::new("becket.event", event.kind().name()),
            KeyValue::new("session.id", session.clone()),
        ];
        let span = self
            .tracer
            .span_builder(event.kind().name())
            .with_kind(SpanKind::Internal)
            .with_attributes(attributes)
            .start_with_context(&self.tracer, &Context::new());
        let context = Context::new().with_span(span);
        let mut open = self.open();
        open.insert(
            number,
            FiringSpan { context, session, handlers: 0, in_background: 0, is_decided: false },
        );
        if open.len() > MOST {
            open.pop_first();
        }
    }

    fn decided(&self, number: u64, verdict: &Verdict, elapsed: Duration) {
        let mut open = self.open();
        let Some(firing) = open.get_mut(&number) else { return };
        let span = firing.context.span();
        span.set_attribute(KeyValue::new("becket.verdict", word(verdict)));
        span.set_attribute(KeyValue::new("becket.handlers", firing.handlers));
        span.set_attribute(KeyValue::new("becket.duration_ms", millis(elapsed)));
        if !verdict.failures.is_empty() {
            span.set_status(Status::error("a handler gave no usable answer"));
        }
        span.end();
        firing.is_decided = true;
        if firing.in_background == 0 {
            open.remove(&number);
        }
    }

    fn ran(&self, number: u64, run: &Run, in_background: bool) {
        let mut open = self.open();
        let firing = open.get_mut(&number);
        let parent = firing.as_ref().map_or_else(Context::new, |firing| firing.context.clone());
        let now = SystemTime::now();
        let mut span = self
            .tracer
            .span_builder(format!("hook {}", run.handler.action.name()))
            .with_kind(SpanKind::Internal)
            .with_start_time(now.checked_sub(run.elapsed).unwrap_or(now))
            .with_attributes(attributes(run))
            .start_with_context(&self.tracer, &parent);
        span.set_attribute(KeyValue::new("becket.background", in_background));
        if let Some(firing) = &firing {
            span.set_attribute(KeyValue::new("session.id", firing.session.clone()));
        }
        if matches!(run.status, Ended::Error | Ended::Cancelled) {
            span.set_status(Status::error(run.status.as_str()));
        }
        span.end_with_timestamp(now);
        let Some(firing) = firing else { return };
        if in_background {
            firing.in_background = firing.in_background.saturating_sub(1);
            if firing.is_decided && firing.in_background == 0 {
                open.remove(&number);
            }
        } else {
            firing.handlers += 1;
        }
    }
}

impl Observer for Spans {
    fn on(&self, event: &RunEvent) {
        match &event.what {
            RunEventKind::Fired { event: fired } => self.fired(event.firing, fired),
            // A background run has its span when it ends.
            RunEventKind::Finished { run } if run.background.is_none() => self.ran(event.firing, run, false),
            RunEventKind::BackgroundFinished { run, .. } => self.ran(event.firing, run, true),
            RunEventKind::Backgrounded { .. } => {
                if let Some(firing) = self.open().get_mut(&event.firing) {
                    firing.in_background += 1;
                    firing.handlers += 1;
                }
            }
            RunEventKind::Decided { verdict, elapsed } => self.decided(event.firing, verdict, *elapsed),
            RunEventKind::Finished { .. }
            | RunEventKind::Skipped(_)
            | RunEventKind::Started { .. }
            | RunEventKind::Output { .. } => {}
        }
    }
}

fn attributes(run: &Run) -> Vec<KeyValue> {
    let mut all = handler_attributes(&run.handler, run.status);
    all.push(KeyValue::new("becket.duration_ms", millis(run.elapsed)));
    if let Some(exit) = run.exit {
        all.push(KeyValue::new("process.exit.code", i64::from(exit)));
    }
    all
}

/// Returns the attributes that spans and metrics of a handler share.
pub(super) fn handler_attributes(handler: &Handler, status: Ended) -> Vec<KeyValue> {
    vec![
        KeyValue::new("becket.event", handler.event.name()),
        KeyValue::new("becket.handler.kind", handler.action.name()),
        KeyValue::new("becket.handler.label", masked(&handler.place.label)),
        KeyValue::new("becket.handler.source", handler.place.source.to_string()),
        KeyValue::new("becket.outcome", status.as_str()),
    ]
}

/// Returns the decision of the handlers in one word, without permission rules.
pub(super) fn word(verdict: &Verdict) -> &'static str {
    if verdict.stop.is_some() {
        return "stop";
    }
    match &verdict.ruling {
        Ruling::Permission { decision: PermissionDecision::Allow, .. } | Ruling::RequestAllow { .. } => {
            "allow"
        }
        Ruling::Permission { decision: PermissionDecision::Ask, .. } => "ask",
        Ruling::Permission { decision: PermissionDecision::Defer, .. } => "defer",
        Ruling::Permission { decision: PermissionDecision::Deny, .. } | Ruling::RequestDeny { .. } => "deny",
        Ruling::None
        | Ruling::Block(_)
        | Ruling::Elicitation { .. }
        | Ruling::Worktree(_)
        | Ruling::WorktreeFailed(_) => {
            if verdict.blocks() {
                "block"
            } else {
                "none"
            }
        }
    }
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}
