//! From what a client wants of a session to one that is open.

use super::calls::Calls;
use super::fault::Fault;
use super::method::Method;
use super::outgoing::Outgoing;
use super::person::ClientUser;
use super::servers::{Lender, Servers};
use super::session::Session;
use super::told::{Observing, Teller};
use becket_embed::{NotOpened, Open};
use becket_engine::CancellationToken;
use std::sync::Arc;
use uuid::Uuid;

/// Who a session speaks with, and what ends it.
#[derive(Clone)]
pub(super) struct Around {
    pub(super) out: Outgoing,
    pub(super) calls: Calls,
    pub(super) cut: CancellationToken,
}

/// Opens a session. Reads files, so it blocks.
///
/// # Errors
/// What is wanted can't be had, or the configuration forbids the start.
pub(super) fn open(lender: &Lender, mut wants: Open, around: &Around) -> Result<Session, Fault> {
    let id: Arc<str> = wants.session.get_or_insert_with(|| Uuid::new_v4().to_string()).as_str().into();
    let teller = Arc::new(Teller::new(id.clone(), around.out.clone()));
    let user = wants.interactive.then(|| ClientUser { calls: around.calls.clone(), session: id });
    let observing = Observing(teller.clone());
    let host = &lender.host;
    let servers = lender
        .servers
        .as_ref()
        .map(|file| Servers::of(file, &wants.start, host.environment.clone(), around.cut.child_token()));
    let lent = servers.clone();
    let opened = host.open(wants, around.cut.child_token(), |builder| {
        let builder = builder.observe(observing);
        let builder = match lent {
            Some(servers) => builder.mcp_tools(servers),
            None => builder,
        };
        match user {
            Some(user) => builder.ask_user(user),
            None => builder,
        }
    });
    Ok(Session { open: opened?, teller, calls: around.calls.clone(), servers })
}

impl From<NotOpened> for Fault {
    fn from(error: NotOpened) -> Self {
        match error {
            NotOpened::Wrong(why) => Fault::Params { method: Method::SessionOpen.name(), why },
            NotOpened::Configuration { why, findings } => Fault::NotOpened { why, findings },
        }
    }
}
