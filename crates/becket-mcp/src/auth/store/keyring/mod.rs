//! Tokens in the keyring of the system (feature `keyring`).

mod access;
mod mark;
mod name;
mod platform;
mod store;
mod worker;

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;

pub use store::KeyringStore;
