//! Notifications of the host for the hooks of Notification.

use super::open::Agent;
use becket_model::event::permission::Notification;

impl Agent {
    /// Fires Notification, whose hooks are not waited for. `kind` is a `notification_type`, such as `permission_prompt` or
    /// `idle_prompt`; `message` is what the user would read.
    pub fn notify(&self, kind: &str, message: &str) {
        let body = Notification::new(message.to_owned(), kind.to_owned());
        self.shared.leave(&self.facts, body, &self.shared.updates);
    }
}
