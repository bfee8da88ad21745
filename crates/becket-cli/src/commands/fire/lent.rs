//! Everything that the hooks of one `fire` are lent, made from the arguments.

use crate::args::{FireArgs, ProgressChoice};
use crate::env::Surroundings;
use crate::error::CliError;
use crate::lend::{self, AgentsTools, Answers, Mcp, Person};
use crate::out::Out;
use crate::progress::Progress;
use crate::report::style::{WARNING, plain, styled};
use crate::session::Session;
use becket_engine::{Builder, CancellationToken, Engine};
use becket_llm::Models;
use std::path::PathBuf;
use std::sync::Arc;

/// What hooks are lent, and what is shown of them.
pub(super) struct Lent {
    models: Arc<dyn Models>,
    tools: AgentsTools,
    answers: Option<Answers>,
    person: Option<Person>,
    /// Where the session keeps what outlives this process, if that is said.
    session_dir: Option<PathBuf>,
    /// What is shown while they run.
    pub(super) progress: Progress,
}

impl Lent {
    /// Reads what the arguments name.
    ///
    /// # Errors
    /// Where a file can't be used.
    pub(super) fn new(
        args: &FireArgs,
        session: &Session,
        (around, out): (&Surroundings, &Out),
        interrupt: &CancellationToken,
    ) -> Result<Self, CliError> {
        let answers = args.lent.answers.as_ref().map(|file| Answers::of_file(&session.start.join(file)));
        let answers = answers.transpose()?;
        let progress = match args.progress {
            ProgressChoice::Auto if around.terminals.stderr => Progress::on_stderr(),
            ProgressChoice::Auto | ProgressChoice::Never => Progress::off(),
        };
        let may_ask = answers.is_none() && !args.nobody_to_ask && is_somebody_there(args, around);
        let person = around.program.clone().filter(|_| may_ask).map(|program| Person {
            program,
            colour: out.colours_stderr(),
            progress: progress.clone(),
            interrupt: interrupt.clone(),
            out: *out,
            terminal: Arc::default(),
        });
        let models = lend::models(&args.lent, &session.start, around)?;
        let session_dir = session_dir(args, session);
        Ok(Lent { models, tools: AgentsTools::default(), answers, person, session_dir, progress })
    }

    /// For a hook of another agent: nothing is shown, and nobody is asked.
    ///
    /// # Errors
    /// Where a file can't be used.
    pub(super) fn silent(
        args: &FireArgs,
        session: &Session,
        around: &Surroundings,
    ) -> Result<Self, CliError> {
        let models = lend::models(&args.lent, &session.start, around)?;
        let tools = AgentsTools::default();
        let session_dir = session_dir(args, session);
        Ok(Lent { models, tools, answers: None, person: None, session_dir, progress: Progress::off() })
    }

    /// Lends it to the hooks of an engine.
    pub(super) fn to(&self, mut builder: Builder, mcp: Option<&Mcp>) -> Builder {
        if let Some(mcp) = mcp {
            builder = builder.mcp_tools(mcp.clone());
        }
        builder = builder.models(lend::Shared(self.models.clone())).agent_tools(self.tools.clone());
        if let Some(dir) = &self.session_dir {
            builder = builder.session_dir(dir);
        }
        if let Some(answers) = &self.answers {
            builder = builder.ask_user(answers.clone());
        } else if let Some(person) = &self.person {
            builder = builder.ask_user(person.clone());
        }
        if self.progress.is_on() {
            let progress = self.progress.clone();
            builder = builder.observe(move |event: &becket_engine::RunEvent| progress.on(event));
        }
        builder
    }

    /// Lends what depends on the configuration, once an engine has read it.
    pub(super) fn ready(&self, engine: &Engine, session: &Session) {
        self.tools.ready(engine.config(), session.environment().clone());
    }

    /// Waits until no question is on the screen any more: one may have been withdrawn a moment ago.
    pub(super) async fn screen_is_free(&self) {
        if let Some(person) = &self.person {
            drop(person.terminal.lock().await);
        }
    }

    /// It is over: nothing is shown any more, and what went unanswered is told.
    pub(super) fn end(&self, out: &Out) {
        self.progress.end();
        for notice in self.answers.iter().flat_map(Answers::notices) {
            out.tell(&format!("{} {}\n", styled(WARNING, "answers:"), plain(&notice)));
        }
    }
}

fn session_dir(args: &FireArgs, session: &Session) -> Option<PathBuf> {
    args.session_dir.as_ref().map(|dir| session.start.join(dir))
}

/// Connects the MCP servers, where the arguments name any; `tell` is called for each that can't be.
///
/// # Errors
/// Where their file can't be used.
pub(super) async fn mcp(
    args: &FireArgs,
    session: &Session,
    cancel: &CancellationToken,
    tell: impl Fn(&str),
) -> Result<Option<Mcp>, CliError> {
    let Some(file) = &args.lent.mcp_config else { return Ok(None) };
    let file = session.start.join(file);
    let mcp = Mcp::connect(&file, &session.start, session.environment(), cancel).await?;
    mcp.notices().iter().for_each(|notice| tell(notice));
    Ok(Some(mcp))
}

/// Whether a person sits at the terminal: who pipes the input in still does.
fn is_somebody_there(args: &FireArgs, around: &Surroundings) -> bool {
    let is_piped_in = args.fields.input.as_deref() == Some("-");
    around.terminals.stderr && (around.terminals.stdin || is_piped_in)
}
