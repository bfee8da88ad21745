//! The services for the hooks of one command, created from its arguments.

use super::{Answers, Person};
use crate::args::{FireArgs, McpCallArgs, ModelArgs, ProgressChoice};
use crate::env::Surroundings;
use crate::error::CliError;
use crate::out::Out;
use crate::progress::Progress;
use crate::report::style::{WARNING, plain, styled};
use crate::services;
use crate::session::Session;
use becket_engine::{Builder, CancellationToken, Environment};
use becket_llm::Models;
use becket_tools::configured_hook_tools;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The options of a command for its hooks.
pub(crate) struct ServiceOptions<'a> {
    models: &'a ModelArgs,
    answers: Option<&'a Path>,
    nobody_to_ask: bool,
    /// True if stdin is used for something other than a user's keys.
    is_piped_in: bool,
    progress: ProgressChoice,
    session_dir: Option<&'a Path>,
}

impl<'a> ServiceOptions<'a> {
    /// Creates the options of a command that shows nothing and asks no user.
    pub(crate) fn of(models: &'a ModelArgs) -> Self {
        ServiceOptions {
            models,
            answers: None,
            nobody_to_ask: true,
            is_piped_in: true,
            progress: ProgressChoice::Never,
            session_dir: None,
        }
    }
}

impl<'a> From<&'a FireArgs> for ServiceOptions<'a> {
    fn from(args: &'a FireArgs) -> Self {
        ServiceOptions {
            models: &args.services.models,
            answers: args.services.answers.as_deref(),
            nobody_to_ask: args.nobody_to_ask,
            is_piped_in: args.fields.input.as_deref() == Some("-"),
            progress: args.progress,
            session_dir: args.session_dir.as_deref(),
        }
    }
}

impl<'a> From<&'a McpCallArgs> for ServiceOptions<'a> {
    fn from(args: &'a McpCallArgs) -> Self {
        ServiceOptions {
            models: &args.services.models,
            answers: args.services.answers.as_deref(),
            nobody_to_ask: args.nobody_to_ask,
            is_piped_in: args.input == "-",
            progress: ProgressChoice::Auto,
            session_dir: None,
        }
    }
}

/// The services for hooks, and the display of their progress.
pub(crate) struct HookServices {
    models: Arc<dyn Models>,
    /// The environment for the tools of agents.
    environment: Environment,
    answers: Option<Answers>,
    person: Option<Person>,
    /// The directory for state that outlives this process, if one is named.
    session_dir: Option<PathBuf>,
    /// The display of running hooks.
    pub(crate) progress: Progress,
}

impl HookServices {
    /// Creates the services that the arguments name.
    ///
    /// # Errors
    /// Errors if a file can't be used.
    pub(crate) fn new(
        options: &ServiceOptions<'_>,
        session: &Session,
        around: &Surroundings,
        out: &Out,
        interrupt: &CancellationToken,
    ) -> Result<Self, CliError> {
        let answers = options.answers.map(|file| Answers::of_file(&session.start.join(file)));
        let answers = answers.transpose()?;
        let progress = match options.progress {
            ProgressChoice::Auto if around.terminals.stderr && !out.is_quiet() => Progress::on_stderr(),
            ProgressChoice::Auto | ProgressChoice::Never => Progress::off(),
        };
        let may_ask = answers.is_none() && !options.nobody_to_ask && is_somebody_there(options, around);
        let person = around.program.clone().filter(|_| may_ask).map(|program| Person {
            program,
            colour: out.colours_stderr(),
            progress: progress.clone(),
            interrupt: interrupt.clone(),
            out: *out,
            terminal: Arc::default(),
        });
        let models = services::models(options.models, &session.start, around)?;
        let session_dir = session_dir(options, session);
        Ok(HookServices {
            models,
            environment: session.environment().clone(),
            answers,
            person,
            session_dir,
            progress,
        })
    }

    /// Creates the services for a hook of another agent: nothing is shown, and no user is asked.
    ///
    /// # Errors
    /// Errors if a file can't be used.
    pub(crate) fn silent(
        options: &ServiceOptions<'_>,
        session: &Session,
        around: &Surroundings,
    ) -> Result<Self, CliError> {
        let models = services::models(options.models, &session.start, around)?;
        let session_dir = session_dir(options, session);
        Ok(HookServices {
            models,
            environment: session.environment().clone(),
            answers: None,
            person: None,
            session_dir,
            progress: Progress::off(),
        })
    }

    /// Provides the services to the hooks of an engine.
    pub(crate) fn to(&self, mut builder: Builder) -> Builder {
        builder =
            builder.models(self.models.clone()).agent_tools(configured_hook_tools(self.environment.clone()));
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

    /// Returns the user, if one can be asked.
    pub(crate) fn person(&self) -> Option<&Person> {
        self.person.as_ref()
    }

    /// Waits until no question is on the screen: one may just have been withdrawn.
    pub(crate) async fn screen_is_free(&self) {
        if let Some(person) = &self.person {
            drop(person.terminal.lock().await);
        }
    }

    /// Ends the display, and reports unanswered questions.
    pub(crate) fn end(&self, out: &Out) {
        self.progress.end();
        for notice in self.answers.iter().flat_map(Answers::notices) {
            out.eprint(&format!("{} {}\n", styled(WARNING, "answers:"), plain(&notice)));
        }
    }
}

fn session_dir(options: &ServiceOptions<'_>, session: &Session) -> Option<PathBuf> {
    options.session_dir.map(|dir| session.start.join(dir))
}

/// Returns true if a user is at the terminal: piped input does not change that.
fn is_somebody_there(options: &ServiceOptions<'_>, around: &Surroundings) -> bool {
    around.terminals.stderr && (around.terminals.stdin || options.is_piped_in)
}
