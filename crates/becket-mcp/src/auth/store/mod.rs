//! Where tokens are kept.

mod error;
mod face;
mod file;
mod wire;

pub use error::StoreError;
pub use face::{Guard, TokenStore};
pub use file::FileStore;
