//! One session from its first event to its last: opens it, hands it the prompts, and closes it.

use super::assembled::{At, assembled};
use super::opened::Session;
use super::printer::Printer;
use super::prompts::Prompts;
use super::typed::Typed;
use crate::error::CliError;
use crate::lend::RunModels;
use crate::report::run::{Ids, RunResult, Shown, Started};
use crate::run::Done;
use becket_agent::session::Prompt;
use becket_agent::turn::TurnEnd;
use becket_llm::Block;
use std::sync::Arc;
use std::time::Instant;

/// What is said where a session is to go on by itself and has no reason to.
const NONE_WAITS: &str =
    "no call of that session waits to be taken up: give a prompt, as in `becket run -c -p 'and now?'`";

/// Does all of it; the exit code says whether a result was an error.
///
/// # Errors
/// The session can't be opened, or a prompt can't be read.
pub(super) async fn driven(
    at: At<'_>,
    models: Arc<RunModels>,
    mut prompts: Prompts,
    printer: Printer,
) -> Done {
    let session = assembled(at, models, &printer).await?;
    let done = match at.args.session.init_only {
        true => Ok(0),
        false => worked(at, &session, &mut prompts, &printer).await,
    };
    session.close().await;
    done
}

async fn worked(at: At<'_>, session: &Session, prompts: &mut Prompts, printer: &Printer) -> Done {
    let mut work = Work { at, session, printer, code: 0, prompts: 0 };
    if let Some(prompt) = session.agent.initial_prompt().await {
        work.prompt(prompt).await;
    }
    loop {
        let next = tokio::select! {
            next = prompts.next() => next,
            () = at.cancel.cancelled() => None,
        };
        match next {
            Some(content) => work.prompt(Prompt { content: content? }).await,
            None => break,
        }
    }
    if work.prompts == 0 && !at.cancel.is_cancelled() {
        work.resumed().await?;
    }
    Ok(work.code)
}

/// What was worked on so far.
struct Work<'a> {
    at: At<'a>,
    session: &'a Session,
    printer: &'a Printer,
    code: u8,
    prompts: u32,
}

impl Work<'_> {
    async fn prompt(&mut self, prompt: Prompt) {
        self.opened(shown(&prompt));
        if let Some(command) = Typed::read(&prompt) {
            return self.command(command).await;
        }
        let end = self.session.agent.prompt(prompt, self.at.cancel).await;
        self.ended(&end);
    }

    /// Does what the model is not asked for.
    async fn command(&mut self, command: Typed) {
        let (agent, start) = (&self.session.agent, Instant::now());
        let done = match command {
            Typed::Compact { instructions } => agent
                .compact(instructions.as_deref(), self.at.cancel)
                .await
                .map_err(|error| error.to_string()),
            Typed::Clear => agent.clear().await.map_err(|error| error.to_string()),
        };
        self.told(RunResult::of_command(done, start.elapsed(), (agent.info().id, Ids::random().next())));
    }

    /// Without a prompt there may be calls that wait (D10).
    async fn resumed(&mut self) -> Result<(), CliError> {
        if self.at.args.session.resume.is_none() && !self.at.args.session.continue_last {
            // Lines that never came are no mistake.
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

    fn opened(&mut self, prompt: String) {
        self.prompts += 1;
        self.session.refresh();
        let init = self.session.init();
        self.printer.show(Shown::Opened(Box::new(Started { init, prompt })));
    }

    fn ended(&mut self, end: &TurnEnd) {
        let displayed = self.session.displayed();
        let id = self.session.agent.info().id;
        self.told(RunResult::new(end, displayed, (id, Ids::random().next())));
    }

    fn told(&mut self, result: RunResult) {
        if result.is_error {
            self.code = 1;
        }
        self.printer.show(Shown::Ended(Box::new(result)));
    }
}

fn shown(prompt: &Prompt) -> String {
    let words: Vec<&str> = prompt.content.iter().filter_map(Block::as_text).collect();
    words.join("\n")
}
