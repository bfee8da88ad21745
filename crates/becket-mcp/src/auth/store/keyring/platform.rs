//! The keyring of each system.
//!
//! They read the variables that locate them from the environment: on Linux `DBUS_SESSION_BUS_ADDRESS`, or
//! `XDG_RUNTIME_DIR` for the bus of the session. The code for macOS and Windows has never been compiled.

use std::sync::Arc;

use keyring_core::{CredentialStore, Result};

/// True if entries can have a label.
pub(super) const LABELS: bool = cfg!(all(unix, not(target_vendor = "apple"), not(target_os = "android")));

/// Opens the Secret Service: GNOME Keyring, KWallet, KeePassXC and others. Traffic over the bus is encrypted.
#[cfg(all(unix, not(target_vendor = "apple"), not(target_os = "android")))]
pub(super) fn open() -> Result<Arc<CredentialStore>> {
    let store: Arc<CredentialStore> = zbus_secret_service_keyring_store::Store::new()?;
    Ok(store)
}

/// Opens the keychain of the user's login.
#[cfg(target_os = "macos")]
pub(super) fn open() -> Result<Arc<CredentialStore>> {
    let store: Arc<CredentialStore> = apple_native_keyring_store::keychain::Store::new()?;
    Ok(store)
}

/// Opens the Credential Manager. It stores 2560 bytes per entry: servers with longer tokens need the file.
#[cfg(windows)]
pub(super) fn open() -> Result<Arc<CredentialStore>> {
    let store: Arc<CredentialStore> = windows_native_keyring_store::Store::new()?;
    Ok(store)
}

/// Returns an error: other systems are not supported.
#[cfg(not(any(
    windows,
    target_os = "macos",
    all(unix, not(target_vendor = "apple"), not(target_os = "android"))
)))]
pub(super) fn open() -> Result<Arc<CredentialStore>> {
    Err(keyring_core::Error::NotSupportedByStore("no keyring is supported on this system".to_owned()))
}
