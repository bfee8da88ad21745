//! A session for people: the agent's messages and calls, and the results of hooks, as they happen.
//!
//! The last answer goes to stdout, everything else to stderr. Output about a call is shown below the line of the call,
//! which is repeated if concurrent calls alternate.

mod calls;
mod firings;

use super::event::SessionEvent;
use super::result::RunResult;
use super::summary::{PromptCounters, errors, summary};
use crate::report::style::{ERROR, FAINT, HEAD, NONE, WARNING, one_line, plain, styled};
use crate::wrap::block;
use becket_agent::update::{Level, Notice, Origin, Update, UpdateKind};
use becket_engine::RunEvent;
use becket_llm::{Block, Usage};
use becket_model::continued;
use calls::Calls;
use firings::Firings;
use std::time::Duration;

/// The output, by stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    /// The answer, unchanged.
    pub(crate) stdout: String,
    /// Everything else.
    pub(crate) stderr: String,
}

/// The amount of detail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verbosity {
    /// The answer, and messages that a user must not miss.
    Needed,
    /// The work in between as well.
    Work,
    /// The silent hooks as well.
    All,
}

/// Formats a session for people.
pub(crate) struct Live {
    verbosity: Verbosity,
    calls: Calls,
    firings: Firings,
    counts: PromptCounters,
    usage: Usage,
    /// An answer without calls: the last one, unless a hook makes the agent continue.
    held: Option<String>,
    /// The maximum width of tables; `None` if unlimited.
    width: Option<usize>,
}

impl Live {
    /// Creates the state of a session that opens.
    pub(crate) fn new(verbosity: Verbosity) -> Self {
        Live {
            verbosity,
            calls: Calls::default(),
            firings: Firings::default(),
            counts: PromptCounters::default(),
            usage: Usage::default(),
            held: None,
            width: None,
        }
    }

    /// Limits tables to a width from now on.
    pub(crate) fn fit(&mut self, width: usize) {
        self.width = Some(width);
    }

    /// Returns the output about an event.
    pub(crate) fn page(&mut self, shown: &SessionEvent) -> Page {
        let stderr = match shown {
            SessionEvent::Opened(started) => self.opened(&started.init.model, &started.prompt),
            SessionEvent::Update(update) => self.update(update),
            SessionEvent::Hook(event) => self.hook(event),
            // Control lines only exist in stream-json.
            SessionEvent::Control(_) | SessionEvent::SubagentsWanted | SessionEvent::State(_) => {
                String::new()
            }
            SessionEvent::Ended(result) => return self.ended(result),
        };
        Page { stdout: String::new(), stderr }
    }

    fn works(&self) -> bool {
        match self.verbosity {
            Verbosity::Needed => false,
            Verbosity::Work | Verbosity::All => true,
        }
    }

    fn opened(&mut self, model: &str, prompt: &str) -> String {
        self.counts = PromptCounters::default();
        self.usage = Usage::default();
        if !self.works() {
            return String::new();
        }
        format!("{} {}  {}\n", styled(HEAD, ">"), one_line(prompt, 100), styled(FAINT, model))
    }

    fn update(&mut self, update: &Update) -> String {
        let depth = depth(&update.of);
        match &update.what {
            UpdateKind::Answered { content, displayed, usage, .. } => {
                self.usage = self.usage.plus(*usage);
                self.answered(content, displayed.as_deref(), depth)
            }
            UpdateKind::UserMessage { content, .. } => self.failed_results(content),
            UpdateKind::CallStarted { tool_use_id, .. } if self.works() => self.calls.line(tool_use_id),
            UpdateKind::CallStarted { .. }
            | UpdateKind::CallEnded { .. }
            | UpdateKind::Text { .. }
            | UpdateKind::Piece(_)
            | UpdateKind::RateLimit(_)
            | UpdateKind::Cleared { .. }
            | UpdateKind::Displayed { .. } => String::new(),
            UpdateKind::Notice(notice) => notice_line(notice),
            UpdateKind::StopHooks(_) | UpdateKind::ElicitationComplete { .. } | UpdateKind::Titled { .. } => {
                String::new()
            }
            UpdateKind::Retrying { attempt, after, because, .. } => retrying(*attempt, *after, because),
            UpdateKind::Compacted { .. } if self.works() => {
                self.aside(&styled(FAINT, "the conversation was summed up to make room"))
            }
            UpdateKind::Moved { cwd } if self.works() => {
                self.aside(&styled(FAINT, &format!("now in {}", cwd.display())))
            }
            UpdateKind::Task { status, description, .. } if self.works() => {
                let text = format!("in the background, {status}: {}", one_line(description, 80));
                self.aside(&styled(FAINT, &text))
            }
            UpdateKind::ProgramDenied { command, reason, chain, .. } if self.works() => {
                let (command, chain) = (one_line(command, 80), one_line(&chain.join(" → "), 80));
                let text = format!("not run: {command}: {}; run by {chain}", one_line(reason, 160));
                self.aside(&styled(FAINT, &text))
            }
            UpdateKind::AccessRefused { refusal, .. } if self.works() => {
                self.aside(&styled(FAINT, &format!("refused: {}", one_line(&refusal.text, 240))))
            }
            UpdateKind::Compacted { .. }
            | UpdateKind::Moved { .. }
            | UpdateKind::Task { .. }
            | UpdateKind::AccessRefused { .. }
            | UpdateKind::ProgramDenied { .. } => String::new(),
        }
    }

    /// Returns a line that belongs to no call.
    fn aside(&mut self, line: &str) -> String {
        self.calls.leave();
        format!("{line}\n")
    }

    fn answered(&mut self, content: &[Block], displayed: Option<&str>, depth: usize) -> String {
        let before = self.earlier_answer();
        let text: String = content.iter().filter_map(Block::as_text).collect();
        let text = displayed.map_or(text, str::to_owned);
        let calls = self.calls.opened(content, depth);
        (0..calls).for_each(|_| self.counts.call());
        if calls == 0 && depth == 0 {
            self.held = Some(text);
            return before;
        }
        if self.works() && !text.trim().is_empty() {
            self.calls.leave();
            return before + &block(&text, depth * 2);
        }
        before
    }

    /// Returns an earlier answer that turned out not to be the last.
    fn earlier_answer(&mut self) -> String {
        match self.held.take() {
            Some(text) if self.works() && !text.trim().is_empty() => {
                self.calls.leave();
                block(&text, 0)
            }
            Some(_) | None => String::new(),
        }
    }

    /// Returns the results of calls; only failures are shown.
    fn failed_results(&mut self, content: &[Block]) -> String {
        let mut text = String::new();
        for block in content {
            if let Block::ToolResult { tool_use_id, content, is_error } = block {
                let error = content.iter().find_map(Block::as_text).filter(|_| *is_error && self.works());
                text.push_str(&self.calls.answered(tool_use_id, error));
            }
        }
        text
    }

    fn hook(&mut self, event: &RunEvent) -> String {
        let Some(decided) = self.firings.decided(event, &mut self.counts) else { return String::new() };
        if decided.sends_back {
            self.counts.sent_back();
        }
        let body = decided.body(self.verbosity == Verbosity::All, self.width);
        if !self.works() || body.is_empty() {
            return String::new();
        }
        // The last answer is shown at the end, and not before the hooks that accept it as the last.
        let before = if decided.ends && !decided.sends_back { String::new() } else { self.earlier_answer() };
        match decided.call.as_ref().filter(|call| self.calls.contains(call)) {
            Some(call) => {
                if decided.says_why() {
                    self.calls.explained(call);
                }
                before + &self.calls.line(call) + &body
            }
            None => {
                self.calls.leave();
                format!("{before}{}\n{body}", styled(HEAD, &decided.head))
            }
        }
    }

    fn ended(&mut self, result: &RunResult) -> Page {
        self.calls.leave();
        self.held = None;
        let answer = if result.is_error { self.answer_of_an_error(result) } else { result.answer() };
        let stdout = if answer.is_empty() { answer } else { format!("{}\n", answer.trim_end()) };
        let mut stderr = errors(result);
        if !self.works() && result.was_interrupted() {
            stderr.push_str(&format!("{}\n", styled(WARNING, "interrupted")));
        }
        if self.works() && result.has_worked() {
            stderr.push_str(&summary(
                result,
                self.counts,
                (self.usage.input_tokens, self.usage.output_tokens),
            ));
        }
        Page { stdout, stderr }
    }

    /// Returns the model's text before the error. The error itself is not an answer.
    fn answer_of_an_error(&self, result: &RunResult) -> String {
        let is_error = result.errors.contains(&result.result);
        if is_error { String::new() } else { result.result.clone() }
    }
}

fn depth(of: &Origin) -> usize {
    match of {
        Origin::Main => 0,
        Origin::Subagent { .. } => 1,
    }
}

fn notice_line(notice: &Notice) -> String {
    let (style, word) = match notice.level {
        Level::Notice => (NONE, ""),
        Level::Warning => (WARNING, "warning: "),
        Level::Error => (ERROR, "error: "),
    };
    let word = if notice.unchecked { styled(WARNING, "not checked: ") } else { styled(style, word) };
    let hook = notice.hook.as_ref().map(|hook| format!("{} ", styled(FAINT, hook))).unwrap_or_default();
    format!("{hook}{word}{}\n", continued(&plain(&notice.text)))
}

fn retrying(attempt: u32, after: Duration, because: &str) -> String {
    let why = one_line(because, 200);
    format!("{} {why}; attempt {attempt} in {:.1} s\n", styled(WARNING, "the model:"), after.as_secs_f64())
}
