//! Notifications about the questions of a session's servers.
//!
//! They leave out the contents of a form, which may be secret: ElicitationResult is the event for hooks that check it.

use crate::facts::Facts;
use crate::turn::SessionShared;
use crate::update::UpdateKind;
use becket_model::event::permission::Notification;
use std::sync::{Arc, Weak};

/// The maximum length of an id in a notification, in characters.
const ID: usize = 100;

/// An event of a question that a session is notified of.
#[derive(Debug, Clone, Copy)]
pub(super) enum ElicitationUpdate<'a> {
    /// The user has answered, and the answer was sent to the server.
    Answered { server: &'a str, action: &'static str },
    /// A server reports that a visit is done.
    Completed { server: &'a str, id: &'a str },
}

/// A weak reference to a session.
pub(crate) struct SessionOf {
    shared: Weak<SessionShared>,
    facts: Facts,
}

impl SessionOf {
    /// Creates a reference to this session.
    pub(crate) fn new(shared: &Arc<SessionShared>, facts: &Facts) -> Self {
        Self { shared: Arc::downgrade(shared), facts: facts.clone() }
    }

    /// Notifies the session's hooks, without waiting for them (L3), and its watchers.
    pub(super) fn notify(&self, update: ElicitationUpdate<'_>) {
        let Some(shared) = self.shared.upgrade() else { return };
        if let ElicitationUpdate::Completed { server, id } = update {
            let (server, id) = (server.to_owned(), id.to_owned());
            shared.updates.send(UpdateKind::ElicitationComplete { server, id });
        }
        shared.leave(&self.facts, update.notification(), &shared.updates);
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
