//! TLS without a process-wide crypto provider, and its trusted roots.
//!
//! The root certificate in `fixtures/tls` was created for this test, its key is deleted, and the server's key protects
//! nothing.

#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::support::{PATIENCE, Step, chunked, fixture, variant};
use becket_llm::{
    Anthropic, Credential, Endpoint, Genai, HttpOptions, Model, ModelError, Request, Response, Roots,
    http_client,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

/// Starts a server that answers every request with these bytes.
fn server(answer: Vec<u8>) -> SocketAddr {
    let certificates =
        vec![CertificateDer::from_pem_slice(&fixture("tls/server.pem")).expect("a certificate")];
    let key = PrivateKeyDer::from_pem_slice(&fixture("tls/server.key")).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .expect("a configuration");
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(config.clone()).expect("a connection");
            // A client without trusted roots aborts the handshake, which is not an error of the server.
            let _ = serve(StreamOwned::new(connection, stream), &answer);
        }
    });
    address
}

fn serve(mut stream: StreamOwned<ServerConnection, TcpStream>, answer: &[u8]) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !request.ends_with(b"}") {
        let read = stream.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        request.extend_from_slice(&buffer[..read]);
    }
    stream.write_all(answer)?;
    stream.conn.send_close_notify();
    stream.flush()
}

/// Returns a recorded answer as the bytes of an HTTP response.
fn recorded(path: &str) -> Vec<u8> {
    let steps = chunked("text/event-stream", &[&fixture(path)]);
    let bytes = steps.into_iter().map(|step| if let Step::Send(bytes) = step { bytes } else { Vec::new() });
    bytes.flatten().collect()
}

fn trusting(roots: Roots) -> reqwest::Client {
    let mut options = HttpOptions::default();
    options.roots = roots;
    http_client(&options).expect("a client")
}

fn root() -> String {
    String::from_utf8(fixture("tls/root.pem")).expect("text")
}

async fn ask(model: &dyn Model) -> Result<Response, ModelError> {
    let request = Request::user("?");
    tokio::time::timeout(PATIENCE, model.respond(&request)).await.expect("an answer in time")
}

#[tokio::test]
async fn no_process_wide_provider_is_needed_or_set() {
    let native = server(recorded("anthropic/text.sse"));
    let other = server(recorded("openai/text.sse"));
    for roots in [Roots::Only(root()), Roots::PlatformAnd(root())] {
        let http = trusting(roots);
        let model = Anthropic::new(http.clone(), "m", &Credential::None).expect("a model");
        let model = model.with_base_url(&format!("https://localhost:{}", native.port())).expect("a URL");
        assert_eq!(ask(&model).await.expect("an answer").text(), "Good day, wörld 👋");
        let endpoint = Endpoint::at(format!("https://127.0.0.1:{}/v1", other.port()));
        let model = Genai::new(http, "openai", "m", &endpoint).expect("a model");
        assert_eq!(ask(&model).await.expect("an answer").text(), "Good day, wörld 👋");
    }
    assert!(rustls::crypto::CryptoProvider::get_default().is_none());
}

#[tokio::test]
async fn who_is_not_vouched_for_is_not_spoken_to() {
    let address = server(recorded("anthropic/text.sse"));
    let model = Anthropic::new(trusting(Roots::Platform), "m", &Credential::None).expect("a model");
    let model = model.with_base_url(&format!("https://localhost:{}", address.port())).expect("a URL");
    let error = ask(&model).await.expect_err("nobody vouches for it");
    assert_eq!(variant(&error), "Connection", "{error}");
    assert!(error.to_string().contains("hand in the one that signed"), "{error}");
}
