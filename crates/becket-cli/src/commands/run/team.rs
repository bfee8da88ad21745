//! The list of tasks of a session, and whether it leads a team.

use super::assembled::At;
use super::begins;
use super::drive::Work;
use super::opened::Session;
use crate::error::CliError;
use becket_agent::team::Team;
use becket_agent::turn::EndReason;
use becket_engine::{CancellationToken, Engine};
use std::ffi::OsStr;

/// The variable that lets a session lead a team.
const TEAMS: &str = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS";

/// The list, below Becket's own directory; where there is no home it lasts as long as the run.
///
/// # Errors
/// `--team` names no file.
pub(super) fn of(at: At<'_>, engine: &Engine) -> Result<Team, CliError> {
    let directory = begins::own_directory(at).unwrap_or_else(|| at.private.join("own"));
    let name = at.args.model.team.as_deref();
    if name.is_none() && !is_wanted(at, engine) {
        return Ok(Team::without_teammates(directory));
    }
    Team::with_teammates(directory, name).map_err(|error| CliError::usage(format!("`--team`: {error}")))
}

/// Whether the environment, or the settings' `env`, wants teams: any value but an empty one, `0` and `false` says so.
fn is_wanted(at: At<'_>, engine: &Engine) -> bool {
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

/// What a turn about the team's news is shown as beginning with.
const NEWS: &str = "(the team has news)";

/// Resolves once teammates have something to say to a session that may hear it.
pub(super) async fn has_news(session: &Session, may_hear: bool) {
    if !may_hear || !session.agent.team_has_news().await {
        std::future::pending::<()>().await;
    }
}

impl Work<'_> {
    /// Hears what teammates have to say until none works any more. A turn that does not end by itself ends it, too: there
    /// is nobody who could mend it.
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

    /// A turn about what teammates have to say; whether it came to its end.
    pub(super) async fn team_turn(&mut self, turn: &CancellationToken) -> bool {
        self.opened(NEWS.to_owned());
        let end = self.session.agent.hear_team(turn).await;
        self.ended(&end);
        matches!(end.reason, EndReason::Completed | EndReason::Capped { .. })
    }
}
