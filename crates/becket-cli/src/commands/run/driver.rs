//! The driver of an open session: it sends prompts and commands, and reports their results.

use super::context::RunContext;
use super::options::Output;
use super::printer::Printer;
use super::session::Session;
use super::typed::{CommandContext, SlashCommand};
use crate::error::CliError;
use crate::report::run::{Ids, MessageMetadata, PromptStart, RunResult, SessionEvent};
use becket_agent::session::Prompt;
use becket_agent::turn::{EndReason, TurnEnd};
use becket_agent::update::{Notice, Origin, Update, UpdateKind};
use becket_engine::CancellationToken;
use becket_llm::Block;
use becket_model::PromptId;
use std::time::Instant;

/// The error if a session should continue, but has nothing to do.
const NONE_WAITS: &str =
    "no call of that session waits to be resumed: give a prompt, as in `becket run -c -p 'and now?'`";

/// The progress of the session.
pub(super) struct Driver<'a> {
    pub(super) at: RunContext<'a>,
    pub(super) session: &'a Session,
    pub(super) printer: &'a Printer,
    code: u8,
    pub(super) prompts: u32,
    /// The host's fields of the current message.
    sent: MessageMetadata,
}

impl<'a> Driver<'a> {
    /// Creates the state of an open session.
    pub(super) fn new(at: RunContext<'a>, session: &'a Session, printer: &'a Printer) -> Self {
        Driver { at, session, printer, code: 0, prompts: 0, sent: MessageMetadata::default() }
    }

    /// Returns the exit code of the last result.
    pub(super) fn code(&self) -> u8 {
        self.code
    }

    /// Records the host's fields of the next message.
    pub(super) fn set_metadata(&mut self, sent: MessageMetadata) {
        self.sent = sent;
    }

    /// Works on a prompt until it is done, or `turn` is cancelled.
    pub(super) async fn prompt(&mut self, prompt: Prompt, turn: &CancellationToken) {
        self.opened(shown(&prompt));
        let has_commands = !self.at.args.sources.disable_slash_commands;
        if let Some(command) = SlashCommand::read(&prompt).filter(|_| has_commands) {
            return self.command(command, turn).await;
        }
        let end = self.session.agent.prompt(prompt, turn).await;
        self.ended(&end);
    }

    /// Adds a message to the conversation without working on it. Its text runs no command.
    pub(super) async fn append(&mut self, prompt: Prompt, turn: &CancellationToken) {
        self.prompts += 1;
        // The rejection by a hook is already reported.
        if let Err(EndReason::PromptRejected { because, by: None }) =
            self.session.agent.append(prompt, turn).await
        {
            let what = UpdateKind::Notice(Notice::warning(because));
            self.printer.show(SessionEvent::Update(Box::new(Update { of: Origin::Main, what })));
        }
    }

    /// Works on a first prompt that comes from a hook, which can't run commands reserved for users.
    pub(super) async fn hooks_prompt(&mut self, prompt: Prompt, turn: &CancellationToken) {
        self.opened(shown(&prompt));
        let end = self.session.agent.prompt(prompt, turn).await;
        self.ended(&end);
    }

    /// Runs a turn about the result of a background hook (A4).
    pub(super) async fn run_rewake_turn(&mut self, reminder: String, turn: &CancellationToken) {
        self.opened(reminder.clone());
        let end = self.session.agent.wake(reminder, turn).await;
        self.ended(&end);
    }

    /// Runs a command, which needs no model.
    async fn command(&mut self, command: SlashCommand, turn: &CancellationToken) {
        let start = Instant::now();
        let done = CommandContext { at: self.at, session: self.session, turn }.answer(&command).await;
        let id = self.session.agent.info().id;
        let result = RunResult::of_command(done, start.elapsed(), id, Ids::random().next());
        let result = match Rejection::of(self.at) {
            Rejection::Result => result.into_success(),
            Rejection::Screen | Rejection::Text => result,
        };
        self.report(result, None);
    }

    /// Runs deferred calls without a prompt (D10).
    ///
    /// # Errors
    /// Errors if there are none: then there is nothing to continue.
    pub(super) async fn resumed(&mut self) -> Result<(), CliError> {
        if self.prompts > 0 || self.at.cancel.is_cancelled() {
            return Ok(());
        }
        if self.at.args.session.resume.is_none() && !self.at.args.session.continue_last {
            // Missing input is not an error.
            return Ok(());
        }
        if !self.session.agent.has_deferred().await {
            return Err(CliError::usage(NONE_WAITS));
        }
        self.opened("(the calls that wait)".to_owned());
        let end = self.session.agent.resume_deferred(self.at.cancel).await;
        self.ended(&end);
        Ok(())
    }

    pub(super) fn opened(&mut self, prompt: String) {
        self.prompts += 1;
        self.at.job.works(&prompt);
        self.session.end_tasks.prompt_started();
        self.session.refresh();
        if let Some(host) = self.at.host {
            host.states().works();
        }
        let init = self.session.init();
        self.printer.show(SessionEvent::Opened(Box::new(PromptStart { init, prompt })));
    }

    pub(super) fn ended(&mut self, end: &TurnEnd) {
        let displayed = self.session.displayed();
        let id = self.session.agent.info().id;
        let prompt = self.session.agent.facts().session().prompt_id;
        let result = RunResult::new(end, displayed, id, Ids::random().next());
        let result = match end.reason.rejection() {
            Some(text) => Rejection::of(self.at).applied(result, text),
            None => result,
        };
        self.report(result, prompt);
    }

    fn report(&mut self, result: RunResult, prompt: Option<PromptId>) {
        // Each result was reported; the exit code is that of the last one.
        self.code = u8::from(result.is_error);
        let result = result.of_message(std::mem::take(&mut self.sent));
        let result = result.of_session(self.session.agent.spent());
        self.at.job.rests(&result.result);
        self.printer.show(SessionEvent::Ended(Box::new(result)));
        self.session.end_tasks.prompt_ended(prompt);
    }
}

/// The way in which a rejected prompt or command is reported.
enum Rejection {
    /// A screen, which shows the reason as a notice.
    Screen,
    /// Text on stdout and an error, so that a script stops.
    Text,
    /// A result like any other.
    Result,
}

impl Rejection {
    fn of(at: RunContext<'_>) -> Self {
        match at.output {
            Output::Screen(_) => Rejection::Screen,
            Output::Text(_) if at.is_one_shot() => Rejection::Text,
            Output::Text(_) | Output::Json | Output::Stream(_) => Rejection::Result,
        }
    }

    fn applied(self, result: RunResult, text: String) -> RunResult {
        match self {
            Rejection::Screen => result,
            Rejection::Text => result.with_text(text),
            Rejection::Result => result.with_text(text).into_success(),
        }
    }
}

fn shown(prompt: &Prompt) -> String {
    let words: Vec<&str> = prompt.content.iter().filter_map(Block::as_text).collect();
    words.join("\n")
}
