//! The path from a request to its answer.

use super::answers::{Done, MethodResult, to_result};
use super::fault::Fault;
use super::method::Method;
use super::opening::{self, Around};
use super::params::{OfEvent, OfSession, Register, Unregister};
use super::session::Session;
use super::session_defaults::SessionDefaults;
use super::sessions::Sessions;
use becket_embed::Open;
use becket_engine::{CancellationToken, ReadyEvent};
use becket_model::Event;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// The handling of a request.
pub(super) enum Work {
    /// An immediate answer.
    Done(MethodResult),
    Open(Box<Open>),
    Reload(Arc<Session>),
    Close(Arc<Session>),
    Fire(Arc<Session>, Box<ReadyEvent>),
}

/// The context of the work.
pub(super) struct WorkContext {
    pub(super) host: Arc<SessionDefaults>,
    pub(super) sessions: Sessions,
    pub(super) around: Around,
    pub(super) cancel: CancellationToken,
}

/// Reads the params of a method.
///
/// # Errors
/// Errors if they are invalid.
pub(super) fn params<P: DeserializeOwned>(method: Method, params: Value) -> Result<P, Fault> {
    serde_json::from_value(params)
        .map_err(|error| Fault::Params { method: method.name(), why: error.to_string() })
}

impl Work {
    /// Parses a request, and answers it at once if nothing has to be awaited.
    ///
    /// # Errors
    /// Errors if the request is invalid.
    pub(super) fn parse(method: Method, given: Value, sessions: &Sessions) -> Result<Work, Fault> {
        match method {
            Method::Initialize => Err(Fault::Broken),
            Method::SessionOpen => Ok(Work::Open(params(method, given)?)),
            Method::SessionClose => of_session(method, given, |id| sessions.take(id)).map(Work::Close),
            Method::SessionReload => of_session(method, given, |id| sessions.get(id)).map(Work::Reload),
            Method::EventFire => {
                let (session, event) = of_event(method, given, sessions)?;
                // Planned here, so that a hook that the next request unregisters still runs for this event.
                let ready = AssertUnwindSafe(|| session.open.ready(event));
                let event = catch_unwind(ready).map_err(|_| Fault::Broken)?;
                Ok(Work::Fire(session, Box::new(event)))
            }
            Method::EventPlan => {
                let (session, event) = of_event(method, given, sessions)?;
                Ok(Work::Done(session.plan(&event)))
            }
            Method::EventExplain => {
                let (session, event) = of_event(method, given, sessions)?;
                Ok(Work::Done(session.explain(&event)))
            }
            Method::HooksRegister | Method::HooksUnregister => hooks(method, given, sessions),
            Method::EventsSubscribe
            | Method::EventsUnsubscribe
            | Method::SessionEnvFiles
            | Method::BackgroundTake => {
                let session = of_session(method, given, |id| sessions.get(id))?;
                Ok(Work::Done(at_once(method, &session)))
            }
        }
    }

    /// Returns the token that ends the work, in addition to a cancellation by its client.
    pub(super) fn ends_with<'a>(&'a self, cut: &'a CancellationToken) -> &'a CancellationToken {
        match self {
            Work::Fire(session, _) | Work::Reload(session) => session.open.cancel(),
            Work::Done(_) | Work::Open(_) | Work::Close(_) => cut,
        }
    }

    /// Does the work.
    pub(super) async fn run(self, at: WorkContext) -> MethodResult {
        match self {
            Work::Done(result) => result,
            Work::Fire(session, event) => session.fire(*event, &at.cancel).await,
            Work::Open(wants) => opened(*wants, at).await,
            Work::Close(session) => {
                session.close().await;
                to_result(&Done {})
            }
            Work::Reload(session) => {
                let wrong = |why| Fault::Params { method: Method::SessionReload.name(), why };
                let reloaded = tokio::task::spawn_blocking(move || session.reload()).await;
                to_result(&reloaded.map_err(|_| Fault::Broken)?.map_err(wrong)?)
            }
        }
    }
}

/// Opens a session on a thread that may block on files. If the request was cancelled meanwhile, it is not opened.
async fn opened(wants: Open, at: WorkContext) -> MethodResult {
    let (host, around) = (at.host, at.around);
    let opened = tokio::task::spawn_blocking(move || opening::open(&host, wants, &around)).await;
    let session = opened.map_err(|_| Fault::Broken)??;
    if at.cancel.is_cancelled() {
        return Err(Fault::Cancelled);
    }
    let session = at.sessions.add(session)?;
    to_result(&session.opened())
}

fn of_session(
    method: Method,
    given: Value,
    find: impl FnOnce(&str) -> Result<Arc<Session>, Fault>,
) -> Result<Arc<Session>, Fault> {
    let wants: OfSession = params(method, given)?;
    find(&wants.session)
}

/// Returns the answer of a session that can be given without waiting.
fn at_once(method: Method, session: &Session) -> MethodResult {
    if method == Method::SessionEnvFiles {
        return session.env_files();
    }
    if method == Method::BackgroundTake {
        return session.background();
    }
    session.set_subscribed(method == Method::EventsSubscribe);
    to_result(&Done {})
}

fn of_event(method: Method, given: Value, sessions: &Sessions) -> Result<(Arc<Session>, Event), Fault> {
    let wants: OfEvent = params(method, given)?;
    let session = sessions.get(&wants.session)?;
    let event = session.event(wants).map_err(|why| Fault::Params { method: method.name(), why })?;
    Ok((session, event))
}

fn hooks(method: Method, given: Value, sessions: &Sessions) -> Result<Work, Fault> {
    let wrong = |why| Fault::Params { method: method.name(), why };
    if method == Method::HooksRegister {
        let wants: Register = params(method, given)?;
        let session = sessions.get(&wants.session)?;
        session.register(&wants.into()).map_err(wrong)?;
    } else {
        let wants: Unregister = params(method, given)?;
        sessions.get(&wants.session)?.open.unregister(&wants.id).map_err(wrong)?;
    }
    Ok(Work::Done(to_result(&Done {})))
}
