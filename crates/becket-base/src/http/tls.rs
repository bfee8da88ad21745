//! TLS with rustls and ring, as finished configurations: no process-wide provider is needed or set, so a host may have
//! its own. Nothing below TLS 1.2 is negotiated.

use rustls::client::WantsClientCert;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore};
use rustls_platform_verifier::Verifier;
use std::sync::Arc;

/// The trusted root certificates of a client.
#[derive(Debug, Clone)]
pub enum TlsRoots {
    /// A verifier, such as the one of [`platform_verifier`].
    Verifier(Arc<dyn ServerCertVerifier>),
    /// These certificates alone.
    Only(Vec<CertificateDer<'static>>),
    /// No certificates, for connections without encryption.
    Nothing,
}

/// The reason why TLS can't be configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    /// The platform has no root certificates.
    #[error("this system has no root certificates ({0}): install the package `ca-certificates`")]
    NoRoots(String),
    /// A text without a certificate.
    #[error("there is no `BEGIN CERTIFICATE` in it")]
    NoCertificate,
    /// A text that is not PEM, or a certificate that can't be used.
    #[error("{0}")]
    Unusable(String),
    /// The TLS library reports an error.
    #[error("TLS can't be set up: {0}")]
    Setup(String),
}

/// Starts the configuration of a client.
///
/// # Errors
/// Errors if none of the certificates can be used, or if the TLS library reports an error.
pub fn client_config(roots: TlsRoots) -> Result<ConfigBuilder<ClientConfig, WantsClientCert>, TlsError> {
    let builder = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::Setup(error.to_string()))?;
    let mut store = RootCertStore::empty();
    match roots {
        TlsRoots::Verifier(verifier) => {
            return Ok(builder.dangerous().with_custom_certificate_verifier(verifier));
        }
        TlsRoots::Only(certificates) => {
            if store.add_parsable_certificates(certificates).0 == 0 {
                return Err(TlsError::Unusable("no certificate in it can be used".to_owned()));
            }
        }
        TlsRoots::Nothing => {}
    }
    Ok(builder.with_root_certificates(store))
}

/// Returns a verifier that trusts the platform's roots and the `extra` ones.
///
/// # Errors
/// Errors with [`TlsError::NoRoots`] if there are no root certificates.
pub fn platform_verifier(
    extra: Vec<CertificateDer<'static>>,
) -> Result<Arc<dyn ServerCertVerifier>, TlsError> {
    let verifier = Verifier::new_with_extra_roots(extra, provider());
    Ok(Arc::new(verifier.map_err(|error| TlsError::NoRoots(error.to_string()))?))
}

/// Reads the certificates of a PEM text.
///
/// # Errors
/// Errors if the text is not PEM, or has no certificate.
pub fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    // The library's message would quote the text, which may be a key.
    let found = found.map_err(|_| TlsError::Unusable("it is not a PEM file".to_owned()))?;
    if found.is_empty() { Err(TlsError::NoCertificate) } else { Ok(found) }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_without_a_usable_certificate_is_rejected() {
        assert_eq!(certificates(b"").unwrap_err(), TlsError::NoCertificate);
        let torn = b"-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n";
        assert_eq!(certificates(torn).unwrap_err(), TlsError::Unusable("it is not a PEM file".to_owned()));
        let empty = certificates(b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n").unwrap();
        assert!(client_config(TlsRoots::Only(empty)).is_err());
        assert!(client_config(TlsRoots::Nothing).is_ok());
    }
}
