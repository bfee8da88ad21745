//! Continues a session when its teammates have news.

use super::open::Agent;
use crate::turn::{TurnEnd, TurnStart};
use becket_engine::CancellationToken;

impl Agent {
    /// Waits until a teammate has news for the session, or none is working any more. Returns true if there is news, for
    /// which the caller then calls [`Agent::hear_team`]. A message counts at once; an idle teammate counts only when
    /// none is working. Cancel-safe; returns false at once if there is no team.
    pub async fn team_has_news(&self) -> bool {
        match &self.shared.team {
            Some(team) => team.has_news(&self.facts.session()).await,
            None => false,
        }
    }

    /// Works on the teammates' news, as on a prompt.
    pub async fn hear_team(&self, cancel: &CancellationToken) -> TurnEnd {
        self.go_on(cancel).await
    }

    /// Works on background tasks that have ended, as on a prompt: [`becket_tools::tasks::Tasks::wakes`] says when (A4).
    pub async fn hear_tasks(&self, cancel: &CancellationToken) -> TurnEnd {
        self.go_on(cancel).await
    }

    /// Starts a turn with what has arrived since the last one.
    async fn go_on(&self, cancel: &CancellationToken) -> TurnEnd {
        let mut main = self.main.lock().await;
        main.instruct(cancel).await;
        main.tell_instructions();
        main.turn(TurnStart::AsItIs, cancel).await
    }
}
