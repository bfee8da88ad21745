//! What rules say of one tool call (protocol.md P4–P12, D3).
//!
//! It decides by rules alone: permission modes, hooks and people come after. Without a rule it says *undecided*, and
//! never that a call may run.
//!
//! INVARIANT: a deny that matches is never outvoted, and an allow covers the whole of a call or none of it.

mod allow;
mod applies;
mod call;
mod compiled;
mod directories;
mod removal;
mod restrict;
mod set;
mod uses;
mod warning;

pub use applies::Applies;
pub use call::{Call, Scope};
pub use removal::critical_removal;
pub use set::{Behavior, Decision, RuleEntry, RuleList, RuleOrigin, RuleSet};
pub use warning::RuleWarning;
