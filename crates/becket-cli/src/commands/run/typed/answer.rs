//! Runs a typed command and returns its answer.

use super::super::context::RunContext;
use super::super::session::Session;
use super::super::terminal;
use super::read::SlashCommand;
use super::table::Action;
use super::{agents, cost, directory, help, hooks, logout, mcp, model, permissions, resume, tasks};
use crate::env::Surroundings;
use becket_engine::CancellationToken;

/// The answer to a command as plain text, or the reason why it failed.
pub(super) type CommandResult = Result<String, String>;

/// The context of a command.
#[derive(Clone, Copy)]
pub(crate) struct CommandContext<'a> {
    pub(crate) at: RunContext<'a>,
    pub(crate) session: &'a Session,
    /// Cancels the command.
    pub(crate) turn: &'a CancellationToken,
}

impl CommandContext<'_> {
    /// Runs the command.
    ///
    /// # Errors
    /// Returns the reason for the failure, for the user.
    pub(crate) async fn answer(self, typed: &SlashCommand) -> CommandResult {
        if typed.command.what.requires_user(typed.argument()?) && self.at.host.is_some() {
            return Err(format!(
                "/{} isn't available in this environment: only a person at a terminal may use it",
                typed.command.name
            ));
        }
        // The width of the terminal may have changed since the program was started.
        let width = self.at.terminal.map(|_| terminal::width()).or(self.at.around.width);
        let around = Surroundings { width, ..self.at.around.clone() };
        CommandContext { at: RunContext { around: &around, ..self.at }, ..self }.answer_here(typed).await
    }

    async fn answer_here(self, typed: &SlashCommand) -> CommandResult {
        let argument = typed.argument()?;
        let agent = &self.session.agent;
        let result = match typed.command.what {
            Action::Help => Ok(help::all(self)),
            Action::Hooks => hooks::shown(self, argument),
            Action::Permissions => Ok(permissions::shown(self)),
            Action::Mcp => mcp::shown(self, argument),
            Action::Agents => Ok(agents::shown(self)),
            Action::Tasks => tasks::shown(self, argument).await,
            Action::Model => model::of_session(self, argument).await,
            Action::AddDir => directory::added(self, argument).await,
            Action::Cost => Ok(cost::spent(self)),
            Action::Btw => {
                let question = argument.ok_or("ask something, as in `/btw which port did you choose?`")?;
                agent.aside(question, self.turn).await.map_err(|why| why.to_string())
            }
            Action::Logout => logout::log_out(self, argument).await,
            Action::Resume => resume::resume(self, argument).await,
            Action::Compact => agent
                .compact(argument, self.turn)
                .await
                .map(|()| String::new())
                .map_err(|why| why.to_string()),
            Action::Clear => agent.clear().await.map(|()| String::new()).map_err(|why| why.to_string()),
        };
        // Reports are coloured for a terminal; an answer is text.
        result.map(|text| anstream::adapter::strip_str(text.trim_end()).to_string())
    }
}
