//! The task list of a session, and its role as the lead of a team.

use super::begins;
use super::context::RunContext;
use super::driver::Driver;
use super::session::Session;
use crate::error::CliError;
use becket_agent::assemble::team;
use becket_agent::team::Team;
use becket_agent::turn::EndReason;
use becket_engine::{CancellationToken, Engine};

/// Returns the task list, below Becket's own directory; without a home directory, it lasts as long as the run.
///
/// # Errors
/// Errors if the name in `--team` is not a valid file name.
pub(super) fn of(at: RunContext<'_>, engine: &Engine) -> Result<Team, CliError> {
    let directory = begins::own_directory(at).unwrap_or_else(|| at.private.join("own"));
    let team = team(&directory, at.args.model.team.as_deref(), at.session.environment(), engine);
    team.map_err(|error| CliError::usage(format!("`--team`: {error}")))
}

/// The text that introduces a turn about the team's messages.
const NEWS: &str = "(the team has news)";

/// Resolves once teammates have messages for a session that may receive them.
pub(super) async fn has_news(session: &Session, may_hear: bool) {
    if !may_hear || !session.agent.team_has_news().await {
        std::future::pending::<()>().await;
    }
}

impl Driver<'_> {
    /// Processes messages of teammates until all of them are idle. An incomplete turn ends this as well: it would fail
    /// again.
    pub(super) async fn with_team(&mut self) {
        loop {
            let has_news = tokio::select! {
                has_news = self.session.agent.team_has_news() => has_news,
                () = self.at.cancel.cancelled() => false,
            };
            if !has_news || !self.team_turn(self.at.cancel).await {
                return;
            }
        }
    }

    /// Runs a turn about messages of teammates; returns true if it was complete.
    pub(super) async fn team_turn(&mut self, turn: &CancellationToken) -> bool {
        self.opened(NEWS.to_owned());
        let end = self.session.agent.hear_team(turn).await;
        self.ended(&end);
        matches!(end.reason, EndReason::Completed | EndReason::Capped { .. })
    }
}
