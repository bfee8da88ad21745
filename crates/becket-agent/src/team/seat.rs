//! A teammate's place in its team.
//!
//! INVARIANT: no caller waits for a teammate whose seat is gone, whatever ended it: a panic, a cancel, a drop.

use super::team::Team;
use becket_base::text::cut;
use becket_model::Session;
use std::sync::Arc;

/// The maximum length of the last text for the lead, in characters.
const LAST: usize = 1_000;

/// A teammate's place in its team.
#[derive(Debug)]
pub(crate) struct Seat {
    team: Team,
    pub(crate) name: Arc<str>,
    pub(crate) team_name: Arc<str>,
    session: Session,
    is_told: bool,
}

impl Seat {
    pub(super) fn new(team: Team, name: &str, team_name: &str, session: Session) -> Self {
        Self { team, name: name.into(), team_name: team_name.into(), session, is_told: false }
    }

    /// Returns the text about the team for the teammate's model.
    pub(crate) fn words(&self) -> String {
        format!(
            "You are the teammate `{}` of the team `{}`, led by `team-lead`. TaskList shows what is to be done: begin a \
             task with TaskUpdate before you work on it, and complete it when it is done. What you say reaches others by \
             SendMessage alone. When your turn ends you are idle until somebody sends you a message.",
            self.name, self.team_name
        )
    }

    /// Waits for a message because the teammate is idle. `said` is its last text.
    pub(crate) async fn idle(&self, said: &str) {
        let note = format!(
            "The teammate `{}` is idle: a message by SendMessage sets it to work.{}",
            self.name,
            last(said)
        );
        self.team.roster().idle(&self.name, note).await;
    }

    /// Ends the membership and releases the teammate's tasks.
    pub(crate) async fn leaves(mut self, why: &str) {
        self.is_told = true;
        let released = self.team.list(&self.session).release(&self.name).await;
        let lost =
            released.err().map(|error| format!(" Its tasks stay its own: {error}.")).unwrap_or_default();
        let note = format!("The teammate `{}` has ended: {why}.{lost}", self.name);
        self.team.roster().record_end(&self.name, Some(note));
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if !self.is_told {
            self.team
                .roster()
                .record_end(&self.name, Some(format!("The teammate `{}` has ended.", self.name)));
        }
    }
}

/// Returns a teammate's last text, for its lead.
fn last(said: &str) -> String {
    match said.trim() {
        "" => String::new(),
        said => format!(" It said last:\n{}", cut(said, LAST)),
    }
}
