//! The server of a scripted model.

use super::protocol::{Protocol, ResponseBody, tool_names};
use super::script::{Script, Turn};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// The answer to requests outside of the script.
const ASIDE: &str = "ok";
/// The answer after the last turn.
const END: &str = "END";

/// A request for an answer of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The protocol.
    pub protocol: Protocol,
    /// True if it was answered by a turn of the script, or after its end.
    pub is_main: bool,
    /// The names of the tools that it offers.
    pub tools: Vec<String>,
    /// The messages: all but the system prompt and the tools.
    pub messages: Value,
}

/// A model on the loopback that answers with the turns of a script. When dropped, it closes its port and its
/// connections.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct State {
    script: Script,
    progress: Mutex<Progress>,
}

#[derive(Debug, Default)]
struct Progress {
    /// The number of turns that have been given.
    given: usize,
    requests: Vec<ModelRequest>,
    /// Requests outside of any protocol.
    others: Vec<String>,
}

impl ModelServer {
    /// Starts a server on a free port.
    ///
    /// # Errors
    /// Errors if the system provides no port or no thread.
    pub fn start(script: Script) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let address = listener.local_addr()?;
        let state = Arc::new(State { script, progress: Mutex::default() });
        let (stop, stopped) = oneshot::channel();
        let shared = state.clone();
        let serve = move || runtime.block_on(serve(&listener, &shared, stopped));
        let thread = thread::Builder::new().name("model".to_owned()).spawn(serve)?;
        Ok(ModelServer { address, state, stop: Some(stop), thread: Some(thread) })
    }

    /// Returns the URL of the server, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns all requests so far, in their order.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.state.progress().requests.clone()
    }

    /// Returns the methods and paths of requests for anything but an answer of the model.
    pub fn others(&self) -> Vec<String> {
        self.state.progress().others.clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

async fn serve(listener: &TcpListener, state: &Arc<State>, mut stopped: oneshot::Receiver<()>) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            _ = &mut stopped => return,
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else { continue };
        let state = state.clone();
        connections.spawn(async move {
            let service = service_fn(move |request| reply(request, state.clone()));
            // A client that hangs up in the middle needs no answer.
            drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
        });
    }
}

async fn reply(request: Request<Incoming>, state: Arc<State>) -> Result<Response<Full<Bytes>>, Infallible> {
    let (head, body) = request.into_parts();
    let bytes = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let path = head.uri.path();
    let answer = match Protocol::of(path).filter(|_| head.method == Method::POST) {
        Some(protocol) => {
            let (turn, number) = state.turn(protocol, &body);
            protocol.write(&turn, &body, path, number)
        }
        None => {
            state.progress().others.push(format!("{} {path}", head.method));
            ResponseBody::Json(aside(path))
        }
    };
    let (kind, bytes) = match answer {
        ResponseBody::Json(value) => ("application/json", value.to_string()),
        ResponseBody::Events(events) => ("text/event-stream", events),
    };
    let mut response = Response::new(Full::new(Bytes::from(bytes)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok(response)
}

/// Returns the answer to a request that does not involve the model: a list of models, a number of tokens, or an empty
/// object.
fn aside(path: &str) -> Value {
    if path.ends_with("/models") {
        let id = "mock-model";
        json!({
            "object": "list", "data": [{"id": id, "object": "model", "owned_by": "becket"}],
            "models": [{"name": format!("models/{id}"), "slug": id}],
        })
    } else if path.ends_with("count_tokens") {
        json!({"input_tokens": 10})
    } else if path.ends_with("countTokens") {
        json!({"totalTokens": 10})
    } else {
        json!({})
    }
}

impl State {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the answer to a request, and its number.
    fn turn(&self, protocol: Protocol, body: &Value) -> (Turn, usize) {
        let tools = tool_names(body);
        let is_main = match self.script.main_tool {
            Some(part) => tools.iter().any(|tool| tool.contains(part)),
            None => !tools.is_empty(),
        };
        let mut progress = self.progress();
        let turn = if is_main && self.script.one_turn_per_prompt && protocol.follows_result(body) {
            Turn::Text(END.to_owned())
        } else if is_main {
            progress.given += 1;
            let turn = self.script.turns.get(progress.given - 1).cloned();
            turn.unwrap_or_else(|| Turn::Text(END.to_owned()))
        } else {
            Turn::Text(ASIDE.to_owned())
        };
        progress.requests.push(ModelRequest { protocol, is_main, tools, messages: protocol.messages(body) });
        (turn, progress.requests.len())
    }
}
