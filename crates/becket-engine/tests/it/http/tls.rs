//! TLS of HTTP handlers, with certificates generated in the test.

use crate::common::{Project, bash, fire};
use crate::http::server::{ok, read};
use crate::http::{failure, guard};
use becket_engine::{Environment, Outcome};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;

/// Creates a certificate for `localhost`, and its text.
struct Certificate {
    pem: String,
    der: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

fn made() -> Certificate {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    Certificate {
        pem: made.cert.pem(),
        der: made.cert.der().clone(),
        key: PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap(),
    }
}

/// Starts a TLS server that answers every request with nothing; returns its port.
fn serve(made: &Certificate) -> u16 {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.der.clone()], made.key.clone_key())
        .unwrap();
    let (config, listener) = (Arc::new(config), TcpListener::bind("127.0.0.1:0").unwrap());
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            let mut stream = StreamOwned::new(connection, stream.unwrap());
            std::thread::spawn(move || {
                while read(&mut stream, 0).is_some() && stream.write_all(ok("").as_bytes()).is_ok() {}
            });
        }
    });
    port
}

fn post(url: &str, variables: impl FnOnce(&Project, Environment) -> Environment) -> Outcome {
    let project = Project::with(guard(url, json!({})));
    let environment = variables(&project, project.environment());
    let engine = project.builder().environment(environment).build().unwrap();
    fire(&engine, &project.event(bash("ls")))
}

// rules: H5, O10
#[test]
fn a_certificate_that_nobody_signed_is_refused_with_help() {
    let port = serve(&made());
    let failure = failure(&post(&format!("https://localhost:{port}/"), |_, environment| environment));
    assert!(failure.contains("can't be trusted") || failure.contains("no root certificates"), "{failure}");
    assert!(failure.contains("NODE_EXTRA_CA_CERTS") || failure.contains("SSL_CERT_FILE"), "{failure}");
}

// rule: H5
#[test]
fn a_certificate_in_a_file_that_the_environment_names_is_trusted() {
    let made = made();
    let port = serve(&made);
    for variable in ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"] {
        let named = |project: &Project, environment: Environment| {
            environment.with_var(variable, project.write("ca.pem", &made.pem))
        };
        assert_eq!(failure(&post(&format!("https://localhost:{port}/"), named)), "", "{variable}");
        let other = failure(&post(&format!("https://127.0.0.1:{port}/"), named));
        assert!(other.contains("write the name that it is made for into the URL"), "{other}");
    }
}

// rules: H5, O10
#[test]
fn a_file_without_certificates_fails_by_name() {
    for (variable, text) in [("SSL_CERT_FILE", "none"), ("NODE_EXTRA_CA_CERTS", "")] {
        let failure = failure(&post("https://localhost:1/", |project, environment| {
            environment.with_var(variable, project.write("ca.pem", text))
        }));
        assert!(
            failure.contains(&format!("`{variable}` names")) && failure.contains("BEGIN CERTIFICATE"),
            "{failure}"
        );
    }
    let failure = failure(&post("https://localhost:1/", |_, environment| {
        environment.with_var("SSL_CERT_FILE", "/no/such/file")
    }));
    assert!(failure.contains("`/no/such/file`"), "{failure}");
}

// rules: H5, O10
#[test]
fn a_url_with_the_wrong_scheme_says_so() {
    let plain = TcpListener::bind("127.0.0.1:0").unwrap();
    let plain_port = plain.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in plain.incoming() {
            let mut stream = stream.unwrap();
            let _ = (stream.read(&mut [0; 64]), stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
        }
    });
    let made = made();
    let spoken = failure(&post(&format!("https://localhost:{}/", plain_port), |project, environment| {
        environment.with_var("SSL_CERT_FILE", project.write("ca.pem", &made.pem))
    }));
    assert!(spoken.contains("does not speak TLS: leave the `s` of `https` or `wss` out"), "{spoken}");
    let port = serve(&made);
    let garbled = failure(&post(&format!("http://localhost:{port}/"), |_, environment| environment));
    assert!(garbled.contains("is not a whole HTTP answer"), "{garbled}");
}
