//! Paths and path patterns of rules (protocol.md P7, P8).
//!
//! Patterns are gitignore's, one at a time. Paths are compared as text, absolute and lexically normal, with `/`
//! between the parts: nothing is looked up but where links lead, through [`Links`].
//!
//! INVARIANT: no `..`, no `~` and no doubled slash is left in a path that a pattern sees.

mod glob;
mod links;
mod normal;
mod pattern;
mod places;

pub(crate) use glob::INSIDE;
pub(crate) use links::LinkCache;
pub use links::{Links, NoLinks};
pub(crate) use normal::{Normal, lexical};
pub(crate) use pattern::{MatchMode, PathPattern, PlacedPattern};
pub(crate) use places::Places;
