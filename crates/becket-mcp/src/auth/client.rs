//! Client identification at an authorisation server.
//!
//! In the order of the specification: the client that the user has registered; the address of a document that
//! describes one, if the authorisation server supports that; dynamic registration.

use rmcp::transport::auth::{AuthorizationManager, OAuthClientConfig};
use url::Url;

use crate::auth::AuthError;
use crate::auth::discover::{Authority, mapped};
use crate::auth::tokens::{Client, Proof};
use crate::config::OAuth;
use becket_base::secret::Secret;

/// The metadata of a client with these scopes and this redirect URI.
pub(crate) struct RegistrationRequest<'a> {
    pub(crate) name: &'a str,
    pub(crate) redirect: &'a str,
    pub(crate) scopes: &'a [String],
}

/// Finds or registers the client, and configures the manager with it.
pub(crate) async fn client(
    manager: &mut AuthorizationManager,
    authority: &Authority,
    oauth: &OAuth,
    request: &RegistrationRequest<'_>,
) -> Result<Client, AuthError> {
    let (id, secret) = match (&oauth.client_id, &oauth.client_metadata_url) {
        (Some(id), _) => (id.clone(), oauth.client_secret.clone()),
        (None, Some(document)) if authority.takes_documents => (described(document)?, None),
        (None, _) if authority.can_register => register(manager, request).await?,
        (None, _) => {
            return Err(AuthError::Registration("it registers no clients by itself".to_owned()));
        }
    };
    manager.configure_client(OAuthClientConfig::new(id.as_str(), request.redirect)).map_err(mapped)?;
    Ok(Client { id, proof: proof(secret, authority.proofs.as_deref()) })
}

async fn register(
    manager: &mut AuthorizationManager,
    request: &RegistrationRequest<'_>,
) -> Result<(String, Option<Secret>), AuthError> {
    let scopes: Vec<&str> = request.scopes.iter().map(String::as_str).collect();
    let made = manager.register_client(request.name, request.redirect, &scopes).await.map_err(mapped)?;
    Ok((made.client_id, made.client_secret.map(Secret::new)))
}

/// Checks an address that serves as the id of a client.
fn described(document: &str) -> Result<String, AuthError> {
    let is_good = Url::parse(document).is_ok_and(|url| {
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        url.scheme() == "https" && url.path() != "/" && url.fragment().is_none() && !has_credentials
    });
    if is_good {
        return Ok(document.to_owned());
    }
    let why = "`oauth.clientMetadataUrl` must be an `https` address with a path";
    Err(AuthError::Registration(why.to_owned()))
}

/// Returns the method of client authentication that the authorisation server accepts; if it names none, that of the
/// RFC.
pub(crate) fn proof(secret: Option<Secret>, taken: Option<&[String]>) -> Proof {
    let Some(secret) = secret else { return Proof::None };
    let takes = |method: &str| taken.is_some_and(|taken| taken.iter().any(|known| known == method));
    if takes("client_secret_basic") {
        Proof::Basic(secret)
    } else if takes("client_secret_post") {
        Proof::Post(secret)
    } else if takes("none") {
        Proof::None
    } else {
        Proof::Basic(secret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_proven_in_a_way_that_is_taken() {
        let secret = || Some(Secret::new("s"));
        let taken = |methods: &[&str]| methods.iter().map(|method| (*method).to_owned()).collect::<Vec<_>>();
        assert_eq!(proof(None, None), Proof::None);
        assert_eq!(proof(secret(), None), Proof::Basic("s".into()));
        for (methods, expected) in [
            (&["client_secret_post", "client_secret_basic"][..], Proof::Basic("s".into())),
            (&["client_secret_post", "none"], Proof::Post("s".into())),
            (&["none"], Proof::None),
            (&["private_key_jwt"], Proof::Basic("s".into())),
        ] {
            assert_eq!(proof(secret(), Some(&taken(methods))), expected, "{methods:?}");
        }
    }

    #[test]
    fn a_document_has_an_https_address_with_a_path() {
        assert!(described("https://me.example/client.json").is_ok());
        for bad in [
            "http://me.example/c",
            "https://me.example/",
            "https://a:b@me.example/c",
            "https://me.example/c#x",
            "c",
        ] {
            assert!(described(bad).is_err(), "{bad}");
        }
    }
}
