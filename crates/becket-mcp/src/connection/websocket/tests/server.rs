//! A WebSocket server whose behaviour a test defines.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;

use crate::connection::trial::{Act, Brain, Head, Listener, Security, Stream, read_head};

/// The answer to the handshake.
#[derive(Debug, Clone)]
pub(super) enum Hello {
    /// Accepts, with these headers; `KEY` is replaced by the right key.
    Switch(&'static str),
    /// Sends this, and nothing more.
    Raw(String),
    /// Sends this, and closes the connection.
    Last(String),
    /// Does not answer.
    Never,
}

/// The behaviour on an open WebSocket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Manner {
    /// Behaves correctly.
    #[default]
    Well,
    /// Sends binary messages.
    Binary,
    /// Reads nothing, so no ping is answered either.
    Deaf,
    /// Does not answer the closing handshake.
    Stubborn,
}

pub(super) const SWITCH: &str =
    "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Accept: KEY\r\n";

/// The server. Dropping it stops it.
pub(super) struct Server {
    shared: Arc<TestServer>,
    pub(super) address: String,
    open: Arc<AtomicUsize>,
    task: AbortHandle,
}

struct TestServer {
    brain: Brain,
    hello: Hello,
    manner: Manner,
    token: Option<&'static str>,
    heads: Mutex<Vec<Head>>,
    frames: Mutex<Vec<Message>>,
    push: Mutex<Vec<Message>>,
    pushed: Notify,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    pub(super) async fn start(hello: Hello, manner: Manner, security: &Security) -> Self {
        Self::with_token(hello, manner, security, None).await
    }

    pub(super) async fn with_token(
        hello: Hello,
        manner: Manner,
        security: &Security,
        token: Option<&'static str>,
    ) -> Self {
        let listener = Listener::bind(security).await;
        let (address, open) = (listener.address.to_string(), Arc::clone(&listener.open));
        let shared = Arc::new(TestServer {
            brain: Brain::default(),
            hello,
            manner,
            token,
            heads: Mutex::default(),
            frames: Mutex::default(),
            push: Mutex::default(),
            pushed: Notify::new(),
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

    /// Returns all handshakes so far.
    pub(super) fn heads(&self) -> Vec<Head> {
        lock(&self.shared.heads).clone()
    }

    /// Returns the received frames other than text.
    pub(super) fn frames(&self) -> Vec<Message> {
        lock(&self.shared.frames).clone()
    }

    /// Returns the number of open connections.
    pub(super) fn open(&self) -> usize {
        self.open.load(Ordering::SeqCst)
    }

    /// Sends a message.
    pub(super) fn push(&self, message: Message) {
        lock(&self.shared.push).push(message);
        self.shared.pushed.notify_one();
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
        let Some(head) = read_head(&mut socket).await else { return };
        let key = derive_accept_key(head.header("sec-websocket-key").unwrap_or_default().as_bytes());
        let is_known = self.token.is_none_or(|token| head.header("authorization") == Some(token));
        lock(&self.heads).push(head);
        let text = match &self.hello {
            _ if !is_known => "HTTP/1.1 401 Who\r\nContent-Length: 0\r\n\r\n".to_owned(),
            Hello::Switch(headers) => {
                format!("HTTP/1.1 101 Switching Protocols\r\n{}\r\n", headers.replace("KEY", &key))
            }
            Hello::Raw(text) | Hello::Last(text) => text.clone(),
            Hello::Never => String::new(),
        };
        if socket.write_all(text.as_bytes()).await.is_err() || matches!(self.hello, Hello::Last(_)) {
            return;
        }
        if !is_known || !matches!(self.hello, Hello::Switch(_)) || self.manner == Manner::Deaf {
            // Waits until the client disconnects; a deaf server ignores everything it receives.
            let mut nothing = [0];
            if self.manner == Manner::Deaf {
                std::future::pending::<()>().await;
            }
            let _ = socket.read(&mut nothing).await;
            return;
        }
        let socket = WebSocketStream::from_raw_socket(socket, Role::Server, None).await;
        self.converse(socket).await;
    }

    async fn converse<S>(&self, mut socket: WebSocketStream<S>)
    where
        S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
    {
        loop {
            let frame = tokio::select! {
                frame = socket.next() => frame,
                () = self.pushed.notified() => {
                    let push = std::mem::take(&mut *lock(&self.push));
                    for message in push {
                        let _ = socket.send(message).await;
                    }
                    continue;
                }
            };
            match frame {
                Some(Ok(Message::Text(text))) => {
                    for act in self.brain.hear(serde_json::from_str(&text).unwrap()) {
                        let text = match act {
                            Act::Say(message) => message.to_string(),
                            Act::Text(text) => text,
                            Act::Vanish => return,
                        };
                        let message = match self.manner {
                            Manner::Binary => Message::binary(text),
                            Manner::Well | Manner::Deaf | Manner::Stubborn => Message::text(text),
                        };
                        if socket.send(message).await.is_err() {
                            return;
                        }
                    }
                }
                Some(Ok(other)) => {
                    let is_goodbye = other.is_close();
                    lock(&self.frames).push(other);
                    if is_goodbye && self.manner == Manner::Stubborn {
                        let mut socket = socket.into_inner();
                        while socket.read(&mut [0]).await.is_ok_and(|read| read > 0) {}
                        return;
                    }
                }
                Some(Err(_)) | None => return,
            }
        }
    }
}
