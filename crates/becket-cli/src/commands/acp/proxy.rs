//! Routes every message, and sends the messages of the proxy itself.
//!
//! A message that hooks decide about waits in a separate task, and all others go on past it. State that links one
//! message to another is kept per session.

use super::agent_process::AgentInput;
use super::messages::{answer, code_of, error, is_blank, line_of, request, session_id};
use super::openings::{self, Opening, Openings};
use super::outbox::Outbox;
use super::pending::{AgentRequest, EditorRequest, OwnRequests, Pending};
use super::session::{AcpSession, SessionOpener};
use super::turn::Turn;
use super::{effects, permissions, prompts, turn_end, updates};
use crate::report::style::{WARNING, one_line, styled};
use becket_dialects::acp::{AcpError, Frame, FrameKind};
use becket_engine::CancellationToken;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// The two sides, and the known facts about them.
pub(super) struct Proxy {
    to_editor: Outbox,
    to_agent: AgentInput,
    pub(super) opener: SessionOpener,
    pub(super) cancel: CancellationToken,
    sessions: Mutex<HashMap<String, Arc<AcpSession>>>,
    pub(super) openings: Openings,
    /// Pending requests of the editor.
    pub(super) of_editor: Pending<EditorRequest>,
    /// Pending permission requests of the agent.
    pub(super) of_agent: Pending<AgentRequest>,
    /// Pending requests of the proxy itself.
    own: OwnRequests,
    tasks: Mutex<JoinSet<()>>,
}

impl Proxy {
    pub(super) fn new(
        to_editor: Outbox,
        to_agent: AgentInput,
        opener: SessionOpener,
        cancel: CancellationToken,
    ) -> Self {
        Proxy {
            to_editor,
            to_agent,
            opener,
            cancel,
            sessions: Mutex::default(),
            openings: Openings::default(),
            of_editor: Pending::default(),
            of_agent: Pending::default(),
            own: Pending::default(),
            tasks: Mutex::default(),
        }
    }

    /// Handles a line of the editor.
    pub(super) fn from_editor(self: &Arc<Self>, line: Vec<u8>) {
        if is_blank(&line) {
            return self.to_agent.send(line);
        }
        let handled = self.editor_message(&line);
        match handled {
            Ok(Passage::Pass) => self.to_agent.send(line),
            Ok(Passage::Held) => {}
            Err((id, error)) => self.refuse_editor(&id, code_of(&error), &error.to_string()),
        }
    }

    fn editor_message(self: &Arc<Self>, line: &[u8]) -> Result<Passage, (Value, AcpError)> {
        let frame = Frame::read(line).map_err(|error| (Value::Null, error))?;
        let id = frame.id();
        let fail = |error| (id.clone(), error);
        match frame.kind() {
            FrameKind::Request { method } => match method.as_str() {
                "initialize" => {
                    let capabilities = frame.seen_params().map(|params| params["clientCapabilities"].clone());
                    self.of_editor.add(&id, EditorRequest::Initialize(capabilities.unwrap_or_default()));
                }
                "session/new" | "session/load" | "session/resume" | "session/fork" => {
                    let request = prompts::opening(method, &frame.params().map_err(fail)?).map_err(fail)?;
                    self.of_editor.add(&id, request);
                }
                "session/prompt" => {
                    let params = frame.params().map_err(fail)?;
                    prompts::hold(self, line, id.clone(), params).map_err(fail)?;
                    return Ok(Passage::Held);
                }
                "session/close" => {
                    let session = frame.seen_params().and_then(|params| session_id(&params));
                    if let Some(session) = session {
                        self.of_editor.add(&id, EditorRequest::Close { session });
                    }
                }
                _ => {}
            },
            FrameKind::Notification { method } => {
                // As a notification, a prompt would have no response to refuse it with.
                if method == "session/prompt" {
                    return Err(fail(AcpError::NotMessage("`session/prompt` has no id".to_owned())));
                }
                if method == "session/cancel" {
                    let session = frame.seen_params().and_then(|params| session_id(&params));
                    session
                        .and_then(|id| self.session(&id))
                        .iter()
                        .for_each(|session| session.turns.cancel());
                }
            }
            FrameKind::Response => return Ok(self.editor_response(&frame, &id)),
        }
        Ok(Passage::Pass)
    }

    fn editor_response(&self, frame: &Frame<'_>, id: &Value) -> Passage {
        let result = frame.seen_result().unwrap_or_default();
        if let Some(waiting) = self.own.take(id) {
            // The waiting task may have ended.
            let _ = waiting.send(result);
            return Passage::Held;
        }
        if let Some(request) = self.of_agent.take(id) {
            permissions::answered(&request, &result);
        }
        Passage::Pass
    }

    /// Handles a line of the agent, unless it has to wait for the hooks of a session that starts.
    pub(super) fn from_agent(self: &Arc<Self>, line: Vec<u8>) {
        if is_blank(&line) {
            return self.to_editor.send(line);
        }
        if let Some(line) = self.openings.hold(line) {
            self.agent_line(line);
        }
    }

    /// Handles a line of the agent now.
    pub(super) fn agent_line(self: &Arc<Self>, line: Vec<u8>) {
        match self.agent_message(&line) {
            Ok(Passage::Pass) => self.to_editor.send(line),
            Ok(Passage::Held) => {}
            Err((Value::Null, error)) => {
                self.show_notice(&format!("a line of the agent was not passed on: {error}"));
                self.refuse_agent(&Value::Null, code_of(&error), &error.to_string());
            }
            Err((id, error)) => self.refuse_agent(&id, code_of(&error), &error.to_string()),
        }
    }

    fn agent_message(self: &Arc<Self>, line: &[u8]) -> Result<Passage, (Value, AcpError)> {
        let frame = Frame::read(line).map_err(|error| (Value::Null, error))?;
        let id = frame.id();
        let fail = |error| (id.clone(), error);
        match frame.kind() {
            FrameKind::Request { method } if is_decided(method) => {
                let params = frame.params().map_err(fail)?;
                if method == "session/request_permission" {
                    permissions::hold(self, line, id.clone(), params).map_err(fail)?;
                } else {
                    effects::hold(self, line, id.clone(), method, params).map_err(fail)?;
                }
                return Ok(Passage::Held);
            }
            FrameKind::Notification { method } if is_decided(method) => {
                return Err(fail(AcpError::NotMessage(format!("`{method}` has no id"))));
            }
            FrameKind::Notification { method } if method == "session/update" => {
                if let Some(params) = frame.seen_params() {
                    updates::observe(self, &params);
                }
            }
            FrameKind::Request { .. } | FrameKind::Notification { .. } => {}
            FrameKind::Response => {
                if let Some(waiting) = self.own.take(&id) {
                    let _ = waiting.send(frame.seen_result().unwrap_or_default());
                    return Ok(Passage::Held);
                }
                if let Some(request) = self.of_editor.take(&id) {
                    return Ok(self.agent_response(line, &frame, request));
                }
            }
        }
        Ok(Passage::Pass)
    }

    fn agent_response(self: &Arc<Self>, line: &[u8], frame: &Frame<'_>, request: EditorRequest) -> Passage {
        let result = frame.seen_result();
        match request {
            EditorRequest::Initialize(capabilities) => {
                self.show_notice(&updates::denials(&capabilities));
                Passage::Pass
            }
            EditorRequest::Open { cwd, id, source } => {
                // A session that the agent refuses has no hooks.
                let id = result.and_then(|result| session_id(&result)).or(id).filter(|_| !frame.is_error());
                let Some(id) = id else { return Passage::Pass };
                openings::begin(self, Opening { id, cwd, source, request: frame.id(), line: line.to_vec() });
                Passage::Held
            }
            EditorRequest::Prompt { session, turn, id } => {
                let (line, result) = (line.to_vec(), result.unwrap_or_default());
                turn_end::hold(self, turn_end::TurnEnd { session, turn, line, result, id });
                Passage::Held
            }
            EditorRequest::Close { session } => {
                self.put_session(&session, None);
                Passage::Pass
            }
        }
    }

    /// Replaces the session of an id, and ends the earlier one.
    pub(super) fn put_session(&self, id: &str, session: Option<Arc<AcpSession>>) {
        let mut sessions = self.sessions();
        let ended = match &session {
            Some(session) => sessions.insert(id.to_owned(), Arc::clone(session)),
            None => sessions.remove(id),
        };
        drop(sessions);
        let is_same = |old: &Arc<AcpSession>| session.as_ref().is_some_and(|new| Arc::ptr_eq(old, new));
        if let Some(ended) = ended.filter(|old| !is_same(old)) {
            self.spawn(async move { ended.end().await });
        }
    }

    /// Returns an open session.
    ///
    /// # Errors
    /// Errors if there is no such session: none of its messages can be judged.
    pub(super) fn known_session(&self, id: &str) -> Result<Arc<AcpSession>, AcpError> {
        self.session(id).ok_or(AcpError::Field { field: "sessionId", problem: "not that of a session" })
    }

    pub(super) fn session(&self, id: &str) -> Option<Arc<AcpSession>> {
        self.sessions().get(id).cloned()
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<AcpSession>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Spawns work that runs alongside the relay.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(work);
    }

    /// Sends a line to the agent.
    pub(super) fn pass_to_agent(&self, line: Vec<u8>) {
        self.to_agent.send(line);
    }

    /// Sends a line to the editor.
    pub(super) fn pass_to_editor(&self, line: Vec<u8>) {
        self.to_editor.send(line);
    }

    /// Sends one of the proxy's own messages to the editor.
    pub(super) fn tell_editor(&self, message: &Value) {
        self.to_editor.send(line_of(message));
    }

    /// Asks the editor, and returns its result; `null` for an error.
    pub(super) async fn ask_editor(&self, method: &str, params: &Value) -> Value {
        let (id, answer) = self.own_request();
        self.tell_editor(&request(&id, method, params));
        answer.await.unwrap_or_default()
    }

    /// Asks the agent, and returns its result, `null` for an error; `None` if the turn is cancelled before.
    pub(super) async fn ask_agent(&self, turn: &Turn, method: &str, params: &Value) -> Option<Value> {
        let sent = turn.send(|| {
            let (id, answer) = self.own_request();
            self.to_agent.send(line_of(&request(&id, method, params)));
            answer
        });
        Some(sent?.await.unwrap_or_default())
    }

    fn own_request(&self) -> (Value, oneshot::Receiver<Value>) {
        let id = json!(format!("becket-{}", uuid::Uuid::new_v4()));
        let (sender, answer) = oneshot::channel();
        self.own.add(&id, sender);
        (id, answer)
    }

    /// Answers the editor with a result.
    pub(super) fn answer_editor(&self, id: &Value, result: &Value) {
        self.tell_editor(&answer(id, result));
    }

    /// Answers the agent with a result.
    pub(super) fn answer_agent(&self, id: &Value, result: &Value) {
        self.to_agent.send(line_of(&answer(id, result)));
    }

    /// Answers the editor with an error.
    pub(super) fn refuse_editor(&self, id: &Value, code: i64, why: &str) {
        self.tell_editor(&error(id, code, why));
    }

    /// Answers the agent with an error.
    pub(super) fn refuse_agent(&self, id: &Value, code: i64, why: &str) {
        self.to_agent.send(line_of(&error(id, code, why)));
    }

    pub(super) fn show_notice(&self, notice: &str) {
        let line = one_line(notice, 500);
        self.opener.out.eprint(&format!("{} {line}\n", styled(WARNING, "becket acp:")));
    }

    /// Ends all sessions with their hooks.
    pub(super) async fn end(&self) {
        let mut tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        tasks.shutdown().await;
        let sessions = std::mem::take(&mut *self.sessions());
        // Concurrently: the editor may not wait for long.
        join_all(sessions.values().map(|session| session.end())).await;
    }
}

/// The handling of a message.
pub(super) enum Passage {
    /// The message is passed on unchanged.
    Pass,
    /// The message is not passed on, or later.
    Held,
}

/// Returns true for the requests of an agent that hooks decide about.
fn is_decided(method: &str) -> bool {
    matches!(
        method,
        "session/request_permission" | "fs/write_text_file" | "fs/read_text_file" | "terminal/create"
    )
}
