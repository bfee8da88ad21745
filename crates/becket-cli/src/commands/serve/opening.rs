//! Opens a session from the options of a client.

use super::calls::Calls;
use super::fault::Fault;
use super::method::Method;
use super::notifications::{EventObserver, Notifier};
use super::outgoing::MessageQueue;
use super::person::ClientUser;
use super::session::Session;
use super::session_defaults::SessionDefaults;
use crate::telemetry;
use becket_embed::{NotOpened, Open};
use becket_engine::CancellationToken;
use std::sync::Arc;
use uuid::Uuid;

/// The client of a session, and the tokens that end it.
#[derive(Clone)]
pub(super) struct Around {
    pub(super) out: MessageQueue,
    pub(super) calls: Calls,
    pub(super) cut: CancellationToken,
}

/// Opens a session. Reads files, so it blocks.
///
/// # Errors
/// Errors if the options can't be satisfied, or the configuration forbids the start.
pub(super) fn open(defaults: &SessionDefaults, mut wants: Open, around: &Around) -> Result<Session, Fault> {
    let id: Arc<str> = wants.session.get_or_insert_with(|| Uuid::new_v4().to_string()).as_str().into();
    let notifier = Arc::new(Notifier::new(id.clone(), around.out.clone()));
    let user = wants.interactive.then(|| ClientUser { calls: around.calls.clone(), session: id });
    let observing = EventObserver(notifier.clone());
    let opened = defaults.host.open(defaults.apply(wants), around.cut.child_token(), |builder| {
        let builder = telemetry::observed(builder).observe(observing);
        match user {
            Some(user) => builder.ask_user(user),
            None => builder,
        }
    });
    Ok(Session { open: opened?, notifier, calls: around.calls.clone() })
}

impl From<NotOpened> for Fault {
    fn from(error: NotOpened) -> Self {
        match error {
            NotOpened::Wrong(why) => Fault::Params { method: Method::SessionOpen.name(), why },
            NotOpened::Configuration { why, findings } => Fault::NotOpened { why, findings },
        }
    }
}
