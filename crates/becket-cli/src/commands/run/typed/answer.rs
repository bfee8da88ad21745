//! Does what was typed, and says what came of it.

use super::super::assembled::At;
use super::super::opened::Session;
use super::super::terminal;
use super::read::Typed;
use super::table::What;
use super::{agents, cost, directory, help, hooks, logout, mcp, model, permissions, resume, tasks};
use crate::env::Surroundings;
use becket_engine::CancellationToken;

/// The answer to a command as plain text, or the reason why it failed.
pub(super) type Said = Result<String, String>;

/// The context of a command.
#[derive(Clone, Copy)]
pub(crate) struct Answering<'a> {
    pub(crate) at: At<'a>,
    pub(crate) session: &'a Session,
    /// Cancels the command.
    pub(crate) turn: &'a CancellationToken,
}

impl Answering<'_> {
    /// Does it.
    ///
    /// # Errors
    /// Why it was not done, for the user.
    pub(crate) async fn answer(self, typed: &Typed) -> Said {
        if typed.command.what.needs_person() && self.at.host.is_some() {
            return Err(format!(
                "/{} isn't available in this environment: only a person at a terminal may use it",
                typed.command.name
            ));
        }
        // A terminal may have another width than when the program was started.
        let width = self.at.terminal.map(|_| terminal::width()).or(self.at.around.width);
        let around = Surroundings { width, ..self.at.around.clone() };
        Answering { at: At { around: &around, ..self.at }, ..self }.answer_here(typed).await
    }

    async fn answer_here(self, typed: &Typed) -> Said {
        let argument = typed.argument()?;
        let agent = &self.session.agent;
        let said = match typed.command.what {
            What::Help => Ok(help::all(self)),
            What::Hooks => hooks::shown(self, argument),
            What::Permissions => Ok(permissions::shown(self)),
            What::Mcp => mcp::shown(self, argument),
            What::Agents => Ok(agents::shown(self)),
            What::Tasks => tasks::shown(self, argument).await,
            What::Model => model::of_session(self, argument).await,
            What::AddDir => directory::added(self, argument).await,
            What::Cost => Ok(cost::spent(self)),
            What::Btw => {
                let question = argument.ok_or("ask something, as in `/btw which port did you choose?`")?;
                agent.aside(question, self.turn).await.map_err(|why| why.to_string())
            }
            What::Logout => logout::forgotten(self, argument).await,
            What::Resume => resume::other(self, argument).await,
            What::Compact => agent
                .compact(argument, self.turn)
                .await
                .map(|()| String::new())
                .map_err(|why| why.to_string()),
            What::Clear => agent.clear().await.map(|()| String::new()).map_err(|why| why.to_string()),
        };
        // Reports are coloured for a terminal; an answer is text.
        said.map(|text| anstream::adapter::strip_str(text.trim_end()).to_string())
    }
}
