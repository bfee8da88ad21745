//! One client: reads its lines to the end, answers its requests concurrently, and ends everything that it leaves
//! behind.
//!
//! INVARIANT: every request is answered once, and the work that it started is over before the connection is. Requests
//! that need no waiting are answered in the order of the lines, and all others are started in that order.

use super::answers::{Answer, InitializeResult, MethodResult, PROTOCOL, to_result};
use super::calls::Calls;
use super::fault::Fault;
use super::lines::{Line, Lines};
use super::long_lines;
use super::memory_budget::MemoryBudget;
use super::message::{self, Message};
use super::method::{CANCEL, Method};
use super::opening::Around;
use super::outgoing::MessageQueue;
use super::params::{Cancel, Initialize};
use super::presence::Presence;
use super::requests::Requests;
use super::session_defaults::SessionDefaults;
use super::sessions::Sessions;
use super::work::{self, Work, WorkContext};
use becket_engine::CancellationToken;
use futures_util::FutureExt;
use futures_util::future::join_all;
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::{JoinSet, unconstrained};

/// The reason for closing a connection whose client had neither left nor stopped reading.
const STUCK: &str = "a client has left a long line unfinished for too long, so it was disconnected and its sessions were ended";

/// A client before it is served.
pub(super) struct Client {
    pub(super) host: Arc<SessionDefaults>,
    /// The time for which the client may read nothing.
    pub(super) patience: Duration,
    pub(super) presence: Presence,
    /// The budget from which long lines take their memory; `None` if memory is limited elsewhere.
    pub(super) room: Option<Arc<MemoryBudget>>,
}

/// The length class of a line, which selects the threads that process it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    Short,
    Long,
}

/// The end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionEnd {
    /// The client has disconnected, or the process is ending.
    Left,
    /// The client did not keep up, for this reason.
    CutOff(&'static str),
}

impl Client {
    /// Serves the client until it disconnects or `cancel` is cancelled; afterwards, nothing of it is left running.
    pub(super) async fn serve(
        self,
        from: impl AsyncRead + Unpin,
        to: impl AsyncWrite + Unpin + Send + 'static,
        cancel: &CancellationToken,
    ) -> ConnectionEnd {
        let cut = cancel.child_token();
        let out = MessageQueue::new(cut.clone());
        let writer = tokio::spawn(out.clone().write_to(to, self.patience));
        let around = Around { out: out.clone(), calls: Calls::new(out.clone()), cut };
        let mut connection = Connection {
            host: self.host,
            around,
            sessions: Sessions::default(),
            requests: Requests::default(),
            tasks: JoinSet::new(),
            is_initialized: false,
        };
        let shared = self.room.as_deref().map(|room| (room, &self.presence));
        let stuck = connection.read_requests(Lines::new(from, shared)).await;
        connection.finish(&self.presence).await;
        connection.end().await;
        out.over();
        // A writer that panicked has nothing left to write.
        drop(writer.await);
        out.why_cut_off().or(stuck).map_or(ConnectionEnd::Left, ConnectionEnd::CutOff)
    }
}

/// A connected client.
struct Connection {
    host: Arc<SessionDefaults>,
    around: Around,
    sessions: Sessions,
    requests: Requests,
    tasks: JoinSet<()>,
    is_initialized: bool,
}

impl Connection {
    /// Reads all lines, or until one that closes the connection, and returns the reason. Reading pauses while too much
    /// output is unread.
    async fn read_requests<R: AsyncRead + Unpin>(&mut self, mut lines: Lines<'_, R>) -> Option<&'static str> {
        let cut = self.around.cut.clone();
        let next = async |lines: &mut Lines<'_, R>, out: &MessageQueue| {
            out.has_room().await;
            lines.next().await
        };
        loop {
            let line = tokio::select! {
                biased;
                () = cut.cancelled() => return None,
                line = next(&mut lines, &self.around.out) => line,
            };
            while self.tasks.try_join_next().is_some() {}
            match line {
                Line::Whole(line, number) => {
                    let line = line.as_ref();
                    let host = self.host.clone();
                    let permit = tokio::select! {
                        biased;
                        () = cut.cancelled() => return None,
                        permit = host.long_lines.acquire(line.len()) => permit,
                    };
                    match permit {
                        Some(_permit) => long_lines::run_blocking(|| self.take(line, number, Length::Long)),
                        None => self.take(line, number, Length::Short),
                    }
                }
                Line::Bad(fault) => self.answer(&Value::Null, Err(fault)),
                Line::Last(fault) => {
                    self.answer(&Value::Null, Err(fault));
                    return None;
                }
                Line::Stuck(fault) => {
                    self.answer(&Value::Null, Err(fault));
                    cut.cancel();
                    return Some(STUCK);
                }
                Line::End => return None,
            }
        }
    }

    /// Handles the end of the client's input: pending answers from it fail, and its remaining requests are finished as
    /// long as it reads the results.
    async fn finish(&mut self, presence: &Presence) {
        self.around.calls.fail_pending();
        tokio::select! {
            biased;
            () = self.around.cut.cancelled() => {}
            () = async { while self.tasks.join_next().await.is_some() {} } => {}
            () = presence.closed() => {}
        }
    }

    /// Cancels the remaining work, and waits until it has ended.
    async fn end(&mut self) {
        self.around.cut.cancel();
        while self.tasks.join_next().await.is_some() {}
        join_all(self.sessions.take_all().iter().map(|session| session.close())).await;
    }

    fn take(&mut self, line: &[u8], number: u64, length: Length) {
        match message::read(line, number) {
            Ok(Message::Request { id, method, params }) => self.request(id, &method, params, length),
            Ok(Message::Notification { method, params }) => self.notified(&method, params, number),
            Ok(Message::Answer { id, answer, repeated }) => self.around.calls.answered(&id, answer, repeated),
            Err(rejected) => self.answer(&rejected.0, Err(rejected.1)),
        }
    }

    /// Reports a request that was sent without an id as an error: its sender waits for nothing, and would never learn
    /// of a failure.
    fn notified(&self, method: &str, params: Value, number: u64) {
        if method == CANCEL {
            if let Ok(cancel) = serde_json::from_value::<Cancel>(params) {
                self.requests.cancel(&cancel.id);
            }
        } else if Method::from_name(method).is_some() {
            let why = format!("`{method}` is a request: give it an `id`");
            self.answer(&Value::Null, Err(Fault::NoMessage { line: number, why }));
        }
    }

    fn request(&mut self, id: Value, name: &str, params: Value, length: Length) {
        match self.work(name, params) {
            Ok(Work::Done(answer)) => self.answer(&id, answer),
            Ok(work) => self.start(id, work, length),
            Err(fault) => self.answer(&id, Err(fault)),
        }
    }

    fn answer(&self, id: &Value, result: MethodResult) {
        self.around.out.send(&Answer::new(id, result));
    }

    /// Starts work that runs concurrently with everything else.
    fn start(&mut self, id: Value, work: Work, length: Length) {
        let cancel = match self.requests.add(&id, work.ends_with(&self.around.cut)) {
            Ok(cancel) => cancel,
            Err(fault) => return self.answer(&id, Err(fault)),
        };
        let (requests, out) = (self.requests.clone(), self.around.out.clone());
        let at = WorkContext {
            host: self.host.clone(),
            sessions: self.sessions.clone(),
            around: self.around.clone(),
            cancel,
        };
        let mut work = Box::pin(async move {
            let result = AssertUnwindSafe(work.run(at)).catch_unwind().await.unwrap_or(Err(Fault::Broken));
            requests.remove(&id);
            out.send(&Answer::new(&id, result));
        });
        // Started here, in the order of the lines.
        if unconstrained(&mut work).now_or_never().is_none() {
            match length {
                Length::Short => self.tasks.spawn(work),
                Length::Long => self.tasks.spawn(long_lines::poll_blocking(work)),
            };
        }
    }

    /// Converts a request into an immediate answer, or into work.
    fn work(&mut self, name: &str, params: Value) -> Result<Work, Fault> {
        let Some(method) = Method::from_name(name) else {
            return Err(Fault::NoMethod { name: name.to_owned(), near: Method::near(name) });
        };
        if method == Method::Initialize {
            return self.initialize(params);
        }
        if !self.is_initialized {
            return Err(Fault::NotInitialized);
        }
        Work::parse(method, params, &self.sessions)
    }

    fn initialize(&mut self, params: Value) -> Result<Work, Fault> {
        let wants: Initialize = work::params(Method::Initialize, params)?;
        if wants.protocol != PROTOCOL {
            return Err(Fault::Version { given: wants.protocol, spoken: PROTOCOL });
        }
        self.is_initialized = true;
        let done = InitializeResult { protocol: PROTOCOL, becket: env!("CARGO_PKG_VERSION") };
        Ok(Work::Done(to_result(&done)))
    }
}
