//! Client authentication for grants that need no person: by secret, by private key, or by an assertion of the platform
//! or of an identity provider.
//!
//! INVARIANT: no content of the files that are read here reaches an error message.

use std::io::Read;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use crate::auth::AuthError;
use crate::auth::client::proof;
use crate::auth::discover::Authority;
use crate::auth::endpoint::BY_ASSERTION;
use crate::auth::signing::{AssertionSigner, Claims};
use crate::auth::tokens::{Client, Proof};
use crate::config::{Grant, IdentityProvider, OAuth, PrivateKey};
use becket_base::secret::Secret;

/// The maximum size of a file with a key or a token, in bytes.
const FILE: u64 = 64 << 10;
const CLIENT: &str = "client_credentials";
const KEY: &str = "private key";
const ASSERTION: &str = "assertion";
const IDENTITY: &str = "identity token";

/// A client and its authentication.
pub(crate) struct AuthenticatedClient<'a> {
    pub(crate) client: Client,
    pub(crate) by: Authenticator<'a>,
}

/// The party that authenticates the client.
pub(crate) enum Authenticator<'a> {
    /// The client itself, with its secret or a signed assertion.
    Itself { signed: Option<Secret> },
    /// A third party that the authorisation server trusts.
    Assertion(Secret),
    /// An identity provider trusted by the authorisation server, which exchanges the identity token of a person.
    Provider(&'a IdentityProvider, Secret),
}

/// Prepares the authentication, if the authorisation server supports the method.
pub(crate) async fn prove<'a>(
    oauth: &'a OAuth,
    authority: &Authority,
    now: SystemTime,
) -> Result<AuthenticatedClient<'a>, AuthError> {
    let id = oauth.client_id.clone().ok_or(AuthError::Incomplete("a `clientId`"))?;
    let secret = oauth.client_secret.clone();
    let (proof, by) = match &oauth.grant {
        Grant::Code => return Err(AuthError::Incomplete("a `grant` that needs no person")),
        Grant::Secret => {
            authority.offers(CLIENT)?;
            let secret = secret.ok_or(AuthError::Incomplete("a `clientSecret`"))?;
            (by_secret(secret, authority)?, Authenticator::Itself { signed: None })
        }
        Grant::Key(key) => {
            authority.offers(CLIENT)?;
            let signed = signed(key, &id, authority, now).await?;
            (Proof::None, Authenticator::Itself { signed: Some(signed) })
        }
        Grant::Assertion(file) => {
            authority.offers(BY_ASSERTION)?;
            let proof = secret.map_or(Ok(Proof::None), |secret| by_secret(secret, authority))?;
            (proof, Authenticator::Assertion(jwt(ASSERTION, file, now).await?))
        }
        Grant::Exchange(provider) => {
            authority.offers(BY_ASSERTION)?;
            let proof = secret.map_or(Ok(Proof::None), |secret| by_secret(secret, authority))?;
            (proof, Authenticator::Provider(provider, jwt(IDENTITY, &provider.id_token, now).await?))
        }
    };
    Ok(AuthenticatedClient { client: Client { id, proof }, by })
}

fn by_secret(secret: Secret, authority: &Authority) -> Result<Proof, AuthError> {
    authority.takes_one_of(&["client_secret_basic", "client_secret_post"])?;
    Ok(proof(Some(secret), authority.proofs.as_deref()))
}

async fn signed(
    key: &PrivateKey,
    client: &str,
    authority: &Authority,
    now: SystemTime,
) -> Result<Secret, AuthError> {
    authority.takes_one_of(&["private_key_jwt"])?;
    let PrivateKey { file, algorithm, id } = key;
    let pem = read(KEY, file).await?;
    let wrong = |why| AuthError::File { what: KEY, file: file.clone(), why };
    let signing = AssertionSigner::new(&pem, *algorithm, authority.signatures.as_deref()).map_err(wrong)?;
    // The issuer's name is the audience: a copy of the assertion is useless to any other server.
    let audience = authority.issuer.as_deref().unwrap_or(authority.token.as_str());
    signing.assertion(&Claims { client, audience, key_id: id.as_deref(), now }).map_err(wrong)
}

/// Reads the JWT in a file. Other content is not sent anywhere: it may be another secret.
async fn jwt(what: &'static str, file: &Path, now: SystemTime) -> Result<Secret, AuthError> {
    let wrong = |why: &str| AuthError::File { what, file: file.to_owned(), why: why.to_owned() };
    let bytes = read(what, file).await?;
    let text = std::str::from_utf8(&bytes).unwrap_or_default().trim();
    let claims = claims(text).ok_or_else(|| wrong("there is no JWT in it"))?;
    let expires = claims.get("exp").and_then(Value::as_f64).unwrap_or(f64::INFINITY);
    let expires = Duration::try_from_secs_f64(expires.max(0.0)).ok();
    if expires.and_then(|at| UNIX_EPOCH.checked_add(at)).is_some_and(|at| at <= now) {
        return Err(wrong("the JWT in it has expired: whoever writes it has to renew it"));
    }
    Ok(Secret::new(text))
}

/// Returns the claims of a JWT, if the text is one.
pub(crate) fn claims(text: &str) -> Option<Value> {
    let mut parts = text.split('.');
    let [header, claims, signature] = [parts.next()?, parts.next()?, parts.next()?];
    let decoded = |part: &str| URL_SAFE_NO_PAD.decode(part).ok().filter(|part| !part.is_empty());
    let object = |part| serde_json::from_slice::<Value>(&decoded(part)?).ok().filter(Value::is_object);
    let (_, claims, _) = (object(header)?, object(claims)?, decoded(signature)?);
    parts.next().is_none().then_some(claims)
}

/// Reads a small file outside of the threads that drive connections.
async fn read(what: &'static str, file: &Path) -> Result<Vec<u8>, AuthError> {
    let path = file.to_owned();
    let wrong = |why: String| AuthError::File { what, file: file.to_owned(), why };
    let bytes = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        std::fs::File::open(path)?.take(FILE + 1).read_to_end(&mut bytes).map(|_| bytes)
    });
    let bytes = bytes.await.map_err(|_| AuthError::Cancelled)?;
    let bytes = bytes.map_err(|error| wrong(format!("it can't be read: {error}")))?;
    if bytes.len() as u64 > FILE {
        return Err(wrong(format!("it is longer than {FILE} bytes")));
    }
    Ok(bytes)
}
