//! Sessions that start: the editor learns of one when its SessionStart hooks are done. Until then the agent's lines for
//! that session wait, and those for others go on.

use super::messages::{DENIED, session_id};
use super::proxy::Proxy;
use becket_dialects::acp::{Frame, FrameKind};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The sessions that start, with what waits for them.
#[derive(Default)]
pub(super) struct Openings(Mutex<HashMap<String, VecDeque<Waiting>>>);

/// One thing to do for a session that starts.
enum Waiting {
    Opening(Opening),
    /// A line of the agent.
    Line(Vec<u8>),
}

/// A session that the agent has opened.
pub(super) struct Opening {
    pub(super) id: String,
    pub(super) cwd: String,
    pub(super) source: &'static str,
    /// The id of the editor's request.
    pub(super) request: Value,
    /// The agent's answer.
    pub(super) line: Vec<u8>,
}

impl Openings {
    /// Keeps a line for a session that starts; returns any other.
    pub(super) fn hold(&self, line: Vec<u8>) -> Option<Vec<u8>> {
        let mut starting = self.starting();
        if starting.is_empty() {
            return Some(line);
        }
        let session = Frame::read(&line).ok().and_then(|frame| match frame.kind() {
            FrameKind::Request { .. } | FrameKind::Notification { .. } => session_id(&frame.seen_params()?),
            FrameKind::Response => None,
        });
        match session.and_then(|session| starting.get_mut(&session)) {
            Some(waiting) => {
                waiting.push_back(Waiting::Line(line));
                None
            }
            None => Some(line),
        }
    }

    /// Returns the next thing to do for a session; `None` once, when all is done.
    fn next(&self, id: &str) -> Option<Waiting> {
        let mut starting = self.starting();
        let next = starting.get_mut(id)?.pop_front();
        if next.is_none() {
            starting.remove(id);
        }
        next
    }

    fn starting(&self) -> MutexGuard<'_, HashMap<String, VecDeque<Waiting>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a session alongside the relay.
pub(super) fn begin(proxy: &Arc<Proxy>, opening: Opening) {
    let id = opening.id.clone();
    let mut starting = proxy.openings.starting();
    let is_first = !starting.contains_key(&id);
    starting.entry(id.clone()).or_default().push_back(Waiting::Opening(opening));
    drop(starting);
    if !is_first {
        return;
    }
    let own = Arc::clone(proxy);
    proxy.spawn(async move {
        while let Some(waiting) = own.openings.next(&id) {
            match waiting {
                Waiting::Opening(opening) => opening.run(&own).await,
                Waiting::Line(line) => own.agent_line(line),
            }
        }
    });
}

impl Opening {
    /// Opens the session and passes the answer on; a session whose configuration forbids the start is an error for the
    /// editor.
    async fn run(self, proxy: &Arc<Proxy>) {
        let Opening { id, cwd, source, request, line } = self;
        // A session may be loaded again, also with another project: then its hooks and rules are others.
        let opened = match proxy.session(&id).filter(|session| session.cwd() == cwd) {
            Some(session) => Ok(session),
            None => proxy.opener.open(&id, &cwd).map(Arc::new).map_err(|error| error.to_string()),
        };
        match opened {
            Ok(session) => {
                session.start(source, &proxy.cancel).await;
                proxy.put_session(&id, Some(session));
                proxy.pass_to_editor(line);
            }
            Err(error) => {
                proxy.put_session(&id, None);
                proxy.refuse_editor(&request, DENIED, &format!("the session can't start: {error}"));
            }
        }
    }
}
