//! A server of the older kind whose behaviour a test defines.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::connection::trial::{Act, Brain, Head, Listener, Security, Stream, answer, read_head};

/// The answer to a request.
#[derive(Debug, Clone, Default)]
pub(super) enum ScriptedAnswer {
    /// Answers correctly.
    #[default]
    Well,
    /// Accepts tool calls late, the rest at once.
    Late,
    /// Sends this, and then nothing more.
    Raw(String),
    /// Sends this, and closes the connection.
    Last(String),
    /// Does not answer.
    Never,
}

/// A delay long enough for a message to be overtaken by another.
const LATE: Duration = Duration::from_millis(300);

/// The current behaviour of the server.
#[derive(Debug, Clone)]
pub(super) struct Script {
    pub(super) get: ScriptedAnswer,
    pub(super) post: ScriptedAnswer,
    pub(super) endpoint: String,
    /// The token that requests require.
    pub(super) token: Option<&'static str>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            get: ScriptedAnswer::Well,
            post: ScriptedAnswer::Well,
            endpoint: "/messages?session=1".into(),
            token: None,
        }
    }
}

/// The server. Dropping it stops it.
pub(super) struct Server {
    shared: Arc<TestServer>,
    pub(super) address: String,
    open: Arc<AtomicUsize>,
    task: AbortHandle,
}

struct TestServer {
    brain: Brain,
    script: Mutex<Script>,
    heads: Mutex<Vec<Head>>,
    events: Mutex<Option<mpsc::UnboundedSender<String>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    pub(super) async fn start(script: Script, security: &Security) -> Self {
        let listener = Listener::bind(security).await;
        let (address, open) = (listener.address.to_string(), Arc::clone(&listener.open));
        let shared = Arc::new(TestServer {
            brain: Brain::default(),
            script: Mutex::new(script),
            heads: Mutex::default(),
            events: Mutex::default(),
        });
        let serving = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            loop {
                let stream = listener.accept().await;
                tokio::spawn(Arc::clone(&serving).serve(stream));
            }
        });
        Self { shared, address, open, task: task.abort_handle() }
    }

    pub(super) fn brain(&self) -> &Brain {
        &self.shared.brain
    }

    pub(super) fn script(&self) -> MutexGuard<'_, Script> {
        lock(&self.shared.script)
    }

    /// Returns all requests so far.
    pub(super) fn heads(&self) -> Vec<Head> {
        lock(&self.shared.heads).clone()
    }

    /// Returns the number of open connections.
    pub(super) fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }

    /// Sends a text over the stream, unchanged.
    pub(super) fn push(&self, text: &str) {
        lock(&self.shared.events).as_ref().unwrap().send(text.into()).unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl TestServer {
    async fn serve(self: Arc<Self>, Stream { socket, open }: Stream) {
        let mut socket = BufReader::new(socket);
        let _open = open;
        while let Some(head) = read_head(&mut socket).await {
            lock(&self.heads).push(head.clone());
            let script = lock(&self.script).clone();
            let way = if head.line.starts_with("GET ") { &script.get } else { &script.post };
            let is_known = script.token.is_none_or(|token| head.header("authorization") == Some(token));
            let text = match way {
                _ if !is_known => {
                    answer("401 Unauthorized", "WWW-Authenticate: Bearer realm=\"trial\"\r\n", "who are you?")
                }
                ScriptedAnswer::Raw(text) => text.clone(),
                ScriptedAnswer::Last(text) => {
                    let _ = socket.write_all(text.as_bytes()).await;
                    return;
                }
                ScriptedAnswer::Never => String::new(),
                ScriptedAnswer::Well if head.line == "GET /sse" => {
                    return self.stream(socket, &script.endpoint).await;
                }
                ScriptedAnswer::Well if head.line == "GET /old" => {
                    answer("307 Temporary", "Location: sse\r\n", "")
                }
                ScriptedAnswer::Late if head.has("tools/call") => {
                    tokio::time::sleep(LATE).await;
                    self.take(&head)
                }
                ScriptedAnswer::Well | ScriptedAnswer::Late if head.line == "POST /messages?session=1" => {
                    self.take(&head)
                }
                ScriptedAnswer::Well | ScriptedAnswer::Late => answer("404 Not Found", "", "no such page"),
            };
            if socket.write_all(text.as_bytes()).await.is_err() {
                return;
            }
        }
    }

    fn take(&self, head: &Head) -> String {
        for act in self.brain.hear(serde_json::from_slice(&head.body).unwrap()) {
            let text = match act {
                Act::Say(message) => message.to_string(),
                Act::Text(text) => text,
                Act::Vanish => {
                    lock(&self.events).take();
                    continue;
                }
            };
            let events = lock(&self.events);
            let _ = events.as_ref().map(|events| events.send(format!("event: message\ndata: {text}\n\n")));
        }
        answer("202 Accepted", "", "Accepted")
    }

    async fn stream<S>(&self, mut socket: BufReader<S>, endpoint: &str)
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    {
        let (sender, mut events) = mpsc::unbounded_channel();
        *lock(&self.events) = Some(sender);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n: hello\n\n";
        let mut text = format!("{head}event: endpoint\ndata: {endpoint}\n\n");
        let mut nothing = [0];
        loop {
            if socket.write_all(text.as_bytes()).await.is_err() {
                return;
            }
            text = tokio::select! {
                event = events.recv() => match event {
                    Some(event) => event,
                    None => return,
                },
                _ = socket.read(&mut nothing) => return,
            };
        }
    }
}
