//! Host notifications for the Notification hooks.

use super::open::Agent;
use becket_model::event::permission::Notification;

impl Agent {
    /// Fires Notification without waiting for its hooks. `kind` is a `notification_type`, such as `permission_prompt`
    /// or `idle_prompt`; `message` is the text that the user would see.
    pub fn notify(&self, kind: &str, message: &str) {
        let body = Notification::new(message.to_owned(), kind.to_owned());
        self.shared.leave(&self.facts, body, &self.shared.updates);
    }
}
