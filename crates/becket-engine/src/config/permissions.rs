//! Permission rules, directories and modes of the whole configuration, each with its origin. `becket_rules` applies the
//! rules to a call.

use crate::config::handler::Location;
use becket_model::Source;
use becket_model::event::PermissionMode;
pub use becket_rules::RuleList;
use std::path::PathBuf;
use std::sync::Arc;

/// One permission rule and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleSource {
    /// The list that it is in.
    pub list: RuleList,
    /// Its text, which `becket_rules` has parsed once without an error.
    pub text: Arc<str>,
    /// The source that the file belongs to.
    pub source: Source,
    /// The position of its definition.
    pub location: Location,
    /// The directory that `/p` in it starts from (P7).
    pub anchor: PathBuf,
}

/// A directory in addition to the working directory in which a session may work.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AdditionalDirectory {
    /// The directory, absolute.
    pub path: PathBuf,
    /// The source that the file belongs to.
    pub source: Source,
    /// The position of its definition.
    pub location: Location,
}

/// The mode in which a session starts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DefaultMode {
    /// The mode.
    pub mode: PermissionMode,
    /// The source that the file belongs to.
    pub source: Source,
    /// The position of its definition.
    pub location: Location,
}
