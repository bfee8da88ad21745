//! The decision of permission rules about one tool call (protocol.md P4–P12, D3).
//!
//! Only rules count here: permission modes, hooks and people come later. Without a rule the decision is *undecided*,
//! never *allowed*.
//!
//! INVARIANT: a deny that matches is never outvoted, and an allow covers the whole of a call or none of it.

mod allow;
mod applies;
mod call;
mod compiled;
mod directories;
mod executed;
mod file_uri;
mod read_pattern;
mod removal;
mod restrict;
mod set;
mod uses;
mod warning;

pub use applies::Applies;
pub use call::{Call, Scope};
pub use file_uri::resource_paths;
pub use removal::{critical_removal, critical_removal_in, may_remove};
pub use set::{Behavior, Decision, RuleEntry, RuleList, RuleOrigin, RuleSet};
pub use uses::EditedFile;
pub use warning::RuleWarning;
