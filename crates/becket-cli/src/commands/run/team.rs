//! The list of tasks of a session, and whether it leads a team.

use super::begins;
use super::context::RunContext;
use super::driver::Driver;
use super::session::Session;
use crate::error::CliError;
use becket_agent::team::Team;
use becket_agent::turn::EndReason;
use becket_engine::{CancellationToken, Engine};
use std::ffi::OsStr;

/// The variable that makes a session the lead of a team.
const TEAMS: &str = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS";

/// Returns the list, below Becket's own directory; without a home directory it lasts as long as the run.
///
/// # Errors
/// Errors if the name in `--team` is not a valid file name.
pub(super) fn of(at: RunContext<'_>, engine: &Engine) -> Result<Team, CliError> {
    let directory = begins::own_directory(at).unwrap_or_else(|| at.private.join("own"));
    let name = at.args.model.team.as_deref();
    if name.is_none() && !is_wanted(at, engine) {
        return Ok(Team::without_teammates(directory));
    }
    Team::with_teammates(directory, name).map_err(|error| CliError::usage(format!("`--team`: {error}")))
}

/// Returns true if the environment, or the settings' `env`, enables teams: any value but an empty one, `0` and `false`
/// does.
fn is_wanted(at: RunContext<'_>, engine: &Engine) -> bool {
    let says = |value: &OsStr| !["", "0", "false"].iter().any(|no| value == OsStr::new(no));
    match at.around.var(TEAMS) {
        Some(value) => says(value),
        None => {
            let config = engine.config();
            let set = config.settings_env.all().into_iter().find(|(name, _)| name == TEAMS);
            set.is_some_and(|(_, value)| says(OsStr::new(&value)))
        }
    }
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
    /// Processes messages of teammates until all of them are idle. An incomplete turn ends this, too: it would fail
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
