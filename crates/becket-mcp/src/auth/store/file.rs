//! A token store in one file of the user.
//!
//! It uses two kinds of locks: one for the moment in which the file is read and replaced, and one for each server,
//! which is held while its tokens are renewed.
//!
//! INVARIANT: a file that can't be parsed is never overwritten.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::wire::{Entries, FORMAT, Wrong};
use super::{Guard, StoreError, TokenLocation, TokenStore};
use crate::auth::key::Key;
use crate::auth::private;
use crate::auth::tokens::Tokens;
use crate::host::BoxFuture;

/// The time limit on the wait for the file: others hold its lock for milliseconds.
const FILE: Duration = Duration::from_secs(10);

/// The time limit on a renewal by another process: longer than its request can take.
const RENEWAL: Duration = Duration::from_secs(60);

/// A file of tokens: JSON, mode 0600, replaced as a whole.
///
/// It is used only if this user owns it and no other user has access to it; a symbolic link is refused.
#[derive(Debug, Clone)]
pub struct FileStore {
    path: Arc<Path>,
}

impl FileStore {
    /// Creates the store for this file. Nothing is read or created yet; missing directories will be created.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into().into() }
    }

    async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut Entries) -> T + Send + 'static,
    ) -> Result<T, StoreError> {
        let lock = private::lock(&private::beside(&self.path, ".lock"), FILE).await?;
        let path = Arc::clone(&self.path);
        // Runs to its end even if the caller is dropped: the lock moves into it.
        blocking(move || {
            let _lock = lock;
            let mut entries = read(&path)?;
            let answer = change(&mut entries);
            private::replace(&path, &entries.write())?;
            Ok(answer)
        })
        .await
    }

    /// Takes the guard of a server, within a time limit.
    pub(super) async fn guarded(&self, key: &Key, limit: Duration) -> Result<Guard, StoreError> {
        Ok(Guard::new(private::lock(&self.beside(key, "lock"), limit).await?))
    }

    /// Returns the path of a server's own file, beside the shared file.
    pub(super) fn beside(&self, key: &Key, ending: &str) -> PathBuf {
        private::beside(&self.path, &format!(".{}.{ending}", key.id().get(..16).unwrap_or_default()))
    }

    /// Returns the path of the shared file.
    #[cfg(feature = "keyring")]
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl TokenStore for FileStore {
    fn load<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Option<Tokens>, StoreError>> {
        let (path, key) = (Arc::clone(&self.path), key.clone());
        Box::pin(blocking(move || Ok(read(&path)?.get(&key))))
    }

    fn save<'a>(&'a self, key: &'a Key, tokens: Tokens) -> BoxFuture<'a, Result<TokenLocation, StoreError>> {
        let key = key.clone();
        Box::pin(async move {
            self.change(move |entries| entries.set(&key, &tokens)).await?;
            Ok(TokenLocation::File(Arc::clone(&self.path)))
        })
    }

    fn remove<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            if self.load(key).await?.is_none() {
                return Ok(());
            }
            let key = key.clone();
            self.change(move |entries| entries.remove(&key)).await
        })
    }

    fn guard<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Guard, StoreError>> {
        Box::pin(self.guarded(key, RENEWAL))
    }
}

fn read(path: &Path) -> Result<Entries, StoreError> {
    let Some(bytes) = private::read(path)? else { return Ok(Entries::default()) };
    Entries::read(&bytes).map_err(|wrong| match wrong {
        Wrong::Newer(found) => StoreError::Newer { path: path.to_owned(), found, known: FORMAT },
        Wrong::Damaged { line, column } => StoreError::Damaged { path: path.to_owned(), line, column },
    })
}

/// Runs work on files outside of the threads that drive connections.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(_) => Err(StoreError::Other("the runtime is shutting down".into())),
    }
}
