//! The challenge by which a server demands authentication.

use std::fmt;

/// An authentication challenge: the text of the server's `WWW-Authenticate`, if it sent one. `Debug` prints only the
/// scheme (`Bearer`): servers may quote what they were sent.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Challenge {
    /// The header, unchanged.
    pub header: Option<String>,
}

impl fmt::Debug for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = |header: &String| header.split(' ').next().unwrap_or_default().to_owned() + " …";
        f.debug_struct("Challenge").field("header", &self.header.as_ref().map(scheme)).finish()
    }
}
