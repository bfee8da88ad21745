//! Which servers an administrator, or anyone else who writes settings, lets be used.
//!
//! - `pattern` is what a list consists of; `url` compares addresses part by part.
//! - `read` reads the lists of one file; `judge` asks all of them about one server.
//!
//! It fails closed: what can't be read in a deny list denies everything, in an allow list it allows nothing. A deny
//! beats every allow. A file can take away from what others allow and, unless it is the project's, add to it.
//!
//! It refuses to say anything about `env` and `cwd` of a server: who may write an entry may choose which program a
//! bare name means. To tie a server down, allow its program by an absolute path.

mod judge;
mod pattern;
mod read;
mod url;

pub use judge::McpPolicy;
pub(super) use read::Source;
