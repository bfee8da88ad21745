//! Keyring operations, with errors converted to ours.
//!
//! They block for as long as the keyring takes: see [`super::worker`].
//!
//! INVARIANT: no error contains a secret. Secrets in the keyring's own errors are dropped.

use std::collections::HashMap;
use std::sync::Arc;

use keyring_core::{CredentialStore, Entry, Error};

use super::name::{Name, SERVICE};
use super::platform;
use crate::auth::remote_text::line;
use crate::auth::store::KeyringError;

/// Opens a keyring.
pub(super) type Open = Arc<dyn Fn() -> keyring_core::Result<Arc<CredentialStore>> + Send + Sync>;

/// A keyring that is opened when it is needed.
pub(super) struct Access {
    open: Open,
    labels: bool,
    store: Option<Arc<CredentialStore>>,
}

impl Access {
    pub(super) fn new(open: Open, labels: bool) -> Self {
        Self { open, labels, store: None }
    }

    /// Returns the keyring of this system.
    pub(super) fn of_system() -> Self {
        Self::new(Arc::new(platform::open), platform::LABELS)
    }

    /// Returns the content of an entry; `None` if there is no entry.
    pub(super) fn get(&mut self, name: &Name) -> Result<Option<Vec<u8>>, KeyringError> {
        self.with(name, |entry| match entry.get_secret() {
            Err(Error::NoEntry) => Ok(None),
            got => got.map(Some),
        })
    }

    pub(super) fn set(&mut self, name: &Name, bytes: &[u8]) -> Result<(), KeyringError> {
        self.with(name, |entry| entry.set_secret(bytes))
    }

    /// Removes an entry, if there is one.
    pub(super) fn remove(&mut self, name: &Name) -> Result<(), KeyringError> {
        self.with(name, |entry| match entry.delete_credential() {
            Err(Error::NoEntry) => Ok(()),
            done => done,
        })
    }

    /// Runs an operation on an entry. Every operation is idempotent.
    fn with<T>(
        &mut self,
        name: &Name,
        deed: impl Fn(&Entry) -> keyring_core::Result<T>,
    ) -> Result<T, KeyringError> {
        let label = HashMap::from([("label", &*name.label)]);
        let label = self.labels.then_some(&label);
        let done = |store: &CredentialStore| deed(&store.build(SERVICE, &name.id, label)?);
        if let Some(store) = self.store.take() {
            match done(&*store) {
                // The connection may be broken: it is reopened once.
                Err(Error::PlatformFailure(_)) => {}
                done => {
                    self.store = Some(store);
                    return done.map_err(|error| mapped(error, name));
                }
            }
        }
        let store = (self.open)().map_err(|error| KeyringError::Absent { why: why(&error) })?;
        let done = done(&*store).map_err(|error| mapped(error, name));
        self.store = Some(store);
        done
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
fn mapped(error: Error, name: &Name) -> KeyringError {
    match error {
        Error::NoStorageAccess(_) => KeyringError::Locked { why: why(&error) },
        Error::TooLong(_, most) => KeyringError::TooLong { most },
        Error::Ambiguous(entries) => {
            KeyringError::Ambiguous { label: Arc::clone(&name.label), count: entries.len() }
        }
        Error::BadEncoding(_) | Error::BadDataFormat(..) => {
            KeyringError::Damaged { label: Arc::clone(&name.label), line: 0, column: 0 }
        }
        other => KeyringError::Refused { why: why(&other) },
    }
}

/// Describes an error, without the parts that may contain a secret.
#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
fn why(error: &Error) -> String {
    match error {
        Error::PlatformFailure(cause) | Error::NoStorageAccess(cause) => line(&cause.to_string()),
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "its content is invalid".to_owned(),
        Error::Ambiguous(_) => "there are several entries instead of one".to_owned(),
        other => line(&other.to_string()),
    }
}
