//! What a prompt means beside its words: commands that the user typed, files and resources that it names.

use becket_engine::CancellationToken;
use becket_llm::Block;
use becket_model::Session;
use futures_util::future::BoxFuture;

/// Knows commands and mentions.
pub trait Expand: Send + Sync {
    /// What a prompt is. Asked before any hook sees it.
    fn find(&self, session: &Session, prompt: &str) -> Found;

    /// What a command becomes, once its hooks have let it pass.
    ///
    /// # Errors
    /// Why it becomes nothing, for the user; then the prompt is rejected.
    fn body<'a>(
        &'a self,
        session: &'a Session,
        typed: &'a Typed,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<Block>, String>>;

    /// What stands beside a prompt that is no command: the files and resources that it mentions, one text each.
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

/// What a prompt is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Words for the model.
    Words,
    /// A command.
    Command(Typed),
    /// It looks like a command, and is none.
    Unknown {
        /// For the user: what there is.
        why: String,
    },
}

/// A command that the user typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// Where it comes from.
    pub kind: CommandKind,
    /// Its name, without the slash.
    pub name: String,
    /// What follows it, as typed.
    pub args: String,
    /// Where it is defined, as events say it.
    pub source: Option<String>,
}

/// Where a command comes from.
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
