//! Tests of agent hooks, as the configuration of a project runs them, and replays of recorded sessions ([`replay`]).
//!
//! A [`Case`] is one or more events in a throw-away copy of the project, with expectations for each. Cases come from
//! files ([`case_file`]) and from comments in the hooks ([`comment`]). The [`Runner`] fires their events through the
//! engine and keeps a [`CaseRecord`] of each: plan, runs, verdict. Everything else reads that record: [`check`]
//! compares it with the expectations, [`coverage`] counts the results for the configuration, [`mutation`] repeats a
//! case with one handler broken and looks for the case that notices.
//!
//! Nothing here prints, reads the environment, or changes a hook, a case file or the project.

pub mod accept;
mod breakage;
pub mod case;
pub mod case_file;
mod case_text;
pub mod check;
pub mod comment;
pub mod coverage;
pub mod handler_key;
pub mod handler_name;
pub mod mutant;
pub mod mutation;
mod owned_directory;
pub mod pattern;
pub mod profile;
pub mod project;
pub mod replay;
pub mod runner;
pub mod samples;
pub mod suite;
pub mod transcript;

pub use case::{Case, CaseOrigin, ExpectedOutcome, Step};
pub use runner::{CaseRecord, CaseResult, Runner, Subject};
pub use suite::Suite;
