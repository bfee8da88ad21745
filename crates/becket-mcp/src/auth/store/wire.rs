//! The token file as text.
//!
//! Errors do not quote the text: a damaged file may contain a token anywhere, so an error has only a position.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use url::Url;

use crate::auth::key::Key;
use crate::auth::tokens::{Client, Proof, TokenIssuer, Tokens};
use becket_base::secret::Secret;

/// The newest format.
pub(super) const FORMAT: u64 = 1;

/// A problem with the text.
pub(super) enum Wrong {
    Newer(u64),
    Damaged { line: usize, column: usize },
}

/// Everything in the file.
#[derive(Default)]
pub(super) struct Entries(Vec<Entry>);

#[derive(Deserialize)]
struct Format {
    format: u64,
}

#[derive(Serialize, Deserialize)]
struct File {
    format: u64,
    servers: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    /// The name and whole address: see [`Key::id`]. The next two members are only for users.
    id: String,
    server: String,
    url: String,
    access_token: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    /// The time in seconds since 1970.
    obtained_at: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<u64>,
    #[serde(default)]
    scopes: Vec<String>,
    #[serde(default)]
    asked: Vec<String>,
    client_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    client_secret: Option<String>,
    #[serde(default)]
    client_proof: ProofName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    issuer: Option<String>,
    token_endpoint: Url,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revocation_endpoint: Option<Url>,
    resource: String,
}

#[derive(Serialize, Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum ProofName {
    #[default]
    None,
    Basic,
    Post,
}

impl Entries {
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Wrong> {
        let damaged =
            |error: serde_json::Error| Wrong::Damaged { line: error.line(), column: error.column() };
        let format: Format = serde_json::from_slice(bytes).map_err(damaged)?;
        if format.format > FORMAT {
            return Err(Wrong::Newer(format.format));
        }
        let file: File = serde_json::from_slice(bytes).map_err(damaged)?;
        Ok(Self(file.servers))
    }

    pub(super) fn write(self) -> Vec<u8> {
        let file = File { format: FORMAT, servers: self.0 };
        // Text, numbers and lists can always be written; an empty file would be reported as damaged, never as "no
        // tokens".
        serde_json::to_vec_pretty(&file).unwrap_or_default()
    }

    /// Writes the file without the members for users, for stores with little room.
    #[cfg(feature = "keyring")]
    pub(super) fn write_narrow(self) -> Vec<u8> {
        serde_json::to_vec(&File { format: FORMAT, servers: self.0 }).unwrap_or_default()
    }

    pub(super) fn get(&self, key: &Key) -> Option<Tokens> {
        self.0.iter().find(|entry| entry.id == key.id()).map(Entry::tokens)
    }

    pub(super) fn set(&mut self, key: &Key, tokens: &Tokens) {
        self.remove(key);
        self.0.push(Entry::new(key, tokens));
    }

    pub(super) fn remove(&mut self, key: &Key) {
        self.0.retain(|entry| entry.id != key.id());
    }
}

impl Entry {
    fn new(key: &Key, tokens: &Tokens) -> Self {
        let text = |secret: &Secret| secret.expose().to_owned();
        let Tokens { access, refresh, obtained_at, expires_at, scopes, requested_scopes, client, issued } =
            tokens;
        Self {
            id: key.id().to_owned(),
            server: key.server().to_owned(),
            url: key.url().to_owned(),
            access_token: text(access),
            refresh_token: refresh.as_ref().map(text),
            obtained_at: seconds(*obtained_at),
            expires_at: expires_at.map(seconds),
            scopes: scopes.clone(),
            asked: requested_scopes.clone(),
            client_id: client.id.clone(),
            client_secret: client.proof.secret().map(text),
            client_proof: match client.proof {
                Proof::None => ProofName::None,
                Proof::Basic(_) => ProofName::Basic,
                Proof::Post(_) => ProofName::Post,
            },
            issuer: issued.issuer.clone(),
            token_endpoint: issued.token_endpoint.clone(),
            revocation_endpoint: issued.revocation_endpoint.clone(),
            resource: issued.resource.clone(),
        }
    }

    fn tokens(&self) -> Tokens {
        let proof = match (self.client_proof, &self.client_secret) {
            (ProofName::Basic, Some(secret)) => Proof::Basic(Secret::new(secret)),
            (ProofName::Post, Some(secret)) => Proof::Post(Secret::new(secret)),
            (ProofName::None, _) | (_, None) => Proof::None,
        };
        Tokens {
            access: Secret::new(&self.access_token),
            refresh: self.refresh_token.as_ref().map(Secret::new),
            obtained_at: instant(self.obtained_at),
            expires_at: self.expires_at.map(instant),
            scopes: self.scopes.clone(),
            requested_scopes: self.asked.clone(),
            client: Client { id: self.client_id.clone(), proof },
            issued: TokenIssuer {
                issuer: self.issuer.clone(),
                token_endpoint: self.token_endpoint.clone(),
                revocation_endpoint: self.revocation_endpoint.clone(),
                resource: self.resource.clone(),
            },
        }
    }
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn instant(seconds: u64) -> SystemTime {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(UNIX_EPOCH)
}
