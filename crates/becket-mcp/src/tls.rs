//! TLS trust roots and client certificates for remote servers: rustls with ring, as a finished configuration. No
//! process-wide provider is needed or set, so a host may have its own.
//!
//! The platform's roots are trusted, and those of one extra file that the host names. A server's own `ca` file
//! replaces both. A client certificate (mTLS) comes from PEM files too.
//!
//! It does not read the environment, negotiate anything below TLS 1.2, or disable the verification of a certificate.
//!
//! INVARIANT: the content of a key file reaches no error message.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use becket_base::http::tls::{self, TlsRoots};
use rustls::client::WantsClientCert;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::pem::{Error as PemError, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ConfigBuilder};

/// The PEM files of one server.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Files<'a> {
    /// Roots to trust instead of the platform's.
    pub(crate) ca: Option<&'a Path>,
    /// The certificate chain of this side, its own first.
    pub(crate) cert: Option<&'a Path>,
    /// The key of that certificate; if it is missing, it is in the same file.
    pub(crate) key: Option<&'a Path>,
}

/// The trust roots for the servers of one host. The platform's roots are read once, on first use.
#[derive(Debug)]
pub(crate) struct Trust {
    extra: Option<PathBuf>,
    platform: Mutex<Option<Arc<dyn ServerCertVerifier>>>,
}

/// The reason why TLS is not available for a server.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum TlsError {
    /// A file can't be read.
    #[error("the {what} `{}` can't be read: {why}", file.display())]
    Unreadable { what: &'static str, file: PathBuf, why: String },
    /// A file has unexpected content.
    #[error("the {what} `{}` can't be used: {why}", file.display())]
    Unusable { what: &'static str, file: PathBuf, why: String },
    /// There is a key without a certificate.
    #[error("a client key without a client certificate: name the certificate in `cert`")]
    NoCertificate,
    /// The platform has no root certificates.
    #[error("{0}, or name a file in `ca`")]
    NoRoots(String),
    /// The TLS library reports an error.
    #[error("TLS can't be set up: {0}")]
    Other(String),
}

const CA: &str = "file of root certificates";
const CERT: &str = "client certificate";
const KEY: &str = "client key";

impl Trust {
    /// Creates the trust roots. Nothing is read yet. `extra` is a PEM file with roots in addition to the platform's.
    pub(crate) fn new(extra: Option<PathBuf>) -> Self {
        Self { extra, platform: Mutex::default() }
    }

    /// Builds the configuration for one server. Reads the files, so it may block for a moment.
    ///
    /// # Errors
    /// Errors if a file can't be used, which is named, or if the platform has no roots.
    pub(crate) fn config(&self, files: Files<'_>) -> Result<ClientConfig, TlsError> {
        let builder = match files.ca {
            Some(ca) => tls::client_config(TlsRoots::Only(certificates(CA, ca)?))
                .map_err(|error| unusable(CA, ca, error.to_string()))?,
            None => tls::client_config(TlsRoots::Verifier(self.platform()?)).map_err(other)?,
        };
        identified(builder, files)
    }

    /// Returns a configuration for connections that are not encrypted: it trusts no certificate, and reads no file.
    pub(crate) fn without_roots(&self) -> Result<ClientConfig, TlsError> {
        Ok(tls::client_config(TlsRoots::Nothing).map_err(other)?.with_no_client_auth())
    }

    fn platform(&self) -> Result<Arc<dyn ServerCertVerifier>, TlsError> {
        let mut known = self.platform.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*known {
            return Ok(Arc::clone(known));
        }
        let extra = self.extra.as_deref().map_or(Ok(Vec::new()), |file| certificates(CA, file))?;
        let made = tls::platform_verifier(extra).map_err(|error| TlsError::NoRoots(error.to_string()))?;
        *known = Some(Arc::clone(&made));
        Ok(made)
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
fn identified(
    builder: ConfigBuilder<ClientConfig, WantsClientCert>,
    files: Files<'_>,
) -> Result<ClientConfig, TlsError> {
    let (cert, key) = match (files.cert, files.key) {
        (Some(cert), key) => (cert, key.unwrap_or(cert)),
        (None, Some(_)) => return Err(TlsError::NoCertificate),
        (None, None) => return Ok(builder.with_no_client_auth()),
    };
    let chain = certificates(CERT, cert)?;
    let text = read(KEY, key)?;
    let secret = PrivateKeyDer::from_pem_slice(&text).map_err(|error| {
        let why = match error {
            PemError::NoItemsFound => "there is no unencrypted `PRIVATE KEY` in it; name its file in `key`",
            // Other causes are not reported: the message would show a part of the key.
            _ => "it is not a PEM file",
        };
        unusable(KEY, key, why.to_owned())
    })?;
    builder
        .with_client_auth_cert(chain, secret)
        .map_err(|error| unusable(CERT, cert, format!("with the key in `{}`: {error}", key.display())))
}

fn unusable(what: &'static str, file: &Path, why: String) -> TlsError {
    TlsError::Unusable { what, file: file.to_owned(), why }
}

fn other(error: tls::TlsError) -> TlsError {
    TlsError::Other(error.to_string())
}

fn certificates(what: &'static str, file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    tls::certificates(&read(what, file)?).map_err(|error| unusable(what, file, error.to_string()))
}

fn read(what: &'static str, file: &Path) -> Result<Vec<u8>, TlsError> {
    std::fs::read(file).map_err(|error| TlsError::Unreadable {
        what,
        file: file.to_owned(),
        why: error.to_string(),
    })
}

#[cfg(test)]
mod tests;
