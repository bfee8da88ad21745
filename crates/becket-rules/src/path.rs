//! Paths and path patterns of rules (protocol.md P7, P8).
//!
//! Patterns are gitignore's, one at a time. Paths are compared as text, absolute and lexically normal, with `/`
//! between the parts: the only lookup is the target of links, through [`Links`].
//!
//! INVARIANT: no `..`, no `~` and no doubled slash remains in a path that is compared with a pattern.

mod glob;
mod links;
mod normal;
mod pattern;
mod places;

pub(crate) use glob::{ANY, FOLDED, GLOB_AT_END, INSIDE, glob_matches, is_any_name};
pub(crate) use links::LinkCache;
pub use links::{Links, NoLinks};
pub(crate) use normal::{Normal, lexical};
pub(crate) use pattern::{MatchMode, PathPattern, PlacedPattern};
pub(crate) use places::Places;
