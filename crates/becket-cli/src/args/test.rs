//! The arguments of `becket test`.

use clap::{Args, ValueEnum};

/// `becket test`
#[derive(Debug, Args)]
#[command(
    after_long_help = "Cases are in .claude/tests/*.toml and becket-tests/, and in comments of the hooks:
  # becket: deny Bash git push origin main

Examples:
  becket test
  becket test push --coverage
  becket test --mutate
  becket test --accept                                # then review the diff
  becket test --format junit > report.xml

Exit codes: 0 everything passed, 1 a case failed or a mutant survived, 2 a case could not be tested."
)]
pub(crate) struct TestArgs {
    /// Only cases whose name or file contains one of these texts
    pub(crate) filter: Vec<String>,
    /// Break each hook in twelve ways, and show which of them no case notices
    #[arg(long, conflicts_with_all = ["accept", "changed"])]
    pub(crate) mutate: bool,
    /// Show which parts of each hook, matcher and `if` the cases have covered
    #[arg(long)]
    pub(crate) coverage: bool,
    /// Replace the expected values in the case files with the actual ones
    #[arg(long, conflicts_with = "watch")]
    pub(crate) accept: bool,
    /// Only cases whose file, hooks or settings differ from the last commit
    #[arg(long)]
    pub(crate) changed: bool,
    /// Test again whenever a file of the project changes
    #[arg(long)]
    pub(crate) watch: bool,
    /// Run the cases in random order; with SEED in the order of an earlier run
    #[arg(long, value_name = "SEED", num_args = 0..=1, require_equals = true)]
    pub(crate) shuffle: Option<Option<u64>>,
    /// The number of cases that run at the same time; default: twice the number of processors
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    pub(crate) jobs: Option<u16>,
    /// Format of the report; `--json` is `--format json`
    #[arg(long, value_enum, default_value_t = TestFormat::Human)]
    pub(crate) format: TestFormat,
}

/// The output format of `test`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestFormat {
    /// A line for each case, with details of those that failed
    Human,
    /// JSON, as in `becket schema test-report`
    Json,
    /// JUnit XML
    Junit,
    /// SARIF 2.1.0, on the lines of the settings
    Sarif,
}
