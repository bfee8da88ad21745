//! The meaning of a prompt beyond its words: typed commands, and the files and resources that it names.

use becket_engine::CancellationToken;
use becket_llm::Block;
use becket_model::Session;
use futures_util::future::BoxFuture;

/// Knows commands and mentions.
pub trait Expand: Send + Sync {
    /// Returns the kind of a prompt. Called before any hook sees it.
    fn find(&self, session: &Session, prompt: &str) -> PromptKind;

    /// Returns the text of a command, once its hooks have let it pass.
    ///
    /// # Errors
    /// The reason why there is no text, for the user; then the prompt is rejected.
    fn body<'a>(
        &'a self,
        session: &'a Session,
        typed: &'a TypedCommand,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<Block>, String>>;

    /// Returns the files and resources that a plain prompt mentions, one text each.
    fn mentioned<'a>(
        &'a self,
        session: &'a Session,
        words: &'a Words,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Vec<String>> {
        let _ = (session, words, cancel);
        Box::pin(std::future::ready(Vec::new()))
    }

    /// Reads its commands again (`reloadSkills`).
    fn reload(&self) {}

    /// A turn has ended, however it did: what its commands were granted goes.
    fn turn_ended(&self) {}

    /// The session has ended, and its hooks have heard of it: what its commands have left behind goes.
    fn session_ended(&self) {}

    /// The names of all commands, without their slash.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The words of a prompt, by whose they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// The first text: the user's own.
    pub own: String,
    /// Those behind it: material that the user has handed in, such as what was piped in. It reaches no further than the
    /// working directories.
    pub beside: String,
}

/// Kind of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptKind {
    /// Words for the model.
    Words,
    /// A command.
    Command(TypedCommand),
    /// It looks like a command, and is none.
    Unknown {
        /// For the user: what there is.
        why: String,
    },
}

/// A command that the user typed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TypedCommand {
    /// Kind of its source.
    pub kind: CommandKind,
    /// Its name, without the slash.
    pub name: String,
    /// Arguments as typed.
    pub args: String,
    /// Origin of its definition, as in events.
    pub source: Option<String>,
}

/// Kind of a command's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandKind {
    /// A file: a command or a skill.
    Slash,
    /// A prompt of an MCP server.
    McpPrompt,
}

impl CommandKind {
    /// The word on the wire (`expansion_type`).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Slash => "slash_command",
            Self::McpPrompt => "mcp_prompt",
        }
    }
}
