//! Reporters, which make no decisions: each reads a view and writes text.
//!
//! INVARIANT: text that comes from hooks, files or events reaches a terminal only through [`style::plain`], so that it
//! can't move the cursor or forge a line.

pub(crate) mod github;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod junit;
pub(crate) mod run;
pub(crate) mod sarif;
pub(crate) mod style;
pub(crate) mod table;
pub(crate) mod test;
