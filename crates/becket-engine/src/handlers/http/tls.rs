//! TLS of HTTP handlers: rustls with ring, passed on as a finished configuration. No process-wide provider is needed or
//! set, so a host may have another.
//!
//! The platform's roots count, and those in the file that `NODE_EXTRA_CA_CERTS` names. `SSL_CERT_FILE` names a file
//! that counts instead of the platform's.

use crate::host::environment::Environment;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use std::path::Path;
use std::sync::Arc;

/// Returns a configuration; one for requests that are not `encrypted` trusts no server and reads no file.
///
/// # Errors
/// A file of certificates can't be read, or the platform has none.
pub(super) fn config(encrypted: bool, environment: &Environment) -> Result<ClientConfig, String> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("TLS can't be set up: {error}"))?;
    if !encrypted {
        return Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth());
    }
    let extra = match environment.var(EXTRA).filter(|path| !path.is_empty()) {
        Some(path) => certificates(EXTRA, Path::new(path))?,
        None => Vec::new(),
    };
    let builder = match environment.var(INSTEAD).filter(|path| !path.is_empty()) {
        Some(path) => {
            let only = certificates(INSTEAD, Path::new(path))?;
            builder.with_root_certificates(store(only.into_iter().chain(extra))?)
        }
        None => builder.dangerous().with_custom_certificate_verifier(platform(extra, provider)?),
    };
    Ok(builder.with_no_client_auth())
}

const EXTRA: &str = "NODE_EXTRA_CA_CERTS";
const INSTEAD: &str = "SSL_CERT_FILE";

/// The platform's judge; what it finds good is good.
fn platform(
    extra: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, String> {
    let verifier = Verifier::new_with_extra_roots(extra, provider).map_err(|error| {
        format!("this system has no root certificates ({error}): install the package `ca-certificates`, or name a file in `{INSTEAD}`")
    })?;
    Ok(Arc::new(verifier))
}

fn store(certificates: impl Iterator<Item = CertificateDer<'static>>) -> Result<RootCertStore, String> {
    let mut store = RootCertStore::empty();
    let (added, _) = store.add_parsable_certificates(certificates);
    if added == 0 {
        return Err(format!("no certificate in the file that `{INSTEAD}` names can be used"));
    }
    Ok(store)
}

fn certificates(variable: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let wrong = |why: String| format!("`{variable}` names `{}`, which can't be used: {why}", file.display());
    let text = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    let found = found.map_err(|error| wrong(error.to_string()))?;
    if found.is_empty() {
        return Err(wrong("there is no `BEGIN CERTIFICATE` in it".to_owned()));
    }
    Ok(found)
}
