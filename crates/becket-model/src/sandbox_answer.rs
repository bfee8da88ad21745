//! The field `sandbox` of an answer: less than all rights for the call, in the words of the setting `sandbox` (E5).
//!
//! INVARIANT: a value that can't be read is kept as such. It may restrict anything, so the call is refused.

use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// The longest text of a grant in a sentence, in bytes.
const SHOWN: usize = 200;

/// The field `sandbox` of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SandboxAnswer {
    /// The rights of the call.
    Grant(CallSandbox),
    /// A value that can't be read.
    Unread {
        /// The reason.
        why: String,
    },
}

/// The rights of a call as a handler has written them. The default is that of the setting `sandbox` with nothing but
/// `enabled`: a command line writes below the working directories and the directory for temporary files, and has no network.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallSandbox {
    /// Files.
    #[serde(skip_serializing_if = "is_default")]
    pub filesystem: CallFiles,
    /// The network.
    #[serde(skip_serializing_if = "is_default")]
    pub network: CallNetwork,
}

/// The files of a call. A relative path starts in the working directory of the session, `~` is the home directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallFiles {
    /// Paths that can be written, beyond the usual.
    #[serde(skip_serializing_if = "is_default")]
    pub allow_write: Vec<String>,
    /// Paths that can be neither read nor written.
    #[serde(skip_serializing_if = "is_default")]
    pub deny_read: Vec<String>,
    /// Paths that can't be written.
    #[serde(skip_serializing_if = "is_default")]
    pub deny_write: Vec<String>,
}

/// The network of a call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallNetwork {
    /// Hosts that are reached, through a proxy.
    #[serde(skip_serializing_if = "is_default")]
    pub allowed_domains: BTreeSet<String>,
    /// Hosts that can't be reached, even if they are allowed.
    #[serde(skip_serializing_if = "is_default")]
    pub denied_domains: BTreeSet<String>,
    /// True if programs can listen on loopback addresses that only they can reach.
    #[serde(skip_serializing_if = "is_default")]
    pub allow_local_binding: bool,
    /// True if sockets of this machine can be opened.
    #[serde(skip_serializing_if = "is_default")]
    pub allow_all_unix_sockets: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl SandboxAnswer {
    /// Returns the reason why the value can't be read, if it can't.
    pub fn unread(&self) -> Option<&str> {
        match self {
            SandboxAnswer::Grant(_) => None,
            SandboxAnswer::Unread { why } => Some(why),
        }
    }

    /// Returns the value of the field; null if it can't be read.
    #[must_use]
    pub fn on_the_wire(&self) -> Value {
        match self {
            SandboxAnswer::Grant(grant) => serde_json::to_value(grant).unwrap_or_default(),
            SandboxAnswer::Unread { .. } => Value::Null,
        }
    }
}

/// The grant as JSON, cut if it is long.
impl fmt::Display for CallSandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self).unwrap_or_default();
        f.write_str(&becket_base::text::cut(&text, SHOWN))
    }
}

/// The field as it is written; `sandbox` alone if it can't be read.
impl fmt::Display for SandboxAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SandboxAnswer::Grant(grant) => write!(f, "`\"sandbox\": {grant}`"),
            SandboxAnswer::Unread { .. } => f.write_str("`sandbox`"),
        }
    }
}
