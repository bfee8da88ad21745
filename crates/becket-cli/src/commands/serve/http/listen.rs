//! A port of the loopback interface, and its connections.

use super::super::memory_budget::MemoryBudget;
use super::super::session_defaults::SessionDefaults;
use super::body::whole;
use super::callers::Callers;
use super::exchange;
use super::gate::Gate;
use super::linger::LingerStream;
use super::strangers::{Stranger, Strangers};
use super::token::Token;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use becket_engine::CancellationToken;
use becket_fire::FiringError;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The limit on concurrent TCP connections.
const MOST: usize = 1_024;
/// The time limit for the head of a request, and for an idle connection.
const HEAD: Duration = Duration::from_secs(10);
/// The limit on buffered bytes of a request, which its head must fit into.
const BUFFER: usize = 64 << 10;
/// The pause before accepting connections again after the system could not provide one.
const REST: Duration = Duration::from_millis(100);
/// The time limit for pending answers at the end of the process.
const FAREWELL: Duration = Duration::from_secs(1);

/// The options of the port.
pub(in super::super) struct ListenOptions {
    /// The address to listen on; port 0 means any free one.
    pub(in super::super) address: SocketAddr,
    /// The file of the token.
    pub(in super::super) token: PathBuf,
    /// The time for which a client without open requests keeps its sessions.
    pub(in super::super) linger: Duration,
    /// The time for which a client may read nothing.
    pub(in super::super) patience: Duration,
}

/// Serves all clients with the token, until a signal arrives.
pub(in super::super) async fn serve(
    wants: ListenOptions,
    host: Arc<SessionDefaults>,
    cancel: &CancellationToken,
    out: Out,
) -> CommandResult {
    let (listener, address) = listener(wants.address).await.map_err(|why| CliError::Serve { why })?;
    let token = Token::of(&wants.token).map_err(|why| CliError::Serve { why })?;
    let ready = json!({"url": format!("http://{address}/"), "token_file": token.file()});
    out.print(&format!("{ready}\n")).map_err(FiringError::Runtime)?;
    let callers = Arc::new(Callers {
        host,
        patience: wants.patience,
        linger: wants.linger,
        room: MemoryBudget::default(),
        cancel: cancel.child_token(),
        out,
        all: Mutex::default(),
    });
    let mut streams = JoinSet::new();
    accepted(&listener, Arc::new(Gate::new(token, address)), &callers, &mut streams).await;
    // No new client is accepted while the others are ended.
    drop(listener);
    callers.end().await;
    let rest = async { while streams.join_next().await.is_some() {} };
    drop(timeout(FAREWELL, rest).await);
    Ok(0)
}

/// Binds the port, if it can be reached only from this machine.
async fn listener(wanted: SocketAddr) -> Result<(TcpListener, SocketAddr), String> {
    if !wanted.ip().is_loopback() {
        return Err(format!(
            "`{wanted}` can be reached from outside: choose `127.0.0.1:PORT` or `[::1]:PORT`"
        ));
    }
    let bound = async {
        let listener = TcpListener::bind(wanted).await?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    bound.await.map_err(|error: std::io::Error| format!("`{wanted}`: {error}"))
}

/// Accepts clients until the end.
async fn accepted(
    listener: &TcpListener,
    gate: Arc<Gate>,
    callers: &Arc<Callers>,
    streams: &mut JoinSet<()>,
) {
    let cancel = callers.cancel.clone();
    let (strangers, mut number) = (Arc::new(Strangers::default()), 0);
    loop {
        let stream = tokio::select! {
            biased;
            () = cancel.cancelled() => return,
            Some(_) = streams.join_next(), if !streams.is_empty() => continue,
            stream = listener.accept(), if streams.len() < MOST => stream,
        };
        match stream {
            Ok((stream, _)) => {
                number += 1;
                let stranger = strangers.add(number, &cancel);
                drop(streams.spawn(serve_connection(stream, stranger, gate.clone(), callers.clone())));
            }
            Err(_) => tokio::time::sleep(REST).await,
        }
    }
}

/// Answers the requests of one TCP connection, one after the other.
async fn serve_connection(stream: TcpStream, stranger: Stranger, gate: Arc<Gate>, callers: Arc<Callers>) {
    // Responses are small and clients wait for them; without this option, they arrive later.
    drop(stream.set_nodelay(true));
    let cancel = stranger.end.clone();
    let service = service_fn(|request: Request<Incoming>| {
        let (gate, callers) = (gate.clone(), callers.clone());
        let is_long = head_length(&request) > BUFFER;
        if gate.is_authorized(request.headers()) {
            stranger.authenticate();
        }
        async move {
            // The buffer may have contained more than it should.
            if is_long {
                return Ok(whole(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, Bytes::new()));
            }
            Ok::<_, Infallible>(exchange::answered(&gate, &callers, request).await)
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(BUFFER);
    let stream = TokioIo::new(LingerStream::new(stream, cancel.clone()));
    let mut connection = std::pin::pin!(http.serve_connection(stream, service));
    // Errors of a connection are visible to its client.
    tokio::select! {
        _ = &mut connection => return,
        () = cancel.cancelled() => {}
    }
    // A partial head would be awaited until its time limit, so a connection that has to make room is closed at once.
    if !stranger.is_authenticated() {
        return;
    }
    connection.as_mut().graceful_shutdown();
    drop(connection.await);
}

/// Returns the length of a request's head in bytes, as received.
fn head_length(request: &Request<Incoming>) -> usize {
    let line = request.method().as_str().len() + request.uri().to_string().len() + " HTTP/1.1\r\n ".len();
    let header =
        |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + ": \r\n".len();
    line + request.headers().iter().map(header).sum::<usize>() + "\r\n".len()
}
