//! `becket replay`

use clap::Args;
use std::path::PathBuf;

/// `becket replay`
#[derive(Debug, Args)]
#[command(
    after_long_help = "Calls are never executed. Hooks run in a scratch copy of the project, without the network, and write \
nowhere else.

Examples:
  becket replay
  becket replay ~/.claude/projects --settings new.json
  becket replay session.jsonl --settings new.json --bisect
  becket replay --keep 5

Exit codes: 0 everything is decided as recorded (with --settings: as before), 1 something is not, 2 it could not be
replayed."
)]
pub(crate) struct ReplayArgs {
    /// Transcripts of Claude Code or Becket, rollouts of Codex, or directories with any of them below; default: those of
    /// this project in `~/.claude/projects`
    pub(crate) paths: Vec<PathBuf>,
    /// Find the change of the settings behind each difference; needs `--settings`, whose file stands in for the settings
    /// file of the project here
    #[arg(long)]
    pub(crate) bisect: bool,
    /// Write up to N calls that differ as cases into a new file of `.claude/tests`
    #[arg(long, value_name = "N")]
    pub(crate) keep: Option<usize>,
    /// Run hooks even if they can't be confined: they may write anywhere, use the network and end processes
    #[arg(long)]
    pub(crate) unconfined: bool,
    /// The number of transcripts that are replayed at the same time; default: twice the number of processors
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) jobs: Option<u16>,
}
