//! The last lines of a prompt, for people: its end and its usage.

use super::result::RunResult;
use crate::report::style::{ERROR, FAINT, GOOD, WARNING, plain, styled};
use anstyle::Style;
use becket_engine::{Run, Status};
use std::time::Duration;

/// The counters of a prompt.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct PromptCounters {
    calls: u32,
    hooks: u32,
    blocked: u32,
    rewrote: u32,
    unchecked: u32,
    sent_back: u32,
}

impl PromptCounters {
    pub(super) fn call(&mut self) {
        self.calls += 1;
    }

    pub(super) fn sent_back(&mut self) {
        self.sent_back += 1;
    }

    pub(super) fn hook(&mut self, run: &Run) {
        self.hooks += 1;
        self.blocked += u32::from(run.status == Status::Blocked);
        self.rewrote += u32::from(run.reply.fields.updated_input.is_some());
        self.unchecked += u32::from(run.is_unchecked());
    }

    fn calls_in_words(self, denied: usize) -> String {
        counted(self.calls, "call", &[(u32::try_from(denied).unwrap_or(u32::MAX), "denied")])
    }

    fn hooks_in_words(self) -> String {
        counted(
            self.hooks,
            "hook",
            &[
                (self.blocked, "blocked"),
                (self.rewrote, "rewrote"),
                (self.sent_back, "sent the agent back"),
                (self.unchecked, "without a usable answer"),
            ],
        )
    }
}

/// Formats a count such as `3 calls (1 denied)`; empty if it is zero.
fn counted(number: u32, what: &str, parts: &[(u32, &str)]) -> String {
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    let plural = if number == 1 { "" } else { "s" };
    match (number, parts.is_empty()) {
        (0, _) => String::new(),
        (_, true) => format!("{number} {what}{plural}"),
        (_, false) => format!("{number} {what}{plural} ({})", parts.join(", ")),
    }
}

/// Returns the line about the whole prompt.
pub(super) fn summary(result: &RunResult, counts: PromptCounters, tokens: (u64, u64)) -> String {
    let (style, word) = ended(result);
    let parts = [
        counted(result.num_turns, "answer", &[]),
        counts.calls_in_words(result.permission_denials.len()),
        counts.hooks_in_words(),
        if tokens == (0, 0) { String::new() } else { format!("{} + {} tokens", tokens.0, tokens.1) },
        took(Duration::from_millis(result.duration_ms)),
        format!("session {}", result.session_id),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}  {}\n", styled(style, word), styled(FAINT, &parts.join(" · ")))
}

/// Returns the errors in full, and the hook that stopped the turn (O7). An interrupt is not an error: the last line
/// reports it.
pub(super) fn errors(result: &RunResult) -> String {
    if result.was_interrupted() {
        return String::new();
    }
    let lines = |text: &str| plain(text.trim_end()).replace('\n', "\n  ");
    let failed = result.errors.iter().map(|error| format!("{} {}\n", styled(ERROR, "error:"), lines(error)));
    let stopped = result.stopped_by.iter().map(|by| {
        let because = result.stop_reason.as_deref().unwrap_or_default();
        format!("{} by the {}: {}\n", styled(WARNING, "stopped"), plain(by), lines(because))
    });
    failed.chain(stopped).collect()
}

fn ended(result: &RunResult) -> (Style, &'static str) {
    match result.terminal_reason {
        "completed" => (GOOD, "done"),
        "capped" => (WARNING, "done, though a hook still objects"),
        "hook_stopped" => (WARNING, "stopped by a hook"),
        "tool_deferred" => (WARNING, "waits to be resumed"),
        _ if result.was_interrupted() => (WARNING, "interrupted"),
        _ => (ERROR, "failed"),
    }
}

fn took(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 60.0 {
        format!("{seconds:.1} s")
    } else {
        format!("{:.0} min {:.0} s", (seconds / 60.0).floor(), seconds % 60.0)
    }
}
