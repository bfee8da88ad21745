//! A session that goes on by itself, since its teammates have something to say.

use super::open::Agent;
use crate::turn::{TurnEnd, TurnStart};
use becket_engine::CancellationToken;

impl Agent {
    /// Waits until a teammate has something to say to the session, or none works any more; false where nobody has anything
    /// to say then: [`Agent::hear_team`] is to be called where somebody has. A message is told at once, that a teammate is
    /// idle only when none works. Cancel-safe; false at once where there is no team.
    pub async fn team_has_news(&self) -> bool {
        match &self.shared.team {
            Some(team) => team.has_news(&self.facts.session()).await,
            None => false,
        }
    }

    /// Works on what teammates have to say, as on a prompt.
    pub async fn hear_team(&self, cancel: &CancellationToken) -> TurnEnd {
        self.go_on(cancel).await
    }

    /// Works on the ends of background tasks, as on a prompt: [`crate::tasks::Tasks::wakes`] says when (A4).
    pub async fn hear_tasks(&self, cancel: &CancellationToken) -> TurnEnd {
        self.go_on(cancel).await
    }

    /// Starts a turn with what has come in since the last one.
    async fn go_on(&self, cancel: &CancellationToken) -> TurnEnd {
        let mut main = self.main.lock().await;
        main.instruct(cancel).await;
        main.tell_instructions();
        main.turn(TurnStart::AsItIs, cancel).await
    }
}
