//! An access that the rights of a program do not cover (protocol.md E5).

use std::fmt;
use std::path::PathBuf;

use becket_base::text::one_line;

use crate::chain::Chain;

/// The maximum number of characters of a command, of a path and of a chain in a line.
const WIDEST: usize = 200;

/// The maximum number of refusals that are printed at the end of a program.
const MOST_LINES: usize = 20;

/// An access that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RefusedAccess {
    /// The arguments of the program, joined by blanks.
    pub command: String,
    /// The programs that led to it, ending with itself.
    pub chain: Chain,
    /// The access.
    pub access: Access,
}

/// An access that rights take away.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// A file or a directory is read or listed.
    Read {
        /// The absolute path.
        path: PathBuf,
    },
    /// A file is executed.
    Execute {
        /// The absolute path.
        path: PathBuf,
    },
    /// A file or a directory is written, created, renamed or removed.
    Write {
        /// The absolute path.
        path: PathBuf,
    },
    /// A socket is opened.
    Socket,
}

impl RefusedAccess {
    /// Returns the line for the user and the model, including the line feed.
    #[must_use]
    pub fn line(&self) -> String {
        format!("becket: {self}\n")
    }
}

impl fmt::Display for RefusedAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, chain, access } = self;
        let (command, chain) = (one_line(command, WIDEST), one_line(&chain.to_string(), WIDEST));
        write!(f, "`{command}` {access}; run by {chain}")
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (verb, path) = match self {
            Self::Read { path } => ("read", path),
            Self::Execute { path } => ("execute", path),
            Self::Write { path } => ("write", path),
            Self::Socket => {
                return f.write_str("has no right to open a socket: the network is not granted to it");
            }
        };
        write!(f, "has no right to {verb} `{}`", one_line(&path.to_string_lossy(), WIDEST))
    }
}

/// Refusals that are printed at the end of a program.
#[derive(Debug, Default)]
pub struct RefusalList {
    lines: Vec<String>,
    /// The number of refusals that are left out.
    more: usize,
}

impl RefusalList {
    /// Adds a refusal.
    pub fn add(&mut self, refused: &RefusedAccess) {
        match self.lines.len() < MOST_LINES {
            true => self.lines.push(refused.line()),
            false => self.more += 1,
        }
    }
}

/// Prints a line for each refusal, then the number of those that are left out.
impl fmt::Display for RefusalList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| f.write_str(line))?;
        match self.more {
            0 => Ok(()),
            more => writeln!(f, "becket: {more} more accesses were refused"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: E5
    #[test]
    fn a_line_names_the_command_the_right_and_the_chain() {
        let refused = RefusedAccess {
            command: "touch \u{1b}[2J/etc/x".to_owned(),
            chain: Chain::default().with("make").with("touch"),
            access: Access::Write { path: "/etc/x\n".into() },
        };
        let expected =
            "becket: `touch \\u{1b}[2J/etc/x` has no right to write `/etc/x`; run by make → touch\n";
        assert_eq!(refused.line(), expected);
        let mut list = RefusalList::default();
        assert_eq!(list.to_string(), "");
        (0..25).for_each(|_| list.add(&refused));
        assert_eq!(list.to_string().lines().count(), 21);
        assert!(list.to_string().ends_with("becket: 5 more accesses were refused\n"), "{list}");
    }
}
