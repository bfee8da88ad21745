//! The policy of an administrator, or of other settings, on which servers may be used.
//!
//! - `pattern` is an item of a list; `url` compares addresses part by part.
//! - `read` reads the lists of one file; `judge` checks one server against all of them.
//!
//! It fails closed: an unreadable item denies everything in a deny list, and allows nothing in an allow list. A deny
//! overrides every allow. A file can restrict what others allow and, unless it is the project's, extend it.
//!
//! It does not check `env` and `cwd` of a server: the author of an entry can choose which program a bare name means.
//! To allow only a certain program, name it by its absolute path.

mod judge;
mod pattern;
mod read;
mod url;

pub use judge::McpPolicy;
pub(super) use read::Source;
