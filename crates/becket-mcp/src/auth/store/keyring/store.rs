//! A token store over a keyring and a file.
//!
//! The file is that of [`FileStore`], and so are the locks: programs with and without this feature exclude each other.
//! Tokens that are in the file stay there, and are renewed there, until the next login.
//!
//! INVARIANT: a keyring that can't be read is an error, never "no tokens".

use std::path::PathBuf;
use std::time::Duration;

use super::access::Access;
use super::mark::Mark;
use super::name::Name;
use super::worker::{LIMIT, Worker};
use crate::auth::key::Key;
use crate::auth::private::FileError;
use crate::auth::store::file::blocking;
use crate::auth::store::wire::{Entries, FORMAT, Wrong};
use crate::auth::store::{FileStore, Guard, KeyringError, StoreError, TokenLocation, TokenStore};
use crate::auth::tokens::Tokens;
use crate::host::BoxFuture;

/// The time limit on a renewal by another process: longer than its request and its keyring operations can take.
const RENEWAL: Duration = Duration::from_secs(180);

/// Tokens in the keyring of the system: the Secret Service on Linux, the keychain of macOS, the credentials of
/// Windows.
///
/// It complements a file of tokens, as used by [`FileStore`]. Tokens in that file remain in use, and are renewed there;
/// a login moves its server to the keyring. For each server whose tokens are in the keyring there is a small marker
/// file without secrets: the keyring is accessed for those servers only. A logout deletes both.
///
/// A keyring may ask its user for a password, so it has a thread of its own and a limit of a minute.
#[derive(Debug, Clone)]
pub struct KeyringStore {
    file: FileStore,
    worker: Worker,
}

impl KeyringStore {
    /// Creates the store for this token file. Nothing is read or created yet, and the keyring is not accessed.
    #[must_use]
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self::over(file, Worker::new(LIMIT, Access::of_system))
    }

    pub(super) fn over(file: impl Into<PathBuf>, worker: Worker) -> Self {
        Self { file: FileStore::new(file), worker }
    }

    fn name(&self, key: &Key) -> Name {
        Name::of(self.file.path(), key)
    }

    /// Runs an operation on the marker of a server.
    async fn mark<T: Send + 'static>(
        &self,
        key: &Key,
        deed: impl FnOnce(&Mark) -> Result<T, FileError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let mark = Mark::of(&self.file, key);
        blocking(move || Ok(deed(&mark)?)).await
    }

    async fn loaded(&self, key: &Key) -> Result<Option<Tokens>, StoreError> {
        if let Some(tokens) = self.file.load(key).await? {
            return Ok(Some(tokens));
        }
        if !self.mark(key, Mark::is_set).await? {
            return Ok(None);
        }
        let name = self.name(key);
        let entry = name.clone();
        let Some(bytes) = self.worker.run(move |keyring| keyring.get(&entry)).await? else {
            return Ok(None);
        };
        Ok(Some(read(&bytes, key, name)?))
    }

    async fn tried(&self) -> Result<(), StoreError> {
        let name = Name::of_try(self.file.path());
        let tried = self.worker.run(move |keyring| {
            keyring.set(&name, b"yes")?;
            keyring.remove(&name)
        });
        Ok(tried.await?)
    }

    async fn kept(&self, key: &Key, tokens: Tokens) -> Result<TokenLocation, StoreError> {
        let (name, mut entries, of) = (self.name(key), Entries::default(), key.clone());
        entries.set(key, &tokens);
        let was_set = self.mark(key, Mark::is_set).await?;
        self.mark(key, move |mark| mark.set(&of)).await?;
        let bytes = entries.write_narrow();
        match self.worker.run(move |keyring| keyring.set(&name, &bytes)).await {
            Ok(()) => {}
            // The operation may still happen.
            Err(error @ KeyringError::Silent { .. }) => return Err(error.into()),
            Err(error) => {
                if !was_set {
                    self.mark(key, Mark::clear).await?;
                }
                return Err(error.into());
            }
        }
        self.file.remove(key).await?;
        Ok(TokenLocation::Keyring)
    }

    async fn removed(&self, key: &Key) -> Result<(), StoreError> {
        // The keyring comes first: if it is not available, nothing has changed.
        if self.mark(key, Mark::is_set).await? {
            let name = self.name(key);
            self.worker.run(move |keyring| keyring.remove(&name)).await?;
            self.mark(key, Mark::clear).await?;
        }
        self.file.remove(key).await
    }
}

impl TokenStore for KeyringStore {
    fn load<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Tokens>, StoreError>> {
        Box::pin(self.loaded(key))
    }

    fn ready<'a>(&'a self, _key: &'a Key) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.tried())
    }

    fn save<'a>(&'a self, key: &'a Key, tokens: Tokens) -> BoxFuture<'a, Result<TokenLocation, StoreError>> {
        Box::pin(self.kept(key, tokens))
    }

    fn renew<'a>(&'a self, key: &'a Key, tokens: Tokens) -> BoxFuture<'a, Result<TokenLocation, StoreError>> {
        Box::pin(async move {
            match self.file.load(key).await? {
                Some(_) => self.file.save(key, tokens).await,
                None => self.kept(key, tokens).await,
            }
        })
    }

    fn remove<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(self.removed(key))
    }

    fn guard<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Guard, StoreError>> {
        Box::pin(self.file.guarded(key, RENEWAL))
    }
}

/// Parses the tokens of an entry. An entry with the tokens of another server is rejected.
fn read(bytes: &[u8], key: &Key, Name { label, .. }: Name) -> Result<Tokens, KeyringError> {
    let read = Entries::read(bytes)
        .and_then(|entries| entries.get(key).ok_or(Wrong::Damaged { line: 0, column: 0 }));
    read.map_err(|wrong| match wrong {
        Wrong::Newer(found) => KeyringError::Newer { label, found, known: FORMAT },
        Wrong::Damaged { line, column } => KeyringError::Damaged { label, line, column },
    })
}
