//! The identity provider of an entry.

use super::keys::unknown_within;
use super::resolve::metadata;
use crate::config::error::ServerConfigError;
use crate::config::expand::Expander;
use crate::config::grant::IdentityProvider;
use crate::config::members::{At, Members};
use crate::config::place::Place;
use crate::config::warning::ServerWarning;

/// The provider as written.
#[derive(Clone)]
pub(super) struct RawProvider {
    /// The position of its object.
    place: Place,
    endpoint: At<String>,
    client: String,
    secret: Option<String>,
    token: String,
}

const KEYS: [&str; 4] = ["tokenEndpoint", "clientId", "clientSecret", "idTokenFile"];

impl RawProvider {
    pub(super) fn read(
        members: &Members<'_, '_>,
        warnings: &mut Vec<ServerWarning>,
    ) -> Result<Self, ServerConfigError> {
        warnings.extend(unknown_within(members, &KEYS));
        let needed = |key, what| match members.string(key)? {
            Some(at) if !at.value.is_empty() => Ok(at),
            Some(_) | None => Err(lacks(&members.start, key, what)),
        };
        Ok(Self {
            place: members.start.clone(),
            endpoint: needed("tokenEndpoint", "write the address where it exchanges tokens")?,
            client: needed("clientId", CLIENT)?.value,
            secret: members.string("clientSecret")?.map(|secret| secret.value),
            token: needed("idTokenFile", "name the file with your identity token")?.value,
        })
    }

    /// Returns the provider with variables expanded.
    pub(super) fn expanded(self, expander: &mut Expander<'_>) -> Self {
        let Self { place, endpoint, client, secret, token } = self;
        Self {
            place,
            endpoint: At { value: expander.text(&endpoint.value), place: endpoint.place },
            client: expander.text(&client),
            secret: secret.map(|secret| expander.text(&secret)),
            token: expander.text(&token),
        }
    }

    pub(super) fn resolve(self) -> Result<IdentityProvider, ServerConfigError> {
        let Self { place, endpoint, client, secret, token } = self;
        if client.is_empty() {
            return Err(lacks(&place, "clientId", CLIENT));
        }
        Ok(IdentityProvider {
            token_endpoint: metadata(&endpoint, "tokenEndpoint")?,
            client_id: client,
            client_secret: secret.filter(|secret| !secret.is_empty()).map(Into::into),
            id_token: token.into(),
        })
    }
}

const CLIENT: &str = "write the client that is registered there";

fn lacks(place: &Place, key: &'static str, what: &'static str) -> ServerConfigError {
    let why = format!("has an `identityProvider` without `{key}`: {what}");
    ServerConfigError::Grant { place: place.clone(), why }
}
