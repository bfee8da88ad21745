//! The dialect of definitions: directories, variables, and former names of tools.

use becket_engine::Profile;
use becket_engine::config::Request;
use becket_rules::Renames;

/// The inputs for reading the hooks and names of a definition.
#[derive(Debug, Clone)]
pub struct Dialect {
    pub(crate) profile: Profile,
    /// The other names of tools (M7).
    pub(crate) tools: Renames,
}

impl Dialect {
    /// Creates the dialect of a configuration.
    #[must_use]
    pub fn of(request: &Request) -> Self {
        Self { profile: request.profile.clone(), tools: request.tools.clone() }
    }
}
