//! Expansion of prompts: typed commands, and the files and resources that a prompt mentions.

use becket_engine::CancellationToken;
use becket_llm::Block;
use becket_model::Session;
use futures_util::future::BoxFuture;

/// Resolves commands and mentions.
pub trait Expand: Send + Sync {
    /// Returns the kind of a prompt. Called before any hook sees it.
    fn find(&self, session: &Session, prompt: &str) -> PromptKind;

    /// Returns the text of a command, after its hooks have allowed it.
    ///
    /// # Errors
    /// Errors with a reason for the user; the prompt is then rejected.
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
        words: &'a PromptTexts,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Vec<String>> {
        let _ = (session, words, cancel);
        Box::pin(std::future::ready(Vec::new()))
    }

    /// Reloads the commands (`reloadSkills`).
    fn reload(&self) {}

    /// Called at the end of a turn, however it ended: revokes the grants of its commands.
    fn turn_ended(&self) {}

    /// Called at the end of the session, after its hooks have run: removes everything that commands have left behind.
    fn session_ended(&self) {}

    /// Returns the names of all commands, without their slash.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The texts of a prompt, by their origin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PromptTexts {
    /// The first text, written by the user.
    pub own: String,
    /// The texts after it: material that the user has passed in, such as piped input. Its mentions are limited to the
    /// working directories.
    pub beside: String,
}

/// The kind of a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PromptKind {
    /// Text for the model.
    Text,
    /// A command.
    Command(TypedCommand),
    /// A text that looks like a command, but is not one.
    Unknown {
        /// The message for the user, with the available commands.
        why: String,
    },
}

/// A command that the user typed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TypedCommand {
    /// The kind of the command's source.
    pub kind: CommandKind,
    /// The name of the command, without the slash.
    pub name: String,
    /// The arguments as typed.
    pub args: String,
    /// The origin of the command's definition, as in events.
    pub source: Option<String>,
}

/// The kind of a command's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandKind {
    /// A file: a command or a skill.
    Slash,
    /// A prompt of an MCP server.
    McpPrompt,
}

impl CommandKind {
    /// Returns the name on the wire (`expansion_type`).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Slash => "slash_command",
            Self::McpPrompt => "mcp_prompt",
        }
    }
}
