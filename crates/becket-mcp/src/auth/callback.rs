//! A local listener for the browser redirect that ends a login.
//!
//! It answers one path, with one page that contains nothing of the request, and accepts only the request with the
//! right `state`; every other request gets an error, and the wait continues. Connections are served concurrently: each
//! has a few seconds and a few KiB, so none can block the browser.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use url::Url;

use crate::auth::AuthError;
use becket_base::secret::Secret;

/// The path of the redirect URI.
const PATH: &str = "/callback";

/// Limits on the connections that are served at once and on the time for each.
const AT_ONCE: usize = 64;
const EACH: Duration = Duration::from_secs(3);

/// The maximum length of a request head, in bytes.
const HEAD: usize = 16 << 10;

/// A socket on this machine that a browser can be sent to. Dropping it closes the socket.
#[derive(Debug)]
pub(crate) struct Callback {
    listener: TcpListener,
    port: u16,
}

/// The parameters of a redirect that has the right `state`.
pub(crate) struct AuthorizationResponse {
    pub(crate) outcome: Result<Secret, (String, String)>,
    pub(crate) issuer: Option<String>,
}

impl Callback {
    /// Listens on a port of this machine; `None` means any.
    pub(crate) async fn open(port: Option<u16>) -> Result<Self, AuthError> {
        let asked = port.unwrap_or_default();
        let wrong = |error: std::io::Error| AuthError::Port { port: asked, why: error.to_string() };
        let listener = TcpListener::bind(("127.0.0.1", asked)).await.map_err(wrong)?;
        let port = listener.local_addr().map_err(wrong)?.port();
        Ok(Self { listener, port })
    }

    /// Returns the redirect URI, on a host name that means this machine.
    pub(crate) fn address(&self, host: &str) -> String {
        format!("http://{host}:{}{PATH}", self.port)
    }

    /// Waits for a request with the right `state`; the browser has been answered by then.
    pub(crate) async fn wait(self, state: &Secret) -> AuthorizationResponse {
        let mut visitors = FuturesUnordered::new();
        loop {
            tokio::select! {
                visitor = visitors.next(), if !visitors.is_empty() => {
                    if let Some(Some(returned)) = visitor {
                        return returned;
                    }
                }
                accepted = self.listener.accept(), if visitors.len() < AT_ONCE => match accepted {
                    Ok((stream, _)) => {
                        visitors.push(async { timeout(EACH, serve(stream, state)).await.ok().flatten() });
                    }
                    // An error of this connection alone, or a lack of descriptors: both are temporary.
                    Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                },
            }
        }
    }
}

/// Parses the address that a browser was redirected to, for users without a browser on this machine.
pub(crate) fn read(address: &str, state: &Secret) -> Result<AuthorizationResponse, AuthError> {
    let url: Url = address.trim().parse().map_err(|_| AuthError::Callback("it is not an address"))?;
    returned(&url, state).map_err(AuthError::Callback)
}

async fn serve(mut stream: TcpStream, state: &Secret) -> Option<AuthorizationResponse> {
    let target = target(&mut stream).await?;
    let (status, text, returned) = match judge(&target, state) {
        Ok(returned) if returned.outcome.is_ok() => ("200 OK", DONE, Some(returned)),
        Ok(returned) => ("200 OK", REFUSED, Some(returned)),
        Err(Wrong::Path) => ("404 Not Found", "There is nothing here.", None),
        Err(Wrong::State) => ("400 Bad Request", OTHER, None),
    };
    // A client that does not read the page has logged in anyway.
    let _ = stream.write_all(page(status, text).as_bytes()).await;
    let _ = stream.shutdown().await;
    returned
}

const DONE: &str = "The answer has arrived. You can close this page and go back to where you came from.";
const REFUSED: &str = "The login was refused. You can close this page and go back to where you came from.";
const OTHER: &str = "This is not the expected login. Start it again from where you came from.";

enum Wrong {
    Path,
    State,
}

fn judge(target: &str, state: &Secret) -> Result<AuthorizationResponse, Wrong> {
    // Appended to a host, never resolved against one: `//other.example/callback` would be on another host.
    let url = Url::parse(&format!("http://127.0.0.1{target}")).map_err(|_| Wrong::Path)?;
    if !target.starts_with('/') || url.path() != PATH {
        return Err(Wrong::Path);
    }
    returned(&url, state).map_err(|_| Wrong::State)
}

fn returned(url: &Url, state: &Secret) -> Result<AuthorizationResponse, &'static str> {
    let value = |wanted: &str| {
        let mut found =
            url.query_pairs().filter(|(name, _)| name == wanted).map(|(_, value)| value.into_owned());
        // With two values it is ambiguous which one counts.
        found.next().filter(|_| found.next().is_none())
    };
    if !value("state").is_some_and(|given| is_same(&given, state.expose())) {
        return Err("its `state` is of another login");
    }
    let outcome = match (value("code"), value("error")) {
        (_, Some(error)) => Err((error, value("error_description").unwrap_or_default())),
        (Some(code), None) if !code.is_empty() => Ok(Secret::new(code)),
        (Some(_) | None, None) => return Err("it has no `code`"),
    };
    Ok(AuthorizationResponse { outcome, issuer: value("iss") })
}

/// Compares two texts, in a time that does not depend on the position of their first difference.
fn is_same(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    one.len() == other.len() && differ == 0
}

/// Returns the target of a GET request; `None` for anything else.
async fn target(stream: &mut TcpStream) -> Option<String> {
    let (mut head, mut chunk) = (Vec::new(), [0; 2048]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut chunk).await.ok().filter(|read| *read > 0)?;
        head.extend_from_slice(&chunk[..read]);
        if head.len() > HEAD {
            return None;
        }
    }
    let head = std::str::from_utf8(&head).ok()?;
    let mut words = head.lines().next()?.split(' ');
    match (words.next(), words.next(), words.next()) {
        (Some("GET"), Some(target), Some(version)) if version.starts_with("HTTP/1.") => {
            Some(target.to_owned())
        }
        _ => None,
    }
}

fn page(status: &str, text: &str) -> String {
    let body = format!("<!doctype html><meta charset=\"utf-8\"><title>Login</title><p>{text}</p>\n");
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n\
         Content-Security-Policy: default-src 'none'\r\n\r\n{body}",
        body.len()
    )
}
