//! OAuth grants: by a person with a browser, or by this program alone.

use std::fmt;
use std::path::PathBuf;

use url::Url;

use super::server::shown_url;
use becket_base::secret::Secret;

/// The OAuth grant for a server's tokens (`protocol.md` X3).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Grant {
    /// `authorization_code`: a person logs in with a browser.
    #[default]
    Code,
    /// `client_credentials`: this program is the client, and authenticates with its secret.
    Secret,
    /// `client_credentials`: as [`Grant::Secret`], but with an assertion signed by its private key (RFC 7523,
    /// `private_key_jwt`).
    Key(PrivateKey),
    /// `jwt_bearer`: the platform that this program runs on vouches for it, with a JWT in this file (RFC 7523). The
    /// file is read again for each token; its path is relative to the directory of the host.
    Assertion(PathBuf),
    /// `token_exchange`: the identity provider of an enterprise vouches for a person that has logged in there
    /// (SEP-990).
    Exchange(IdentityProvider),
}

/// An identity provider that vouches for a person at the authorisation servers of others.
#[derive(Clone, PartialEq, Eq)]
pub struct IdentityProvider {
    /// The endpoint that exchanges tokens (RFC 8693): encrypted, or on this machine.
    pub token_endpoint: Url,
    /// The id of this program, as registered there.
    pub client_id: String,
    /// The secret of this program, if it has one.
    pub client_secret: Option<Secret>,
    /// A file with the person's identity token, a JWT that a login at the provider writes and renews. It is read again
    /// for each token; its path is relative to the directory of the host.
    pub id_token: PathBuf,
}

/// The private key of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateKey {
    /// An unencrypted PEM file with an RSA, EC (P-256, P-384) or Ed25519 key; relative to the directory of the host.
    pub file: PathBuf,
    /// The signature algorithm; `None` for one that the key allows and the authorisation server supports.
    pub algorithm: Option<Algorithm>,
    /// The key id at the authorisation server (`kid`).
    pub id: Option<String>,
}

/// A signature algorithm of JSON Web Algorithms (RFC 7518).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// ECDSA with P-256 and SHA-256.
    Es256,
    /// ECDSA with P-384 and SHA-384.
    Es384,
    /// Ed25519.
    EdDsa,
    /// RSA, PKCS #1 v1.5, SHA-256.
    Rs256,
    /// RSA, PKCS #1 v1.5, SHA-384.
    Rs384,
    /// RSA, PKCS #1 v1.5, SHA-512.
    Rs512,
    /// RSA, PSS, SHA-256.
    Ps256,
    /// RSA, PSS, SHA-384.
    Ps384,
    /// RSA, PSS, SHA-512.
    Ps512,
}

impl Grant {
    /// Returns the value of `grant` for it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Grant::Code => "authorization_code",
            Grant::Secret | Grant::Key(_) => "client_credentials",
            Grant::Assertion(_) => "jwt_bearer",
            Grant::Exchange(_) => "token_exchange",
        }
    }

    /// Returns whether a person has to log in with a browser.
    #[must_use]
    pub(crate) fn wants_person(&self) -> bool {
        match self {
            Grant::Code => true,
            Grant::Secret | Grant::Key(_) | Grant::Assertion(_) | Grant::Exchange(_) => false,
        }
    }
}

impl fmt::Debug for IdentityProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdentityProvider")
            .field("token_endpoint", &shown_url(&self.token_endpoint))
            .field("client_id", &self.client_id)
            .field("client_secret", &self.client_secret)
            .field("id_token", &self.id_token)
            .finish()
    }
}

impl Algorithm {
    /// All algorithms; of those that a key supports, the first accepted one is used.
    pub const ALL: [Self; 9] = [
        Self::Es256,
        Self::Es384,
        Self::EdDsa,
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
    ];

    /// Returns the name of the algorithm, as in `ES256`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::EdDsa => "EdDSA",
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
        }
    }

    /// Returns the algorithm of this name. `none`, and those that sign with a secret, are not supported.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.name() == name)
    }
}
