//! Properties that agents, skills and commands share: their owner, and the model that they request.

use becket_model::Source;
use std::fmt;

/// The model that a definition requests.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ModelChoice {
    /// The model of the agent loop that uses the definition.
    #[default]
    Inherit,
    /// The model with this name, as resolved by [`becket_llm::Models`].
    Named(String),
}

impl ModelChoice {
    /// Reads a name; `inherit` is not a name.
    pub(crate) fn of(name: Option<String>) -> Self {
        name.filter(|name| name != "inherit").map_or(Self::Inherit, Self::Named)
    }
}

/// The owner of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum DefinitionOwner {
    /// Becket itself.
    BuiltIn,
    /// A source of the configuration.
    Source(Source),
}

impl DefinitionOwner {
    /// Returns whether the definition came with the repository, so that its grants require trust in the folder (G3).
    pub(crate) fn is_of_project(&self) -> bool {
        matches!(self, Self::Source(Source::Project | Source::Local))
    }
}

impl fmt::Display for DefinitionOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built-in"),
            Self::Source(source) => source.fmt(f),
        }
    }
}
