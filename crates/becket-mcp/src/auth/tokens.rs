//! The tokens of a login, with everything that is needed to renew and revoke them without the user.

use std::time::{Duration, SystemTime};

use url::Url;

use becket_base::secret::Secret;

/// The time before its expiry at which a token is renewed; a quarter of its life if that is shorter.
const MARGIN: Duration = Duration::from_secs(60);

/// The tokens of one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tokens {
    /// The access token.
    pub access: Secret,
    /// The refresh token; `None` if the server issues none.
    pub refresh: Option<Secret>,
    /// The time at which the access token was obtained.
    pub obtained_at: SystemTime,
    /// The expiry of the access token; `None` if it was not given.
    pub expires_at: Option<SystemTime>,
    /// The scopes that were granted.
    pub scopes: Vec<String>,
    /// The requested scopes; more than those granted if the server refused some.
    pub requested_scopes: Vec<String>,
    /// The client that the tokens were issued to.
    pub client: Client,
    /// The issuer.
    pub issued: TokenIssuer,
}

/// A client of an authorisation server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    /// The id of the client.
    pub id: String,
    /// The method of client authentication.
    pub proof: Proof,
}

/// The method by which a client authenticates at the token endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// No authentication: a public client.
    None,
    /// A secret in the header `Authorization`.
    Basic(Secret),
    /// A secret in the body.
    Post(Secret),
}

/// The issuer of tokens. It is stored, never guessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenIssuer {
    /// The name of the authorisation server; `None` if it publishes none.
    pub issuer: Option<String>,
    /// The endpoint that renews tokens.
    pub token_endpoint: Url,
    /// The endpoint that revokes tokens.
    pub revocation_endpoint: Option<Url>,
    /// The resource, as sent to the authorisation server.
    pub resource: String,
}

impl Tokens {
    /// Returns whether the access token is still usable, with some time left.
    #[must_use]
    pub fn is_fresh(&self, now: SystemTime) -> bool {
        let Some(expires_at) = self.expires_at else { return true };
        let life = expires_at.duration_since(self.obtained_at).unwrap_or_default();
        now + MARGIN.min(life / 4) < expires_at
    }

    /// Returns whether the access token has not expired yet.
    #[must_use]
    pub fn is_valid(&self, now: SystemTime) -> bool {
        self.expires_at.is_none_or(|expires_at| now < expires_at)
    }
}

impl Proof {
    /// Returns the secret, if there is one.
    #[must_use]
    pub fn secret(&self) -> Option<&Secret> {
        match self {
            Self::None => None,
            Self::Basic(secret) | Self::Post(secret) => Some(secret),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns tokens with a life of `life` seconds that began at the second 1000.
    fn tokens(life: Option<u64>) -> Tokens {
        let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        Tokens {
            access: "a".into(),
            refresh: None,
            obtained_at: start,
            expires_at: life.map(|life| start + Duration::from_secs(life)),
            scopes: Vec::new(),
            requested_scopes: Vec::new(),
            client: Client { id: "c".into(), proof: Proof::None },
            issued: TokenIssuer {
                issuer: None,
                token_endpoint: "https://as.example/token".parse().unwrap(),
                revocation_endpoint: None,
                resource: "https://mcp.example/".into(),
            },
        }
    }

    #[test]
    fn a_token_is_renewed_before_it_expires() {
        for (life, age, fresh, valid) in [
            (None, 1_000_000, true, true),
            (Some(3600), 3539, true, true),
            (Some(3600), 3541, false, true),
            (Some(3600), 3600, false, false),
            (Some(20), 14, true, true),
            (Some(20), 16, false, true),
            (Some(0), 0, false, false),
        ] {
            let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1000 + age);
            let tokens = tokens(life);
            assert_eq!((tokens.is_fresh(now), tokens.is_valid(now)), (fresh, valid), "{life:?} {age}");
        }
    }
}
