//! The arguments of `becket self`.

use clap::{Args, Subcommand};

/// `becket self`
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:
  becket self version
  becket self update

Exit codes: 0 done, 1 an error, 2 wrong usage.")]
pub(crate) struct SelfArgs {
    #[command(subcommand)]
    pub(crate) command: SelfCommand,
}

/// The commands about this copy of becket.
#[derive(Debug, Subcommand)]
pub(crate) enum SelfCommand {
    /// Show version and target of this copy, how it was installed, and where its programs are
    #[command(after_long_help = "Examples:
  becket self version
  becket --json self version

Exit codes: 0 shown, 1 an error, 2 wrong usage.")]
    Version,
    /// Replace the programs that `install.sh` has installed with those of a release
    Update(SelfUpdateArgs),
}

/// `becket self update`
#[derive(Debug, Args)]
#[command(disable_version_flag = true)]
#[command(after_long_help = "Examples:
  becket self update --check
  becket self update
  becket self update 0.2.0

The archive of the release is downloaded, its SHA-256 sum is verified, and its program is tried. Only then both programs are
replaced, each by a rename; an update that is interrupted in between is finished by the next one. A copy that a package manager
has installed is left alone, and the command to use instead is named.

Exit codes: 0 updated, or nothing newer, 1 nothing was changed; with --check: there is a newer release, 2 wrong usage; with
--check: it is not known.")]
pub(crate) struct SelfUpdateArgs {
    /// The release, such as 0.2.0; by default the latest. A named one may be older than this copy
    pub(crate) version: Option<semver::Version>,
    /// Only check whether there is a newer release
    #[arg(long, conflicts_with = "version")]
    pub(crate) check: bool,
    /// Another source of releases: a mirror, or a directory as file:///…; by default BECKET_RELEASES_URL, or the
    /// project's own
    #[arg(long, value_name = "URL")]
    pub(crate) releases: Option<String>,
}
