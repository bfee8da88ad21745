//! The reasons why a session can't be assembled.

use becket_llm::ModelError;

/// The reason why a session can't be assembled. Nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum AssemblyError {
    /// An agent of the host's own is invalid.
    #[error("{0}")]
    InvalidAgents(String),
    /// There is no agent with the name that the session is to work as.
    #[error("{0}")]
    UnknownAgent(String),
    /// The model of the session is not available.
    #[error("{0}")]
    NoModel(#[from] ModelError),
}
