//! One HTTP request and its response.

use super::super::answers::Answer;
use super::super::fault::Fault;
use super::super::message::{self, Message};
use super::super::method::CANCEL;
use super::body::{BodyBuffer, ResponseBody, of_lines, read, whole};
use super::caller::{Attendance, Caller};
use super::callers::Callers;
use super::gate::Gate;
use super::refusal::Refusal;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::mpsc::unbounded_channel;

/// The header that names the connection of a request.
const CONNECTION: HeaderName = HeaderName::from_static("becket-connection");

/// Answers a request. If the client disconnects before the answer, its requests are cancelled.
pub(super) async fn answered(
    gate: &Gate,
    callers: &Arc<Callers>,
    request: Request<Incoming>,
) -> Response<ResponseBody> {
    match done(gate, callers, request).await {
        Ok(answer) => answer,
        Err(refusal) => refusal.answer(),
    }
}

async fn done(
    gate: &Gate,
    callers: &Arc<Callers>,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, Refusal> {
    gate.passes(request.uri(), request.headers())?;
    if request.uri().path() != "/" {
        return Err(Refusal::NoPath);
    }
    match *request.method() {
        Method::POST => post(callers, request).await,
        Method::GET => {
            let caller = callers.get(named(request.headers())?)?;
            let sent = caller.open_stream(caller.attend()).await;
            Ok(of_lines(StatusCode::OK, sent))
        }
        Method::DELETE => {
            callers.get(named(request.headers())?)?.end().await;
            Ok(whole(StatusCode::NO_CONTENT, Bytes::new()))
        }
        _ => Err(Refusal::NoVerb),
    }
}

/// Returns the connection that a request names.
fn named(headers: &HeaderMap) -> Result<&[u8], Refusal> {
    headers.get(CONNECTION).map(HeaderValue::as_bytes).ok_or(Refusal::Unnamed)
}

/// Sends messages to the named connection, or to a new one, and waits for the answers to the requests among them.
async fn post(callers: &Arc<Callers>, request: Request<Incoming>) -> Result<Response<ResponseBody>, Refusal> {
    let known = match request.headers().get(CONNECTION) {
        Some(id) => Some(callers.get(id.as_bytes())?),
        None => None,
    };
    let mut attendance = known.as_ref().map(Caller::attend);
    let mut body = read(request.into_body(), &callers.room).await?;
    let ids = match requests(body.as_ref()) {
        Ok(ids) => ids,
        Err(rejected) => return Ok(failed(StatusCode::BAD_REQUEST, &rejected.0, rejected.1)),
    };
    let caller = match known {
        Some(caller) => caller,
        None => callers.open()?,
    };
    let attendance = attendance.take().unwrap_or_else(|| caller.attend());
    body.end_line();
    let mut answer = process_messages(&caller, body, ids, attendance).await?;
    if let Ok(id) = HeaderValue::from_str(&caller.id) {
        answer.headers_mut().insert(CONNECTION, id);
    }
    Ok(answer)
}

/// Returns the ids of the requests in a body, one message per line. A malformed line rejects all of them.
fn requests(body: &[u8]) -> Result<Vec<Value>, Box<(Value, Fault)>> {
    let (mut ids, mut is_empty) = (Vec::new(), true);
    for (number, line) in (1..).zip(body.split(|byte| *byte == b'\n')) {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        is_empty = false;
        match message::read(line, number)? {
            Message::Request { id, .. } => ids.push(id),
            Message::Notification { .. } | Message::Answer { .. } => {}
        }
    }
    if is_empty {
        let why = "it is empty".to_owned();
        return Err(Box::new((Value::Null, Fault::NoMessage { line: 1, why })));
    }
    Ok(ids)
}

/// Sends messages, and collects the answers.
async fn process_messages(
    caller: &Arc<Caller>,
    messages: BodyBuffer,
    ids: Vec<Value>,
    attendance: Attendance,
) -> Result<Response<ResponseBody>, Refusal> {
    let (to, mut from) = unbounded_channel();
    if let Err(id) = caller.askers.add(&ids, &to) {
        return Ok(failed(StatusCode::CONFLICT, &id.clone(), Fault::IdInUse { id }));
    }
    drop(to);
    let pending = PendingRequests { caller: caller.clone(), ids };
    let mut answers = Vec::new();
    let mut open = pending.ids.len();
    if caller.send(messages).await {
        while let Some(line) = from.recv().await {
            answers.extend_from_slice(&line);
            open -= 1;
        }
    }
    drop((pending, attendance));
    if open > 0 {
        return Err(Refusal::Gone);
    }
    let status = if answers.is_empty() { StatusCode::ACCEPTED } else { StatusCode::OK };
    Ok(whole(status, answers.into()))
}

/// Requests whose answers are pending. Dropping it cancels those without an answer.
struct PendingRequests {
    caller: Arc<Caller>,
    ids: Vec<Value>,
}

impl Drop for PendingRequests {
    fn drop(&mut self) {
        let unanswered = self.caller.askers.leave(&self.ids);
        let line =
            |id: &&Value| format!("{}\n", json!({"jsonrpc": "2.0", "method": CANCEL, "params": {"id": id}}));
        let lines: String = unanswered.iter().map(line).collect();
        if let (false, Ok(runtime)) = (lines.is_empty(), Handle::try_current()) {
            let caller = self.caller.clone();
            drop(runtime.spawn(async move { caller.send(lines).await }));
        }
    }
}

fn failed(status: StatusCode, id: &Value, fault: Fault) -> Response<ResponseBody> {
    let line = serde_json::to_string(&Answer::new(id, Err(fault))).unwrap_or_default();
    whole(status, format!("{line}\n").into())
}
