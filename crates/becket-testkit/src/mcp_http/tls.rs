//! Generated certificates, and servers that use them.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;

use super::plan::Plan;
use super::socket::Socket;

/// PEM files in a temporary directory: an authority, and the certificates that it signed.
#[derive(Debug)]
pub struct Pems {
    dir: TempDir,
}

impl Pems {
    /// Creates `ca.pem`; `server.pem` with `server.key` for `localhost` and `127.0.0.1`; `client.pem` with
    /// `client.key`.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "no two are equal, so there is no default one")]
    pub fn new() -> Self {
        let dir = TempDir::new().expect("there is room for a directory");
        let mut ca = CertificateParams::new(Vec::new()).expect("no names are fine");
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let ca = CertifiedIssuer::self_signed(ca, key()).expect("the parameters are fine");
        let pems = Self { dir };
        pems.write("ca.pem", &ca.pem());
        for (name, names, usage) in [
            (
                "server",
                vec!["localhost".to_owned(), "127.0.0.1".to_owned()],
                ExtendedKeyUsagePurpose::ServerAuth,
            ),
            ("client", vec!["client".to_owned()], ExtendedKeyUsagePurpose::ClientAuth),
        ] {
            let mut params = CertificateParams::new(names).expect("the names are fine");
            params.extended_key_usages = vec![usage];
            let key = key();
            let cert = params.signed_by(&key, &ca).expect("the parameters are fine");
            pems.write(&format!("{name}.pem"), &cert.pem());
            pems.write(&format!("{name}.key"), &key.serialize_pem());
        }
        pems
    }

    /// Returns the path of a file.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Returns the configuration of a TLS server with these certificates; with `wants_client`, it requires a client
    /// certificate of the authority.
    #[must_use]
    pub fn server(&self, wants_client: bool) -> Arc<ServerConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider));
        let builder = builder.with_safe_default_protocol_versions().expect("ring has them");
        let builder = if wants_client {
            let mut roots = RootCertStore::empty();
            roots.add(certificate(&self.path("ca.pem"))).expect("it was made for that");
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.expect("there is a root"))
        } else {
            builder.with_no_client_auth()
        };
        let key = PrivateKeyDer::from_pem_file(self.path("server.key")).expect("it was written");
        let chain = vec![certificate(&self.path("server.pem"))];
        Arc::new(builder.with_single_cert(chain, key).expect("they belong together"))
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("there is room for a file");
    }
}

impl Plan {
    /// Serves over TLS with `server.pem`; with `wants_client`, it requires a client certificate of the authority.
    #[must_use]
    pub fn tls(mut self, pems: &Pems, wants_client: bool) -> Self {
        self.tls = Some(pems.server(wants_client));
        self
    }
}

pub(super) fn accept(config: &Arc<ServerConfig>, tcp: TcpStream) -> Option<Box<dyn Socket>> {
    let connection = ServerConnection::new(Arc::clone(config)).ok()?;
    Some(Box::new(StreamOwned::new(connection, tcp)))
}

impl Socket for StreamOwned<ServerConnection, TcpStream> {
    fn tcp(&self) -> &TcpStream {
        &self.sock
    }
}

fn key() -> KeyPair {
    KeyPair::generate().expect("ring makes keys")
}

fn certificate(path: &Path) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(path).expect("it was written")
}
