//! Properties that agents, skills and commands share: their owner, and the model they want.

use becket_model::Source;
use std::fmt;

/// The model that a definition asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ModelChoice {
    /// The model of its user.
    #[default]
    Inherit,
    /// The model of that name, as [`becket_llm::Models`] knows it.
    Named(String),
}

impl ModelChoice {
    /// Reads a name; `inherit` is not a name.
    pub(crate) fn of(name: Option<String>) -> Self {
        name.filter(|name| name != "inherit").map_or(Self::Inherit, Self::Named)
    }
}

/// Owner of a definition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Whose {
    /// The program's own.
    BuiltIn,
    /// That of a source of the configuration.
    Source(Source),
}

impl Whose {
    /// Returns whether it came with the repository, so that its grants wait for trust in the folder (G3).
    pub(crate) fn is_of_project(&self) -> bool {
        matches!(self, Self::Source(Source::Project | Source::Local))
    }
}

impl fmt::Display for Whose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built-in"),
            Self::Source(source) => source.fmt(f),
        }
    }
}
