//! Trust and client certificates over HTTPS.

use std::io::Write;
use std::net::TcpListener;
use std::time::Duration;

use becket_testkit::mcp_http::tls::Pems;
use becket_testkit::mcp_http::{Plan, Server};

use super::meet::{ConnectedClient, headers, nothing_left, target};
use crate::connection::http::{HttpLink, Network};
use crate::tls::Files;

/// Returns the echo over TLS, or the error.
async fn echo(server: &Server, pems: &Pems, [ca, cert, key]: [&str; 3]) -> Result<String, String> {
    let path = |name: &str| (!name.is_empty()).then(|| pems.path(name));
    let (ca, cert, key) = (path(ca), path(cert), path(key));
    let files = Files { ca: ca.as_deref(), cert: cert.as_deref(), key: key.as_deref() };
    let link = HttpLink::new(&target(&server.url(), headers(&[]), Some(files)), &Network::default()).unwrap();
    let met = ConnectedClient::over(link).await?;
    let answer = met.echo("hi").await;
    drop(met.end(Duration::from_secs(5)).await);
    answer
}

// rule: X1
#[tokio::test]
async fn a_server_is_trusted_by_the_file_that_names_its_authority() {
    let (pems, other) = (Pems::new(), Pems::new());
    let server = Plan::new().tls(&pems, false).start();
    assert_eq!(echo(&server, &pems, ["ca.pem", "", ""]).await.as_deref(), Ok("hi"));
    let error = echo(&server, &other, ["ca.pem", "", ""]).await.unwrap_err();
    assert!(error.starts_with("it can't be reached: the certificate of 127.0.0.1:"), "{error}");
    assert!(error.contains("name its PEM file in `tls.ca`"), "{error}");
    nothing_left(&server).await;
}

// rule: X1
#[tokio::test]
async fn a_server_that_wants_a_certificate_gets_one() {
    let (pems, other) = (Pems::new(), Pems::new());
    let server = Plan::new().tls(&pems, true).start();
    let own = ["ca.pem", "client.pem", "client.key"];
    assert_eq!(echo(&server, &pems, own).await.as_deref(), Ok("hi"));
    let error = echo(&server, &pems, ["ca.pem", "", ""]).await.unwrap_err();
    assert!(error.contains("name one in `tls.cert`"), "{error}");
    // A certificate from another authority.
    for name in ["client.pem", "client.key"] {
        std::fs::copy(other.path(name), pems.path(name)).unwrap();
    }
    let error = echo(&server, &pems, own).await.unwrap_err();
    assert!(error.contains("does not accept the client certificate"), "{error}");
    nothing_left(&server).await;
}

// rule: X1
#[tokio::test]
async fn a_server_without_tls_is_named_as_one() {
    let pems = Pems::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for tcp in listener.incoming() {
            let _ = tcp.unwrap().write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let ca = pems.path("ca.pem");
    let files = Files { ca: Some(&ca), ..Files::default() };
    let link = HttpLink::new(&target(&url, headers(&[]), Some(files)), &Network::default()).unwrap();
    let error = ConnectedClient::over(link).await.map(drop).unwrap_err();
    assert!(error.contains("does not speak TLS"), "{error}");
}
