//! TLS of HTTP handlers: rustls with ring, passed on as a finished configuration. No process-wide provider is needed or
//! set, so a host may have another.
//!
//! The platform's roots count, and those in the file that `NODE_EXTRA_CA_CERTS` names. `SSL_CERT_FILE` names a file
//! that replaces the platform's.

use crate::host::environment::Environment;
use becket_base::http::tls::{self, TlsError, TlsRoots};
use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use std::path::Path;

/// Returns a configuration; one for requests that are not `encrypted` trusts no server and reads no file.
///
/// # Errors
/// Errors if a file of certificates can't be read, or the platform has none.
pub(super) fn config(encrypted: bool, environment: &Environment) -> Result<ClientConfig, String> {
    let roots = if encrypted { roots(environment)? } else { TlsRoots::Nothing };
    Ok(tls::client_config(roots).map_err(describe)?.with_no_client_auth())
}

fn roots(environment: &Environment) -> Result<TlsRoots, String> {
    let extra = file(environment, EXTRA)?.unwrap_or_default();
    match file(environment, INSTEAD)? {
        Some(only) => Ok(TlsRoots::Only(only.into_iter().chain(extra).collect())),
        None => tls::platform_verifier(extra).map(TlsRoots::Verifier).map_err(describe),
    }
}

const EXTRA: &str = "NODE_EXTRA_CA_CERTS";
const INSTEAD: &str = "SSL_CERT_FILE";

fn describe(error: TlsError) -> String {
    match error {
        TlsError::NoRoots(_) => format!("{error}, or name a file in `{INSTEAD}`"),
        TlsError::Unusable(_) => format!("no certificate in the file that `{INSTEAD}` names can be used"),
        TlsError::NoCertificate | TlsError::Setup(_) => error.to_string(),
    }
}

/// Reads the file that a variable names, if it is set.
fn file(environment: &Environment, variable: &str) -> Result<Option<Vec<CertificateDer<'static>>>, String> {
    let Some(file) = environment.var(variable).filter(|file| !file.is_empty()).map(Path::new) else {
        return Ok(None);
    };
    let wrong = |why: String| format!("`{variable}` names `{}`, which can't be used: {why}", file.display());
    let pem = std::fs::read(file).map_err(|error| wrong(error.to_string()))?;
    tls::certificates(&pem).map(Some).map_err(|error| wrong(error.to_string()))
}
