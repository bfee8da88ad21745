//! The interface of a token store.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::StoreError;
use crate::auth::key::Key;
use crate::auth::tokens::Tokens;
use crate::host::BoxFuture;

/// The location of stored tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenLocation {
    /// The tokens are in this file.
    File(Arc<Path>),
    /// The tokens are in the keyring of the system.
    Keyring,
    /// The tokens are in another kind of store, described here.
    Elsewhere(Arc<str>),
}

/// Returns the default store: the keyring of the system with the feature `keyring`, which moves the tokens of `file`
/// there; otherwise that file.
#[must_use]
pub fn default_store(file: PathBuf) -> Arc<dyn TokenStore> {
    #[cfg(feature = "keyring")]
    return Arc::new(super::KeyringStore::new(file));
    #[cfg(not(feature = "keyring"))]
    return Arc::new(super::FileStore::new(file));
}

/// A store that keeps tokens between runs. Several processes may use it at the same time.
pub trait TokenStore: fmt::Debug + Send + Sync + 'static {
    /// Returns the tokens of a server, if there are any.
    ///
    /// # Errors
    /// Errors if the store can't be read. That never means that there are no tokens.
    fn load<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Tokens>, StoreError>>;

    /// Checks that the tokens of a login can be stored; called before a login begins.
    ///
    /// # Errors
    /// Errors if they can't be stored.
    fn ready<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<(), StoreError>> {
        let _ = key;
        Box::pin(std::future::ready(Ok(())))
    }

    /// Stores the tokens of a login, replacing earlier ones, and returns their location. If the future is dropped,
    /// either all of them are stored or none.
    ///
    /// # Errors
    /// Errors if they could not be stored.
    fn save<'a>(&'a self, key: &'a Key, tokens: Tokens) -> BoxFuture<'a, Result<TokenLocation, StoreError>>;

    /// Stores renewed tokens: the stored ones have been used up.
    ///
    /// # Errors
    /// Errors if they could not be stored.
    fn renew<'a>(&'a self, key: &'a Key, tokens: Tokens) -> BoxFuture<'a, Result<TokenLocation, StoreError>> {
        self.save(key, tokens)
    }

    /// Deletes the tokens of a server, if there are any.
    ///
    /// # Errors
    /// Errors if they could not be deleted.
    fn remove<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Takes the guard of this server, which excludes all others, in this process and in others, until it is dropped.
    /// It is held while tokens are renewed, so `load`, `save` and `remove` must not take it themselves.
    ///
    /// # Errors
    /// Errors if another holder kept it for too long.
    fn guard<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Guard, StoreError>>;
}

/// A guard that is held while tokens are renewed.
pub struct Guard(#[expect(dead_code, reason = "kept until it is dropped")] Box<dyn Send + Sync>);

impl Guard {
    /// Wraps a value that excludes others until it is dropped.
    #[must_use]
    pub fn new(held: impl Send + Sync + 'static) -> Self {
        Self(Box::new(held))
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guard")
    }
}
