//! A session at a terminal, from its first prompt to its end.

use super::build::assembled;
use super::context::RunContext;
use super::driver::Driver;
use super::printer::Printer;
use super::session::Session;
use super::task_ends::has_ended;
use super::team::has_news;
use super::terminal::{ActiveWork, Line, Terminal, idle};
use crate::error::CommandResult;
use crate::report::style::{FAINT, HEAD, NONE, one_line, styled};
use crate::services::RunModels;
use becket_agent::session::Prompt;
use becket_engine::CancellationToken;
use becket_model::EventKind;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The words that end the session, with or without a slash.
const EXITS: [&str; 2] = ["exit", "quit"];
/// The commands that list all commands; they are not sent to the model.
const HELP: [&str; 2] = ["help", "?"];
/// Clears the screen.
const CLEAR_SCREEN: &str = "\u{1b}[H\u{1b}[2J";

/// Runs the session; leaving it is not an error, whatever the results of the prompts.
///
/// # Errors
/// Errors if the session can't be opened.
pub(super) async fn drive(
    at: RunContext<'_>,
    terminal: &Terminal,
    models: Arc<RunModels>,
    first: Option<String>,
    printer: &Printer,
) -> CommandResult {
    let session = assembled(at, models, printer).await?;
    terminal.rests();
    terminal.show(greeting(at, terminal, &session));
    let mut talk = Talk {
        at,
        terminal,
        session: &session,
        work: Driver::new(at, &session, printer),
        hears_team: true,
        hears_tasks: true,
    };
    let all = async {
        talk.first(first).await;
        talk.all().await;
    };
    tokio::select! {
        () = all => {}
        () = notified(terminal, &session) => {}
    }
    terminal.works(ActiveWork::Program("ending the session"));
    let reason = if at.cancel.is_cancelled() { "other" } else { "prompt_input_exit" };
    session.close_because(reason).await;
    Ok(0)
}

/// A session that is open.
struct Talk<'a> {
    at: RunContext<'a>,
    terminal: &'a Terminal,
    session: &'a Session,
    work: Driver<'a>,
    /// True if messages of teammates start a turn; false after an incomplete one.
    hears_team: bool,
    /// True if ends of background tasks start a turn; false after an incomplete one.
    hears_tasks: bool,
}

/// The next action.
enum Next {
    Prompt(String),
    /// A background hook wakes the model (A4).
    Wake(String),
    /// A background task has ended.
    Task,
    /// Teammates have sent messages.
    Team,
    Leave,
}

impl Talk<'_> {
    /// Handles the prompt on the command line, or the initial one of hooks.
    async fn first(&mut self, first: Option<String>) {
        if let Some(prompt) = self.session.agent.initial_prompt().await {
            self.terminal.show(format!("> {}\n", styled(NONE, &prompt.words())));
            let turn = self.turn();
            self.work.hooks_prompt(prompt, &turn).await;
        }
        if let Some(prompt) = first {
            self.terminal.show(format!("> {}\n", styled(NONE, &prompt)));
            self.prompt(prompt).await;
        }
    }

    async fn all(&mut self) {
        while !self.at.cancel.is_cancelled() {
            self.terminal.commands(self.names());
            match self.next().await {
                Next::Prompt(text) if is_exit(&text) => return,
                Next::Prompt(text) if HELP.contains(&text.trim()) => self.prompt("/help".to_owned()).await,
                Next::Prompt(text) => self.prompt(text).await,
                Next::Wake(reminder) => self.wake(reminder).await,
                Next::Task => self.task().await,
                Next::Team => self.team().await,
                Next::Leave => return,
            }
            if self.session.has_logged_out.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    async fn next(&self) -> Next {
        let wakes = self.session.agent.engine().host().wakes();
        let line = async {
            tokio::select! {
                line = self.terminal.line() => line,
                () = idle(self.terminal) => Line::Leave,
            }
        };
        tokio::select! {
            biased;
            () = self.at.cancel.cancelled() => Next::Leave,
            Some(wake) = wakes.next() => Next::Wake(wake.reminder),
            () = has_ended(self.session, self.hears_tasks) => Next::Task,
            () = has_news(self.session, self.hears_team) => Next::Team,
            line = line => match line {
                Line::Typed(text) => Next::Prompt(text),
                Line::Leave => Next::Leave,
            },
        }
    }

    async fn prompt(&mut self, text: String) {
        if self.at.cancel.is_cancelled() {
            return;
        }
        let is_clear = text.trim() == "/clear";
        let turn = self.turn();
        self.work.prompt(Prompt::text(text), &turn).await;
        (self.hears_team, self.hears_tasks) = (true, true);
        if is_clear {
            self.terminal.pass(CLEAR_SCREEN.to_owned());
        }
    }

    async fn wake(&mut self, reminder: String) {
        let what = one_line(&reminder, 200);
        self.terminal.show(format!("{} {what}\n", styled(HEAD, "a hook wakes the model:")));
        let turn = self.turn();
        self.work.run_rewake_turn(reminder, &turn).await;
    }

    async fn task(&mut self) {
        self.terminal.show(format!("{}\n", styled(HEAD, "a background task has ended")));
        let turn = self.turn();
        self.hears_tasks = self.work.task_turn(&turn).await;
    }

    async fn team(&mut self) {
        self.terminal.show(format!("{}\n", styled(HEAD, "the team has news")));
        let turn = self.turn();
        self.hears_team = self.work.team_turn(&turn).await;
    }

    /// Returns the token that ends the turn that begins now.
    fn turn(&self) -> CancellationToken {
        let turn = self.at.cancel.child_token();
        self.terminal.works(ActiveWork::Turn(turn.clone()));
        turn
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.session.init().slash_commands;
        names.extend(EXITS.map(str::to_owned));
        names.sort();
        names.dedup();
        names
    }
}

/// Notifies hooks of pending questions to the user; never ends.
async fn notified(terminal: &Terminal, session: &Session) {
    if let Some(mut notices) = terminal.notices() {
        while let Some(notice) = notices.recv().await {
            session.agent.notify(notice.kind, &notice.message);
        }
    }
    std::future::pending().await
}

fn is_exit(text: &str) -> bool {
    let typed = text.trim();
    EXITS.contains(&typed.strip_prefix('/').unwrap_or(typed))
}

/// Returns the greeting: the model, the directory, the settings in force, and how to get help.
fn greeting(at: RunContext<'_>, terminal: &Terminal, session: &Session) -> String {
    let init = session.init();
    let place = at.around.short(&at.session.start);
    let engine = session.agent.engine();
    let hooks: usize = EventKind::ALL.iter().map(|kind| engine.host().hooks().of(*kind).len()).sum();
    let rules = engine.config().permissions.len();
    let counted = |number: usize, what: &str| match number {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    };
    let keys = match terminal.is_dumb() {
        true => "Ctrl-C ends, Ctrl-D leaves",
        false => "Tab completes, Alt-Enter breaks the line, Esc interrupts, Ctrl-D leaves",
    };
    format!(
        "{} {}  {}\n{}\n{}\n\n",
        styled(HEAD, "becket"),
        styled(NONE, &one_line(&init.model, 60)),
        styled(FAINT, &one_line(&place, 80)),
        styled(
            FAINT,
            &format!(
                "mode {} · {} · {} · /help lists the commands",
                init.permission_mode,
                counted(hooks, "hook"),
                counted(rules, "permission rule")
            )
        ),
        styled(FAINT, keys)
    )
}
