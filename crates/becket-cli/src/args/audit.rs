//! The arguments of `becket audit`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `becket audit`
#[derive(Debug, Args)]
#[command(
    after_long_help = "The setting `audit` (`\"on\"`, and in managed files `\"required\"`) records every verdict.

Examples:
  becket audit show --blocked
  becket audit verify --key audit.pub

Exit codes: 0 the log is whole, 1 it is not, 2 it can't be read, or wrong usage."
)]
pub(crate) struct AuditArgs {
    #[command(subcommand)]
    pub(crate) command: AuditCommand,
}

/// The selection of the log.
#[derive(Debug, Clone, Args)]
pub(crate) struct AuditedLog {
    /// The current file of the log; default: that of the settings and this user
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// The commands of `becket audit`.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Show recorded verdicts
    Show(AuditShowArgs),
    /// Verify the chain of records and the signed checkpoints
    Verify(AuditVerifyArgs),
    /// Sign a checkpoint of the last record, and keep it in a second place; for a user who owns the key
    Checkpoint(AuditCheckpointArgs),
    /// Make a key for checkpoints, or show the public one
    #[command(after_long_help = "Examples:
  becket audit key new audit.key > audit.pub
  becket audit key show audit.key

Exit codes: 0 done, 2 an error, or wrong usage.")]
    Key {
        #[command(subcommand)]
        command: AuditKeyCommand,
    },
}

/// `becket audit show`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket audit show
  becket audit show --blocked --last 100
  becket audit show --would-have

Exit codes: 0 shown, 2 the log can't be read, or wrong usage.")]
pub(crate) struct AuditShowArgs {
    #[command(flatten)]
    pub(crate) log: AuditedLog,
    /// Show what hooks in observation would have done, by hook and effect
    #[arg(long)]
    pub(crate) would_have: bool,
    /// Only verdicts that blocked something
    #[arg(long, conflicts_with = "would_have")]
    pub(crate) blocked: bool,
    /// Only this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// The last N verdicts
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "would_have")]
    pub(crate) last: usize,
}

/// `becket audit verify`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket audit verify
  becket audit verify --file audit.jsonl --key audit.pub --checkpoints /mnt/kept/checkpoints.jsonl

Exit codes: 0 the log is whole, 1 it is not, 2 it can't be read, or wrong usage.")]
pub(crate) struct AuditVerifyArgs {
    #[command(flatten)]
    pub(crate) log: AuditedLog,
    /// The public key of checkpoints, as a file or as its 64 digits
    #[arg(long, value_name = "FILE|DIGITS")]
    pub(crate) key: Option<String>,
    /// Checkpoints of the second place; default: those of the settings
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoints: Option<PathBuf>,
}

/// `becket audit checkpoint`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket audit checkpoint --key /root/audit.key --to /mnt/kept

Exit codes: 0 signed, or the log has no record, 1 the log is not whole, 2 an error, or wrong usage.")]
pub(crate) struct AuditCheckpointArgs {
    #[command(flatten)]
    pub(crate) log: AuditedLog,
    /// The file of the signing key
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// The directory of checkpoints
    #[arg(long, value_name = "DIR")]
    pub(crate) to: PathBuf,
}

/// The commands of `becket audit key`.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditKeyCommand {
    /// Make a signing key in FILE, which must not exist yet, and print the public one
    #[command(after_long_help = "Examples:
  becket audit key new audit.key > audit.pub

Exit codes: 0 done, 2 an error, or wrong usage.")]
    New {
        /// The file
        file: PathBuf,
    },
    /// Print the public key of the signing key in FILE
    #[command(after_long_help = "Examples:
  becket audit key show audit.key

Exit codes: 0 done, 2 an error, or wrong usage.")]
    Show {
        /// The file
        file: PathBuf,
    },
}
