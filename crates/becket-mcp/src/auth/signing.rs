//! Client assertions: a JWT signed with the private key of a client (RFC 7523, `private_key_jwt`).
//!
//! rmcp could do this with one more library for signatures; the one that TLS uses can sign too.
//!
//! INVARIANT: the content of a key file reaches no error message, and an assertion is valid for one request.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rustls::SignatureScheme;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject;
use rustls::sign::SigningKey;
use serde_json::json;

use crate::config::Algorithm;
use becket_base::secret::Secret;

/// The lifetime of an assertion, with room for clock differences.
const LIFE: Duration = Duration::from_secs(120);

/// A key and its signature algorithm.
#[derive(Debug)]
pub(crate) struct AssertionSigner {
    key: Arc<dyn SigningKey>,
    algorithm: Algorithm,
}

/// The claims of an assertion.
pub(crate) struct Claims<'a> {
    pub(crate) client: &'a str,
    /// The audience: the authorisation server, by its name.
    pub(crate) audience: &'a str,
    /// The key id.
    pub(crate) key_id: Option<&'a str>,
    pub(crate) now: SystemTime,
}

impl AssertionSigner {
    /// Reads a key from PEM, with the first algorithm that it supports, that is configured, and that the other side
    /// accepts.
    pub(crate) fn new(
        pem: &[u8],
        wanted: Option<Algorithm>,
        taken: Option<&[String]>,
    ) -> Result<Self, String> {
        // The cause is not reported: the message would show a part of it.
        let der = PrivateKeyDer::from_pem_slice(pem)
            .map_err(|_| "there is no unencrypted `PRIVATE KEY` in it".to_owned())?;
        let key = ring::sign::any_supported_type(&der)
            .map_err(|_| "it is not a key of RSA (from 2048 bits), P-256, P-384 or Ed25519".to_owned())?;
        let able: Vec<Algorithm> = Algorithm::ALL
            .into_iter()
            .filter(|algorithm| key.choose_scheme(&[scheme(*algorithm)]).is_some())
            .collect();
        if let Some(wanted) = wanted.filter(|wanted| !able.contains(wanted)) {
            return Err(format!("it can't sign with `{}`: it can with {}", wanted.name(), names(&able)));
        }
        let is_taken = |name: &str| taken.is_none_or(|taken| taken.iter().any(|known| known == name));
        let mut fit = able.iter().filter(|able| wanted.is_none_or(|wanted| wanted == **able));
        match fit.find(|algorithm| is_taken(algorithm.name())) {
            Some(algorithm) => Ok(Self { key, algorithm: *algorithm }),
            None => Err(format!(
                "the authorisation server takes no signature with {}",
                wanted.map_or_else(|| names(&able), |wanted| names(&[wanted]))
            )),
        }
    }

    /// Returns a client assertion that is valid for the next two minutes.
    pub(crate) fn assertion(&self, claims: &Claims<'_>) -> Result<Secret, String> {
        let Claims { client, audience, key_id, now } = claims;
        let mut header = json!({"alg": self.algorithm.name(), "typ": "JWT"});
        if let Some(key_id) = key_id {
            header["kid"] = json!(key_id);
        }
        let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let claims = json!({
            "iss": client, "sub": client, "aud": audience, "jti": unique()?,
            "iat": seconds, "exp": seconds.saturating_add(LIFE.as_secs()),
        });
        let encoded = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let text =
            format!("{}.{}", encoded(header.to_string().as_bytes()), encoded(claims.to_string().as_bytes()));
        let signature = self.sign(text.as_bytes()).ok_or("it does not sign")?;
        Ok(Secret::new(format!("{text}.{}", encoded(&signature))))
    }

    fn sign(&self, text: &[u8]) -> Option<Vec<u8>> {
        let signer = self.key.choose_scheme(&[scheme(self.algorithm)])?;
        let signature = signer.sign(text).ok()?;
        match self.algorithm {
            Algorithm::Es256 => fixed(&signature, 32),
            Algorithm::Es384 => fixed(&signature, 48),
            Algorithm::EdDsa
            | Algorithm::Rs256
            | Algorithm::Rs384
            | Algorithm::Rs512
            | Algorithm::Ps256
            | Algorithm::Ps384
            | Algorithm::Ps512 => Some(signature),
        }
    }
}

fn scheme(algorithm: Algorithm) -> SignatureScheme {
    match algorithm {
        Algorithm::Es256 => SignatureScheme::ECDSA_NISTP256_SHA256,
        Algorithm::Es384 => SignatureScheme::ECDSA_NISTP384_SHA384,
        Algorithm::EdDsa => SignatureScheme::ED25519,
        Algorithm::Rs256 => SignatureScheme::RSA_PKCS1_SHA256,
        Algorithm::Rs384 => SignatureScheme::RSA_PKCS1_SHA384,
        Algorithm::Rs512 => SignatureScheme::RSA_PKCS1_SHA512,
        Algorithm::Ps256 => SignatureScheme::RSA_PSS_SHA256,
        Algorithm::Ps384 => SignatureScheme::RSA_PSS_SHA384,
        Algorithm::Ps512 => SignatureScheme::RSA_PSS_SHA512,
    }
}

fn names(algorithms: &[Algorithm]) -> String {
    algorithms.iter().map(|known| format!("`{}`", known.name())).collect::<Vec<_>>().join(", ")
}

/// Returns a unique id for an assertion.
fn unique() -> Result<String, String> {
    let mut bytes = [0; 16];
    let random = ring::default_provider().secure_random;
    random.fill(&mut bytes).map_err(|_| "this system provides no random numbers".to_owned())?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Converts an elliptic-curve signature: TLS writes it as a list of two numbers (DER), JWT as two numbers of a fixed
/// size (RFC 7518, 3.4).
fn fixed(der: &[u8], size: usize) -> Option<Vec<u8>> {
    let [0x30, length, list @ ..] = der else { return None };
    if usize::from(*length) != list.len() {
        return None;
    }
    let (first, rest) = number(list, size)?;
    let (second, rest) = number(rest, size)?;
    rest.is_empty().then(|| [first, second].concat())
}

/// Splits off the number at the beginning, padded with leading zeroes to a size.
fn number(der: &[u8], size: usize) -> Option<(Vec<u8>, &[u8])> {
    let [0x02, length, rest @ ..] = der else { return None };
    let (bytes, rest) = rest.split_at_checked(usize::from(*length))?;
    let zeroes = bytes.iter().take_while(|byte| **byte == 0).count();
    let bytes = &bytes[zeroes..];
    let mut whole = vec![0; size.checked_sub(bytes.len())?];
    whole.extend_from_slice(bytes);
    Some((whole, rest))
}

#[cfg(test)]
mod tests;
