//! The calls of an answer: run together if allowed, otherwise one by one, each answered (L1, L2).
//!
//! INVARIANT: a call is started only while the turn is not interrupted and no hook has stopped it (D6, D8).

use super::agent_loop::{AgentLoop, INTERRUPTED, Step, Turn};
use super::decide::{AfterCalls, Batch, after_calls};
use super::end::{DeferredCall, Denial, EndReason};
use super::session_shared::error;
use crate::facts::Facts;
use crate::hook_messages;
use crate::tool_call::{BatchAbort, CallEnd, CallSession, Report, ToolCalls};
use crate::update::{Notice, UpdateKind, Updates};
use becket_engine::{CancellationToken, ToolCall, ToolSet};
use becket_llm::{Block, BrokenCall};
use becket_model::event::environment::DirectoryAdded;
use becket_model::event::tool::PostToolBatch;
use becket_rules::PermissionUpdate;
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Map, Value};

/// The maximum number of calls that run at once.
const TOGETHER: usize = 10;

/// The tools that read environment files when they start.
const SHELLS: [&str; 2] = ["Bash", "PowerShell"];

/// A call, with the error if its input could not be parsed.
type ParsedCall = (ToolCall, Option<String>);

/// The results of the calls so far.
#[derive(Default)]
struct Reports {
    /// The calls as PostToolBatch shows them, by their position.
    shown: Vec<Option<Map<String, Value>>>,
    deferred: Vec<DeferredCall>,
    interrupted: bool,
    /// The first hook that stopped the host.
    stopped_by: Option<String>,
    denied_too_often: Option<u32>,
}

impl AgentLoop {
    /// Runs the open calls and the steps after them.
    pub(super) async fn run_calls(
        &mut self,
        turn: &mut Turn,
        broken: Vec<BrokenCall>,
        cancel: &CancellationToken,
    ) -> Step {
        // A call between two ends of the turn resets the count (L4).
        turn.stops.restart();
        let attempts = self.output_calls();
        let mut calls = self.conversation.open().map(|open| open.calls()).unwrap_or_default();
        for call in &mut calls {
            // Before anything sees the call: hooks and rules judge the tool that runs.
            let called = self.shared.resolve_alias(&call.name);
            if called != call.name {
                call.name = called.to_owned();
            }
        }
        let wanted = wanted(calls, broken);
        let mut reports = Reports { shown: vec![None; wanted.len()], ..Reports::default() };
        let abort = BatchAbort::default();
        let mut at = 0;
        for group in groups(wanted, &self.toolbox) {
            self.before_a_shell(&group).await;
            let before = self.facts.cwd();
            let count = group.len();
            let mut running = Box::pin(run_together(self.runner(&abort, cancel), group));
            while let Some((place, report)) = running.next().await {
                let updates = report.updates.clone();
                let (id, touched) = (report.call.id.clone(), self.touched(&report));
                self.settle(at + place, report, &mut reports, &abort);
                self.instruct_beside(&id, touched, cancel).await;
                self.take_updates(updates).await;
            }
            drop(running);
            at += count;
            self.shared.moved(&self.facts, &before, &self.updates);
        }
        let step = self.after_calls(reports, &abort, cancel).await;
        if attempts > 0 && matches!(step, Step::Prepare) {
            return self.count_output(turn, attempts);
        }
        step
    }

    fn runner(&self, abort: &BatchAbort, cancel: &CancellationToken) -> Runner {
        Runner {
            calls: self.calls.clone(),
            facts: self.facts.clone(),
            updates: self.updates.clone(),
            abort: abort.clone(),
            cancel: cancel.clone(),
        }
    }

    /// Before a shell starts, waits for hooks that fill environment files (L3).
    async fn before_a_shell(&self, group: &[ParsedCall]) {
        if group.iter().any(|(call, _)| SHELLS.contains(&call.name.as_str()))
            && let Err(late) = self.shared.detached_events.shell_may_start().await
        {
            self.updates.notice(late);
        }
    }

    /// Answers a call that has ended, unless it waits for a resume.
    fn settle(&mut self, place: usize, report: Report, reports: &mut Reports, abort: &BatchAbort) {
        self.tell(&report);
        reports.interrupted |= report.interrupt;
        reports.denied_too_often = reports.denied_too_often.max(report.denied_too_often);
        if report.interrupt {
            abort.abort(INTERRUPTED);
        }
        if let Some(stop) = report.stop() {
            abort.abort(hook_messages::stop_reason(stop));
            reports.stopped_by = reports.stopped_by.take().or_else(|| report.stopped_by());
        }
        if report.ended == CallEnd::Deferred {
            let ToolCall { id, name, input } = report.call;
            reports.deferred.push(DeferredCall { id, name, input });
            return;
        }
        let (content, is_error) = report.for_model();
        if let Some(shown) = reports.shown.get_mut(place) {
            *shown = Some(report.of_batch());
        }
        let id = &report.call.id;
        if let Some(open) = self.conversation.open() {
            let answered = open.answer(id, content, is_error);
            let beside = report.beside().into_iter().map(|text| open.beside_call(id, text));
            if let Err(wrong) = std::iter::once(answered).chain(beside).collect::<Result<(), _>>() {
                self.updates.notice(error(format!("a call could not be answered: {wrong}")));
            }
        }
        self.store();
        let ToolCall { id, name, .. } = report.call;
        self.updates.send(UpdateKind::CallEnded { tool_use_id: id, tool: name, is_error });
    }

    /// Reports a call to the user, and counts its spending.
    fn tell(&self, report: &Report) {
        report.nested.iter().for_each(|nested| self.tell(nested));
        report.outcomes.iter().chain(&report.fired).for_each(|outcome| self.meter.fired(outcome));
        for outcome in &report.outcomes {
            let hook = hook_messages::hook_name_for(outcome.verdict.event, Some(&report.call.name));
            for notice in hook_messages::for_user(&hook, &outcome.verdict, is_cancelled(report)) {
                self.updates.notice(notice);
            }
        }
        for outcome in &report.fired {
            let hook = hook_messages::hook_name_for(outcome.verdict.event, None);
            for notice in hook_messages::for_user(&hook, &outcome.verdict, is_cancelled(report)) {
                self.updates.notice(notice);
            }
        }
        for text in &report.warnings {
            self.updates.notice(Notice::warning(text.clone()));
        }
        if let CallEnd::Denied { because, .. } = &report.ended {
            self.meter.denied(&Denial {
                tool_name: report.call.name.clone(),
                tool_use_id: report.call.id.clone(),
                tool_input: report.call.input.clone(),
                because: because.clone(),
            });
        }
    }

    /// Applies the updates of an approval (P13).
    async fn take_updates(&self, updates: Vec<PermissionUpdate>) {
        if updates.is_empty() {
            return;
        }
        let (permissions, facts) = (self.shared.permissions.clone(), self.facts.clone());
        let changed = tokio::task::spawn_blocking(move || permissions.apply(&facts, &updates)).await;
        self.shared.wrote_settings();
        let applied = match changed {
            Ok(changed) => changed.applied,
            Err(lost) => {
                self.updates.notice(error(format!("permissions could not be changed: {lost}")));
                return;
            }
        };
        for text in applied.warnings {
            self.updates.notice(Notice::warning(text));
        }
        for directory in applied.added {
            let body =
                DirectoryAdded::new(directory.to_string_lossy().into_owned(), "slash_command".to_owned());
            self.shared.leave(&self.facts, body, &self.updates);
        }
    }

    async fn after_calls(
        &mut self,
        reports: Reports,
        abort: &BatchAbort,
        cancel: &CancellationToken,
    ) -> Step {
        let stopped = abort.reason();
        let batch = Batch {
            interrupted: reports.interrupted || cancel.is_cancelled(),
            stopped: stopped.is_some(),
            deferred: !reports.deferred.is_empty(),
            denied_too_often: reports.denied_too_often.is_some(),
        };
        match after_calls(batch) {
            AfterCalls::Batch => self.post_tool_batch(reports, cancel).await,
            AfterCalls::Interrupted => self.closed(INTERRUPTED, EndReason::Interrupted),
            AfterCalls::Stopped => {
                let because = stopped.unwrap_or_default();
                self.closed(
                    &format!("stopped: {because}"),
                    EndReason::HookStopped { because, by: reports.stopped_by },
                )
            }
            AfterCalls::Deferred => {
                let ids: Vec<String> = reports.deferred.iter().map(|call| call.id.clone()).collect();
                self.conversation.defer(&ids);
                Step::End(EndReason::Deferred { calls: reports.deferred })
            }
            AfterCalls::DeniedTooOften => {
                let times = reports.denied_too_often.unwrap_or_default();
                self.closed(INTERRUPTED, EndReason::DeniedTooOften { times })
            }
        }
    }

    /// Fires PostToolBatch, and returns to the conversation for the next request.
    async fn post_tool_batch(&mut self, reports: Reports, cancel: &CancellationToken) -> Step {
        let body = PostToolBatch::new(reports.shown.into_iter().flatten().collect());
        let fired = self.shared.fire(&self.facts, body, &self.updates, cancel).await;
        if let Some(open) = self.conversation.open() {
            for text in fired.for_model() {
                open.beside(text);
            }
        }
        if cancel.is_cancelled() {
            return self.closed(INTERRUPTED, EndReason::Interrupted);
        }
        // A block ends the loop before the next request, as a stop does.
        let blocked = || fired.outcome.verdict.blocks().then(|| fired.outcome.verdict.joined_reason());
        if let Some(because) = fired.stop().or_else(|| blocked().map(Option::unwrap_or_default)) {
            let by = fired.stopped_by();
            return self.closed(INTERRUPTED, EndReason::HookStopped { because, by });
        }
        self.close_calls(INTERRUPTED);
        Step::Prepare
    }

    fn closed(&mut self, why: &str, reason: EndReason) -> Step {
        self.close_calls(why);
        Step::End(reason)
    }

    /// Answers the open calls, and shows the text for the model.
    fn close_calls(&mut self, why: &str) {
        let conversation = self.conversation.whole(why);
        let content = conversation.messages().pop().map(|last| last.content).unwrap_or_default();
        self.updates.send(UpdateKind::UserMessage { content, hidden: false });
    }
}

/// Returns whether a call was ended on purpose, so that the end of its hooks is not reported.
fn is_cancelled(report: &Report) -> bool {
    matches!(report.ended, CallEnd::Cancelled { .. })
}

/// Combines calls with the errors in their input; broken ones are identified by their position in the answer's content.
fn wanted(calls: Vec<ToolCall>, broken: Vec<BrokenCall>) -> Vec<ParsedCall> {
    let mut wanted: Vec<ParsedCall> = calls.into_iter().map(|call| (call, None)).collect();
    for BrokenCall { at, why } in broken {
        if let Some((_, slot)) = wanted.get_mut(at) {
            *slot = Some(why);
        }
    }
    wanted
}

/// Groups calls that run one after the other: neighbours that may run together share a group, others have their own.
fn groups(wanted: Vec<ParsedCall>, toolbox: &ToolSet) -> Vec<Vec<ParsedCall>> {
    let together = |(call, broken): &ParsedCall| {
        broken.is_none() && toolbox.find(&call.name).is_some_and(|tool| tool.hints().together)
    };
    let mut groups: Vec<Vec<ParsedCall>> = Vec::new();
    let mut last_may = false;
    for one in wanted {
        let may = together(&one);
        match groups.last_mut() {
            Some(group) if may && last_may => group.push(one),
            Some(_) | None => groups.push(vec![one]),
        }
        last_may = may;
    }
    groups
}

/// The parameters of a group of calls.
struct Runner {
    calls: ToolCalls,
    facts: Facts,
    updates: Updates,
    abort: BatchAbort,
    cancel: CancellationToken,
}

/// Runs a group; returns reports as calls end, each with its position in the group.
fn run_together(runner: Runner, group: Vec<ParsedCall>) -> impl Stream<Item = (usize, Report)> + Send {
    let runner = std::sync::Arc::new(runner);
    let one = move |(place, wanted): (usize, ParsedCall)| {
        let runner = std::sync::Arc::clone(&runner);
        async move { (place, runner.run(wanted).await) }
    };
    stream::iter(group.into_iter().enumerate()).map(one).buffer_unordered(TOGETHER)
}

impl Runner {
    async fn run(&self, (call, broken): ParsedCall) -> Report {
        if let Some(why) = broken {
            return Report::without_hooks(call, CallEnd::Invalid { error: why });
        }
        if self.cancel.is_cancelled() {
            return Report::without_hooks(call, CallEnd::Cancelled { started: false });
        }
        if let Some(because) = self.abort.reason() {
            return Report::without_hooks(call, CallEnd::Stopped { because });
        }
        let started = UpdateKind::CallStarted { tool_use_id: call.id.clone(), tool: call.name.clone() };
        self.updates.send(started);
        let session = self.facts.session();
        let of = CallSession { session: &session, facts: Some(&self.facts) };
        self.calls.run_held(of, call, &self.cancel, &self.abort).await
    }
}

/// Converts positions in an answer's content to positions among its calls.
pub(super) fn places_among_calls(content: &[Block], broken: Vec<BrokenCall>) -> Vec<BrokenCall> {
    let is_call = |block: &&Block| matches!(block, Block::ToolUse { .. });
    let among = |at: usize| content.iter().take(at).filter(is_call).count();
    broken.into_iter().map(|BrokenCall { at, why }| BrokenCall { at: among(at), why }).collect()
}

#[cfg(test)]
mod tests;
