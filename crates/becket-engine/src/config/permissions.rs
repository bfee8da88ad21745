//! Permission rules, directories and modes as the whole configuration has them, each with its origin. What a rule
//! says of a call is decided by `becket_rules`.

use crate::config::handler::Location;
use becket_model::Source;
use becket_model::event::PermissionMode;
pub use becket_rules::RuleList;
use std::path::PathBuf;
use std::sync::Arc;

/// One permission rule and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSource {
    /// Which list it stands in.
    pub list: RuleList,
    /// Its text, which `becket_rules` has parsed once without an error.
    pub text: Arc<str>,
    /// Whose file it is.
    pub source: Source,
    /// Where it is written.
    pub location: Location,
    /// The directory that `/p` in it starts from (P7).
    pub anchor: PathBuf,
}

/// A directory beside the working directory in which a session may work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdditionalDirectory {
    /// The directory, absolute.
    pub path: PathBuf,
    /// Whose file it is.
    pub source: Source,
    /// Where it is written.
    pub location: Location,
}

/// The mode in which a session starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultMode {
    /// The mode.
    pub mode: PermissionMode,
    /// Whose file says so.
    pub source: Source,
    /// Where it is written.
    pub location: Location,
}
