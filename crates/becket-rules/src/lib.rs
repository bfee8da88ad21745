//! The matching behind hooks and permission rules: matchers, rules, path patterns and the analysis of shell commands.
//!
//! Everything here is pure: no process, no file, no clock, no environment. The one thing a verdict may need from the
//! file system, the target of a link, comes through the trait [`Links`].
//!
//! Answers are three-valued where text alone can't decide: match, no match, unknown. An unknown result is never read as
//! *no match*: a guard runs, and no permission is granted.

mod domain;
mod endpoint;
mod matcher;
mod parameter;
mod path;
mod permission;
mod rule;
mod steps;
mod update;
mod wildcard;

pub mod powershell;
pub mod shell;
pub mod tools;

pub use endpoint::{Endpoint, EndpointPattern, EndpointPatternError, Host};
pub use matcher::{Alphabet, Matcher, MatcherError, MatcherKind, Renames, Verdict, watch_names};
pub use path::{Links, NoLinks};
pub use permission::{
    Applies, Behavior, Call, Decision, EditedFile, RuleEntry, RuleList, RuleOrigin, RuleSet, RuleWarning,
    Scope, critical_removal, critical_removal_in, may_remove, resource_paths,
};
pub use rule::{Condition, Rule, RuleError, RuleErrorKind};
pub use update::{Change, Destination, Mode, PermissionUpdate, UpdateError};

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
