//! `becket profile`

use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// `becket profile`
#[derive(Debug, Args)]
#[command(
    after_long_help = "The time of each hook is recorded if the variable BECKET_PROFILE is 1, or names a directory: by `becket run`, \
`serve`, `fire` and `test`. The setting `hookBudget` is the time that hooks may take, in milliseconds: a number, or an object \
with a number for each event.

Examples:
  BECKET_PROFILE=1 becket test && becket profile
  becket profile --transcripts ~/.claude/projects --html profile.html
  becket profile --budget 50ms

Exit codes: 0 a profile, 1 a hook is over its budget, 2 there is nothing to show, or it can't be read."
)]
pub(crate) struct ProfileArgs {
    /// Files of records; default: that of this project
    pub(crate) files: Vec<PathBuf>,
    /// Show the records of all projects
    #[arg(long, conflicts_with_all = ["files", "transcripts"])]
    pub(crate) all: bool,
    /// Read transcripts instead, as far as they have times: files, or directories with any of them below
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "files")]
    pub(crate) transcripts: Vec<PathBuf>,
    /// Write a page with tables, distributions and a timeline to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write a trace for Perfetto or `chrome://tracing` to FILE
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Exit with 1 if 5 of 100 runs of a hook take longer than TIME, such as `50ms` or `2s`; default: the setting `hookBudget`
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) budget: Option<Duration>,
}

fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, 1_000.0),
        None => (text.strip_suffix('s').unwrap_or(text), 1.0),
    };
    let has_unit = text.ends_with('s');
    let number: Option<f64> = number.trim().parse().ok().filter(|_| has_unit);
    let time = number.and_then(|number| Duration::try_from_secs_f64(number / unit).ok());
    time.ok_or_else(|| "write a number with its unit, such as `50ms` or `2s`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_a_number_and_a_unit() {
        for (text, milliseconds) in [("50ms", 50), ("2s", 2_000), ("0.5s", 500), ("1 ms", 1)] {
            assert_eq!(time(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "50", "ms", "-1s", "NaNs", "infs", "1e99s", "2m", "2 sec"] {
            assert!(time(text).is_err_and(|why| why.contains("50ms")), "{text}");
        }
    }
}
