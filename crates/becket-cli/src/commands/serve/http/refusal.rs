//! The errors of HTTP requests that are not answered with protocol messages: a status, and an error in the usual
//! format.

use super::super::fault::WireFault;
use super::super::lines::LIMIT;
use super::body::{ResponseBody, whole};
use hyper::header::{HeaderValue, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use serde_json::json;

/// The code that all refusals have on the wire; their names tell them apart.
const CODE: i32 = -32_000;

/// An error in a request.
#[derive(Debug, Clone, Copy, thiserror::Error)]
pub(super) enum Refusal {
    #[error("send the token as `Authorization: Bearer …`; its file was printed at the start")]
    Unauthorized,
    #[error("`Host` must be the loopback address of this server")]
    WrongHost,
    #[error("requests of web pages are rejected: leave out `Origin`")]
    Origin,
    #[error("the only path is `/`")]
    NoPath,
    #[error("the only methods are `POST`, `GET` and `DELETE`")]
    NoVerb,
    #[error("name the connection, as the header `Becket-Connection` of the answer to `initialize` does")]
    Unnamed,
    #[error("there is no such connection, or it has ended: open one, with no `Becket-Connection`")]
    NoConnection,
    #[error("the connection has ended, together with everything that it ran")]
    Gone,
    #[error("a body may have at most {} MiB", LIMIT >> 20)]
    TooLong,
    #[error("the body was not complete in time")]
    Slow,
    #[error("the body was cut off")]
    CutOff,
    #[error("too many connections are open: end one first")]
    Busy,
    #[error("incomplete bodies fill the memory for them: send it again")]
    Full,
}

impl Refusal {
    const ALL: [Refusal; 13] = [
        Refusal::Unauthorized,
        Refusal::WrongHost,
        Refusal::Origin,
        Refusal::NoPath,
        Refusal::NoVerb,
        Refusal::Unnamed,
        Refusal::NoConnection,
        Refusal::Gone,
        Refusal::TooLong,
        Refusal::Slow,
        Refusal::CutOff,
        Refusal::Busy,
        Refusal::Full,
    ];

    /// Returns the status and the stable name.
    const fn row(self) -> (StatusCode, &'static str) {
        match self {
            Refusal::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized"),
            Refusal::WrongHost => (StatusCode::MISDIRECTED_REQUEST, "wrong_host"),
            Refusal::Origin => (StatusCode::FORBIDDEN, "origin"),
            Refusal::NoPath => (StatusCode::NOT_FOUND, "no_path"),
            Refusal::NoVerb => (StatusCode::METHOD_NOT_ALLOWED, "no_verb"),
            Refusal::Unnamed => (StatusCode::BAD_REQUEST, "unnamed"),
            Refusal::NoConnection => (StatusCode::NOT_FOUND, "no_connection"),
            Refusal::Gone => (StatusCode::GONE, "no_connection"),
            Refusal::TooLong => (StatusCode::PAYLOAD_TOO_LARGE, "too_long"),
            Refusal::Slow => (StatusCode::REQUEST_TIMEOUT, "slow"),
            Refusal::CutOff => (StatusCode::BAD_REQUEST, "cut_off"),
            Refusal::Busy => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            Refusal::Full => (StatusCode::SERVICE_UNAVAILABLE, "full"),
        }
    }

    /// Converts the refusal to a response in the usual error format.
    pub(super) fn answer(self) -> Response<ResponseBody> {
        let (status, kind) = self.row();
        let error = WireFault { code: CODE, message: self.to_string(), data: json!({"kind": kind}) };
        let line = json!({"jsonrpc": "2.0", "id": null, "error": error});
        let mut answer = whole(status, format!("{line}\n").into());
        if status == StatusCode::UNAUTHORIZED {
            answer.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        answer
    }
}

/// Returns the statuses and names of all refusals, for the schema.
pub(in super::super) fn rows() -> impl Iterator<Item = (u16, &'static str)> {
    Refusal::ALL.into_iter().map(|refusal| refusal.row()).map(|(status, kind)| (status.as_u16(), kind))
}
