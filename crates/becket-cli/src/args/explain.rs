//! `becket explain`

use super::EventFields;
use clap::Args;
use std::path::PathBuf;

/// `becket explain`
#[derive(Debug, Args)]
#[command(after_long_help = "No hook runs.

Examples:
  becket explain PreToolUse --tool Bash --input '{\"command\": \"git push\"}'
  becket explain --call toolu_01A09RqR6ZVwYM5hBnTwGhJe
  becket explain --call toolu_01A09RqR6ZVwYM5hBnTwGhJe --transcript session.jsonl

Exit codes: 0 shown, 1 no session can start with the configuration, 2 wrong usage.")]
pub(crate) struct ExplainArgs {
    /// The event
    #[arg(required_unless_present = "call")]
    pub(crate) event: Option<String>,
    #[command(flatten)]
    pub(crate) fields: EventFields,
    /// Explain a tool call of a past session: what its transcript records of hooks, and what would run today
    #[arg(long, value_name = "TOOL_USE_ID", conflicts_with_all = ["event", "tool", "input", "set", "mode", "session"])]
    pub(crate) call: Option<String>,
    /// The transcript of the call, or a directory of transcripts; default: those of this project in `~/.claude/projects`
    #[arg(long, value_name = "PATH", requires = "call")]
    pub(crate) transcript: Vec<PathBuf>,
}
