//! Names of keyring entries.
//!
//! INVARIANT: stores over different files never share an entry, as their processes do not exclude each other.

use becket_base::text::hex;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::auth::key::Key;
use crate::auth::remote_text::line;

/// The service of all entries.
pub(super) const SERVICE: &str = "becket-mcp";

/// A keyring entry, with its id and its label.
#[derive(Debug, Clone)]
pub(super) struct Name {
    /// The id: 64 hexadecimal digits.
    pub(super) id: String,
    /// The label that the keyring displays, if it supports labels.
    pub(super) label: Arc<str>,
}

impl Name {
    /// Returns the entry of a server, for the store over a file.
    pub(super) fn of(file: &Path, key: &Key) -> Self {
        let label = format!("Becket: login of the MCP server {} ({})", line(key.server()), line(key.url()));
        Self { id: digits(&[file.as_os_str().as_encoded_bytes(), key.id().as_bytes()]), label: label.into() }
    }

    /// Returns the entry that is used to test a keyring.
    pub(super) fn of_try(file: &Path) -> Self {
        let id = digits(&[file.as_os_str().as_encoded_bytes(), b"try"]);
        Self { id, label: "Becket: whether something can be kept".into() }
    }
}

fn digits(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hex(&hash.finalize())
}
