//! The host of a session's MCP servers.

use super::asking::QuestionContext;
use super::report::{AnsweredBy, ElicitationRecord};
use super::session::{ElicitationUpdate, SessionOf};
use super::user::ElicitUser;
use super::visits::Visits;
use becket_engine::{CancellationToken, Engine};
use becket_mcp::{BoxFuture, Elicitation, ElicitationAnswer, Host, LogMessage, Offers, Progress, Root};
use becket_model::Session;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError};
use tokio::sync::Mutex;

/// The maximum number of questions of one server that are open at once; more are cancelled. A hook may call a tool that
/// asks a question: this limit ends the recursion if that question fires the hook again.
const MOST_OPEN: usize = 8;

/// Answers the questions of servers through hooks and the user (X6). Cheap to clone; all clones are the same host.
///
/// A pool of servers needs its host before there is an engine, and an engine that calls servers needs the pool: so the
/// host is created first and gets the engine by [`McpHost::ready`]. A question before that goes only to the user.
///
/// ```
/// use becket_agent::elicit::McpHost;
/// use becket_engine::{Engine, Environment};
/// use becket_model::Session;
///
/// let host = McpHost::new();
/// let engine = Engine::builder().environment(Environment::empty()).start_dir("/tmp").build()?;
/// host.ready(engine, || Session::new("s1", "/tmp/s1.jsonl", "/tmp"));
/// # Ok::<(), becket_engine::StartError>(())
/// ```
#[derive(Clone)]
pub struct McpHost {
    user: Option<Arc<dyn ElicitUser>>,
    /// The host for everything except questions.
    other: Arc<dyn Host>,
    told: Option<Arc<OutcomeObserver>>,
    shared: Arc<HostState>,
}

/// The observer of a question's outcome.
type OutcomeObserver = dyn Fn(&ElicitationRecord) + Send + Sync;

#[derive(Default)]
struct HostState {
    hooks: OnceLock<Hooks>,
    /// The session that is notified of answers.
    session: OnceLock<SessionOf>,
    visits: Visits,
    turn: Mutex<()>,
    /// The number of open questions, by server.
    open: Arc<std::sync::Mutex<HashMap<String, usize>>>,
}

/// An open question, which is closed on drop.
struct Open {
    all: Arc<std::sync::Mutex<HashMap<String, usize>>>,
    server: String,
}

impl HostState {
    /// Opens a question, unless too many are open.
    fn open(&self, server: &str) -> Option<Open> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(server.to_owned()).or_default();
        if *count >= MOST_OPEN {
            return None;
        }
        *count += 1;
        Some(Open { all: Arc::clone(&self.open), server: server.to_owned() })
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut open = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.server) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.server);
            }
        }
    }
}

struct Hooks {
    engine: Engine,
    session: Box<dyn Fn() -> Session + Send + Sync>,
}

impl McpHost {
    /// Creates a host without a user, and without any other service.
    #[must_use]
    pub fn new() -> Self {
        Self { user: None, other: Arc::new(()), told: None, shared: Arc::default() }
    }

    /// Sets the user.
    #[must_use]
    pub fn with_user(mut self, user: impl ElicitUser + 'static) -> Self {
        self.user = Some(Arc::new(user));
        self
    }

    /// Sets the host that provides everything else: a model, directories, listeners for progress and logs. Its answers
    /// are not used.
    #[must_use]
    pub fn with_host(mut self, other: impl Host) -> Self {
        self.other = Arc::new(other);
        self
    }

    /// Sets the observer of each question's outcome; it must not block.
    #[must_use]
    pub fn with_observer(mut self, told: impl Fn(&ElicitationRecord) + Send + Sync + 'static) -> Self {
        self.told = Some(Arc::new(told));
        self
    }

    /// Enables hooks from now on. `session` returns the current facts of the session when a question arrives. Only the
    /// first call has an effect.
    pub fn ready(&self, engine: Engine, session: impl Fn() -> Session + Send + Sync + 'static) {
        self.shared.hooks.get_or_init(|| Hooks { engine, session: Box::new(session) });
    }

    /// Notifies this session's Notification hooks of the outcome of questions from now on. Only the first call has an
    /// effect.
    pub(crate) fn belongs_to(&self, session: SessionOf) {
        self.shared.session.get_or_init(|| session);
    }

    async fn answer(
        &self,
        server: &str,
        asked: &Elicitation,
        cancel: &CancellationToken,
    ) -> ElicitationAnswer {
        let Some(_open) = self.shared.open(server) else {
            return self.finish(ElicitationRecord::too_many(server, asked));
        };
        let hooks = self.shared.hooks.get().map(|hooks| (hooks.engine.clone(), (hooks.session)()));
        let (user, turn) = (self.user.as_deref(), &self.shared.turn);
        let visit = self.shared.visits.begin(server, asked);
        let elicited = QuestionContext { server, asked, cancel, hooks, user, turn }.answered().await;
        if matches!(elicited.answer, ElicitationAnswer::Accept(_)) {
            visit.goes_on();
        }
        self.finish(elicited)
    }

    fn finish(&self, elicited: ElicitationRecord) -> ElicitationAnswer {
        if elicited.has_heard_user && elicited.by != AnsweredBy::Nobody {
            self.notify(ElicitationUpdate::Answered {
                server: &elicited.server,
                action: elicited.answer.action(),
            });
        }
        if let Some(told) = &self.told {
            told(&elicited);
        }
        elicited.answer
    }

    fn notify(&self, update: ElicitationUpdate<'_>) {
        if let Some(session) = self.shared.session.get() {
            session.notify(update);
        }
    }
}

impl Default for McpHost {
    fn default() -> Self {
        Self::new()
    }
}

impl Host for McpHost {
    /// Questions are always accepted: a hook may answer them.
    fn offers(&self) -> Offers {
        Offers { form: true, url: true, ..self.other.offers() }
    }

    fn elicit<'a>(
        &'a self,
        server: &'a str,
        asked: Elicitation,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, ElicitationAnswer> {
        Box::pin(async move { self.answer(server, &asked, cancel).await })
    }

    fn sample<'a>(
        &'a self,
        server: &'a str,
        request: Map<String, Value>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Map<String, Value>, String>> {
        self.other.sample(server, request, cancel)
    }

    fn roots<'a>(&'a self, server: &'a str) -> BoxFuture<'a, Vec<Root>> {
        self.other.roots(server)
    }

    /// Notifies only of a visit that the server has requested, and only once.
    fn completed(&self, server: &str, id: &str) {
        if self.shared.visits.complete(server, id) {
            self.notify(ElicitationUpdate::Completed { server, id });
            self.other.completed(server, id);
        }
    }

    fn progress(&self, server: &str, progress: Progress) {
        self.other.progress(server, progress);
    }

    fn log(&self, server: &str, logged: LogMessage) {
        self.other.log(server, logged);
    }
}

impl fmt::Debug for McpHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpHost")
            .field("has_user", &self.user.is_some())
            .field("is_ready", &self.shared.hooks.get().is_some())
            .finish_non_exhaustive()
    }
}
