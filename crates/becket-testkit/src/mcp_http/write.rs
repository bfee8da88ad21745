//! Writes replies.

use std::io::{self, ErrorKind};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use serde_json::Value;

use super::received_request::ReceivedRequest;
use super::reply::{Reply, Step};
use super::socket::Socket;
use super::state::State;

/// The fate of the connection after a response.
pub(super) enum Then {
    Next,
    Close,
}

/// The interval at which a waiting thread checks the connection.
const LOOK: Duration = Duration::from_millis(5);

pub(super) fn reply(
    to: &mut dyn Socket,
    reply: Reply,
    seen: &ReceivedRequest,
    state: &State,
) -> io::Result<Then> {
    match reply {
        Reply::Whole { status, headers, body } => {
            let mut answer = head(status, &headers);
            // A 204 has no body, and therefore no length.
            if status != 204 {
                answer.push_str(&format!("Content-Length: {}\r\n", body.len()));
            }
            answer.push_str("\r\n");
            to.write_all(&[answer.as_bytes(), &body].concat())?;
        }
        Reply::Stream(headers, steps) => {
            begin(to, &headers)?;
            if !walk(to, &steps, state)? {
                return Ok(Then::Close);
            }
            to.write_all(b"0\r\n\r\n")?;
        }
        Reply::Listen => {
            begin(to, &[])?;
            listen(to, state)?;
            to.write_all(b"0\r\n\r\n")?;
        }
        Reply::Huge { bytes, as_event } => {
            huge(to, seen, bytes, as_event)?;
            return Ok(Then::Close);
        }
        Reply::Hang => {
            hang(to, state);
            return Ok(Then::Close);
        }
        Reply::Close => return Ok(Then::Close),
        Reply::Raw(bytes) => {
            to.write_all(&bytes)?;
            to.flush()?;
            return Ok(Then::Close);
        }
        Reply::Later(time, later) => {
            std::thread::sleep(time);
            return self::reply(to, *later, seen, state);
        }
    }
    to.flush()?;
    Ok(Then::Next)
}

/// Returns a message as an event.
pub(super) fn event(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

fn head(status: u16, headers: &[(String, String)]) -> String {
    let mut head = format!("HTTP/1.1 {status} Status\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head
}

fn begin(to: &mut dyn Socket, headers: &[(String, String)]) -> io::Result<()> {
    let head = head(200, headers);
    let rest = "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    to.write_all(format!("{head}{rest}").as_bytes())?;
    to.flush()
}

fn chunk(to: &mut dyn Socket, text: &str) -> io::Result<()> {
    to.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())?;
    to.flush()
}

/// Writes the steps of a stream; returns whether it ends normally.
fn walk(to: &mut dyn Socket, steps: &[Step], state: &State) -> io::Result<bool> {
    let mut last_answer = Value::Null;
    for step in steps {
        match step {
            Step::Message(message) => chunk(to, &event(message))?,
            Step::Text(text) => chunk(to, text)?,
            Step::Wait(time) => std::thread::sleep(*time),
            Step::Hang => {
                hang(to, state);
                return Ok(false);
            }
            Step::Ask(request) => {
                chunk(to, &event(request))?;
                last_answer = answered(to, &request["id"], state)?;
            }
            Step::Answered(message) => chunk(to, &event(&message(&last_answer)))?,
            Step::CutOff => return Ok(false),
        }
    }
    Ok(true)
}

fn answered(to: &dyn Socket, id: &Value, state: &State) -> io::Result<Value> {
    loop {
        if let Some(answer) = state.answer(id) {
            return Ok(answer);
        }
        if state.is_stopped() || to.is_gone() {
            return Err(ErrorKind::ConnectionAborted.into());
        }
    }
}

fn hang(to: &dyn Socket, state: &State) {
    while !state.is_stopped() && !to.is_gone() {
        std::thread::sleep(LOOK);
    }
}

fn listen(to: &mut dyn Socket, state: &State) -> io::Result<()> {
    let messages = state.listen();
    loop {
        match messages.recv_timeout(LOOK) {
            Ok(text) => chunk(to, &text)?,
            Err(RecvTimeoutError::Timeout) if state.is_stopped() || to.is_gone() => {
                return Err(ErrorKind::ConnectionAborted.into());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

fn huge(to: &mut dyn Socket, seen: &ReceivedRequest, bytes: usize, as_event: bool) -> io::Result<()> {
    let (kind, lead, tail) = match as_event {
        true => ("text/event-stream", "data: ", "\n\n"),
        false => ("application/json", "", ""),
    };
    let before = format!(
        r#"{lead}{{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":""#,
        seen.id()
    );
    let after = format!(r#""}}]}}}}{tail}"#);
    // The end of the body is the end of the connection, so there is no length.
    let head = head(200, &[("Content-Type".into(), kind.into()), ("Connection".into(), "close".into())]);
    to.write_all(format!("{head}\r\n{before}").as_bytes())?;
    let piece = [b'a'; 64 << 10];
    let mut left = bytes;
    while left > 0 {
        let size = left.min(piece.len());
        to.write_all(&piece[..size])?;
        left -= size;
    }
    to.write_all(after.as_bytes())
}
