//! The display of a session at a terminal: streamed answers, whole lines at a time, and the work in between.
//!
//! An answer is shown only as MessageDisplay hooks have changed it (D11). The rows of calls and hooks are the same as
//! in other text output; answers are specific to this view.

use super::super::options::Output;
use super::handle::Terminal;
use super::markdown::Markdown;
use super::questions::ASKS;
use super::screen::width;
use crate::out::Out;
use crate::report::run::{Live, RunResult, SessionEvent, Verbosity};
use crate::report::style::plain;
use becket_agent::update::{Origin, Update, UpdateKind};
use becket_engine::{RunEvent, RunEventKind};

/// Displays a session.
pub(in crate::commands::run) struct View {
    terminal: Terminal,
    live: Live,
    markdown: Markdown,
    /// True if Markdown is styled; without colour, it is shown as written.
    colour: bool,
    /// True if some of the answers to this prompt were shown.
    shows_any: bool,
}

impl View {
    /// Creates a view on this terminal.
    pub(in crate::commands::run) fn new(terminal: Terminal, output: Output, out: &Out) -> Self {
        let verbosity = match output {
            Output::Screen(verbosity) | Output::Text(verbosity) => verbosity,
            Output::Json | Output::Stream(_) => Verbosity::Needed,
        };
        View {
            terminal,
            live: Live::new(verbosity),
            markdown: Markdown::default(),
            colour: out.colours_stderr(),
            shows_any: false,
        }
    }

    /// Shows an event.
    pub(in crate::commands::run) fn show(&mut self, shown: &SessionEvent) {
        match shown {
            SessionEvent::Opened(_) => {
                // The typed text is already on the screen.
                drop(self.live.page(shown));
                self.shows_any = false;
            }
            SessionEvent::Update(update) => self.update(update),
            SessionEvent::Hook(event) => self.hook(event, shown),
            SessionEvent::Control(_) | SessionEvent::SubagentsWanted | SessionEvent::State(_) => {}
            SessionEvent::Ended(result) => self.ended(result, shown),
        }
    }

    fn update(&mut self, update: &Update) {
        self.terminal.status().update(update);
        match (&update.of, &update.what) {
            (Origin::Main, UpdateKind::Displayed { text }) => self.lines(text),
            (Origin::Main, UpdateKind::Answered { .. }) => {
                self.markdown = Markdown::default();
                self.rows(&SessionEvent::Update(Box::new(without_text(update))));
            }
            (Origin::Main, UpdateKind::Retrying { .. }) => {
                self.markdown = Markdown::default();
                self.rows(&SessionEvent::Update(Box::new(update.clone())));
            }
            // The questions themselves show the call.
            (_, UpdateKind::CallStarted { tool, .. }) if tool == ASKS => {}
            (_, _) => self.rows(&SessionEvent::Update(Box::new(update.clone()))),
        }
    }

    fn lines(&mut self, text: &str) {
        let markdown = &mut self.markdown;
        let styled = |line: &str| match self.colour {
            true => markdown.line(line),
            false => plain(line),
        };
        let lines: Vec<String> = text.lines().map(styled).collect();
        self.terminal.show(lines.join("\n") + "\n");
        self.shows_any = true;
    }

    fn hook(&mut self, event: &RunEvent, shown: &SessionEvent) {
        self.terminal.status().hook(event);
        if let RunEventKind::Decided { verdict, .. } = &event.what {
            for sequence in &verdict.terminal_sequences {
                self.terminal.pass(sequence.what.clone());
            }
        }
        self.rows(shown);
    }

    fn rows(&mut self, shown: &SessionEvent) {
        self.live.fit(width());
        let page = self.live.page(shown);
        self.terminal.show(page.stderr);
    }

    fn ended(&mut self, result: &RunResult, shown: &SessionEvent) {
        self.markdown = Markdown::default();
        let page = self.live.page(shown);
        if !self.shows_any && !page.stdout.trim().is_empty() && !result.is_error {
            // Answers of the program itself are not Markdown.
            self.terminal.show(plain(&page.stdout));
        }
        self.terminal.show(page.stderr + "\n");
        self.terminal.rests();
    }
}

/// Returns the calls of an answer, without its text, which was already shown.
fn without_text(update: &Update) -> Update {
    let mut update = update.clone();
    if let UpdateKind::Answered { content, displayed, .. } = &mut update.what {
        content.retain(|block| block.as_text().is_none());
        *displayed = None;
    }
    update
}
