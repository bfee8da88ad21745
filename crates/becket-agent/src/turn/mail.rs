//! Messages of teammates to an agent loop, delivered before its next request.

use super::agent_loop::AgentLoop;
use super::session_shared::error;
use crate::update::Origin;

impl AgentLoop {
    /// Adds the messages of the team to the conversation. A message is removed from its mailbox once it is stored here:
    /// an agent that is killed in between receives it again.
    pub(super) async fn take_mail(&mut self) {
        let is_lead = self.origin == Origin::Main;
        let Some(team) = self.shared.team.clone().filter(|_| is_lead || self.mate.is_some()) else { return };
        let (session, mate) = (self.facts.session(), self.mate.clone());
        match team.mail(mate.as_deref(), &session).await {
            Ok(mail) => {
                mail.iter().for_each(|mail| self.remind(mail.words()));
                if let Some(last) = mail.last() {
                    self.store();
                    if let Err(lost) = team.acknowledge(mate.as_deref(), last.id, &session).await {
                        self.updates.notice(error(format!("a message may be delivered again: {lost}")));
                    }
                }
            }
            Err(lost) => self.updates.notice(error(lost.to_string())),
        }
        if is_lead {
            team.take_notes().into_iter().for_each(|note| self.remind(note));
        }
    }
}
