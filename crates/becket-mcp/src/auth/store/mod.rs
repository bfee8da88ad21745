//! Token stores.

mod error;
mod face;
mod file;
#[cfg(feature = "keyring")]
mod keyring;
mod keyring_error;
mod wire;

pub use error::StoreError;
pub use face::{Guard, TokenLocation, TokenStore, default_store};
pub use file::FileStore;
#[cfg(feature = "keyring")]
pub use keyring::KeyringStore;
pub use keyring_error::KeyringError;
