//! Sockets of a server, with and without TLS, counted.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use becket_testkit::mcp_http::tls::Pems;
use rustls::ClientConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::tls::{Files, Trust};

/// The byte stream of a server.
pub(in crate::connection) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

/// A server's socket; it is counted while it exists.
pub(in crate::connection) struct Stream {
    pub(in crate::connection) socket: Box<dyn Duplex>,
    pub(in crate::connection) open: Open,
}

/// A guard that counts one open socket.
pub(in crate::connection) struct Open(Arc<AtomicUsize>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The listening socket.
pub(in crate::connection) struct Listener {
    pub(in crate::connection) address: SocketAddr,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    pub(in crate::connection) open: Arc<AtomicUsize>,
}

impl Listener {
    pub(in crate::connection) async fn bind(security: &Security) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        Self { address, listener, tls: security.acceptor(), open: Arc::default() }
    }

    /// Accepts the next client.
    pub(in crate::connection) async fn accept(&self) -> Stream {
        loop {
            let (tcp, _) = self.listener.accept().await.unwrap();
            self.open.fetch_add(1, Ordering::SeqCst);
            let open = Open(Arc::clone(&self.open));
            match &self.tls {
                None => return Stream { socket: Box::new(tcp), open },
                Some(tls) => {
                    if let Ok(tls) = tls.accept(tcp).await {
                        return Stream { socket: Box::new(tls), open };
                    }
                }
            }
        }
    }
}

/// The TLS setup of a server.
#[derive(Debug, Default)]
pub(in crate::connection) enum Security {
    /// Nothing is encrypted.
    #[default]
    None,
    /// The server shows a certificate.
    Tls(Pems),
    /// The server also requires a certificate of its client.
    Mutual(Pems),
}

impl Security {
    fn acceptor(&self) -> Option<TlsAcceptor> {
        match self {
            Self::None => None,
            Self::Tls(pems) => Some(TlsAcceptor::from(pems.server(false))),
            Self::Mutual(pems) => Some(TlsAcceptor::from(pems.server(true))),
        }
    }

    pub(in crate::connection) fn is_encrypted(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Returns a client that trusts the server, and presents a certificate of `own`, if there is one.
    pub(in crate::connection) fn client(&self, own: Option<&Pems>) -> Arc<ClientConfig> {
        let trust = Trust::new(None);
        let (ca, cert, key) = match self {
            Self::None => return Arc::new(trust.without_roots().unwrap()),
            Self::Tls(pems) | Self::Mutual(pems) => (
                pems.path("ca.pem"),
                own.map(|own| own.path("client.pem")),
                own.map(|own| own.path("client.key")),
            ),
        };
        let files = Files { ca: Some(&ca), cert: cert.as_deref(), key: key.as_deref() };
        Arc::new(trust.config(files).unwrap())
    }
}
