//! Notifications about the questions of a session's servers.
//!
//! They leave out the contents of a form, which may be secret: ElicitationResult is the event for hooks that judge it.

use crate::facts::Facts;
use crate::turn::SessionShared;
use crate::update::UpdateKind;
use becket_model::event::permission::Notification;
use std::sync::{Arc, Weak};

/// Maximum length of an id in a notification, in characters.
const ID: usize = 100;

/// Something that a session hears of.
#[derive(Debug, Clone, Copy)]
pub(super) enum ElicitationUpdate<'a> {
    /// The user has answered; this has gone back to the server.
    Answered { server: &'a str, action: &'static str },
    /// A server calls a visit done.
    Completed { server: &'a str, id: &'a str },
}

/// A session, which is not kept alive by that.
pub(crate) struct SessionOf {
    shared: Weak<SessionShared>,
    facts: Facts,
}

impl SessionOf {
    /// This one.
    pub(crate) fn new(shared: &Arc<SessionShared>, facts: &Facts) -> Self {
        Self { shared: Arc::downgrade(shared), facts: facts.clone() }
    }

    /// Notifies its hooks, which are not waited for (L3), and the watchers.
    pub(super) fn hears(&self, heard: ElicitationUpdate<'_>) {
        let Some(shared) = self.shared.upgrade() else { return };
        if let ElicitationUpdate::Completed { server, id } = heard {
            let (server, id) = (server.to_owned(), id.to_owned());
            shared.updates.tell(UpdateKind::ElicitationComplete { server, id });
        }
        shared.leave(&self.facts, heard.notification(), &shared.updates);
    }
}

impl ElicitationUpdate<'_> {
    fn notification(self) -> Notification {
        let (kind, message) = match self {
            Self::Answered { server, action } => {
                ("elicitation_response", format!("The MCP server `{server}` was answered: {action}"))
            }
            Self::Completed { server, id } => {
                let id: String = id.chars().filter(|c| !c.is_control()).take(ID).collect();
                ("elicitation_complete", format!("The MCP server `{server}` says that `{id}` is complete"))
            }
        };
        Notification::new(message, kind.to_owned())
    }
}
