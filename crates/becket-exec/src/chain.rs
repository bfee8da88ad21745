//! The programs that led to a process.

use std::fmt;
use std::sync::Arc;

/// The maximum number of names of a chain that are kept: the first one, and the last ones.
const MOST: usize = 12;

/// The names of the programs that led to a process, first to last: `make → sh → git`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chain {
    names: Vec<Arc<str>>,
    /// True if names after the first were left out.
    cut: bool,
}

impl Chain {
    /// Returns the chain with one more program. A long chain loses names from its middle.
    #[must_use]
    pub fn with(&self, name: &str) -> Self {
        let mut chain = self.clone();
        chain.names.push(name.into());
        if chain.names.len() > MOST {
            chain.names.remove(1);
            chain.cut = true;
        }
        chain
    }

    /// Returns the names, first to last.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, name) in self.names.iter().enumerate() {
            match at {
                0 => {}
                1 if self.cut => f.write_str(" → … → ")?,
                _ => f.write_str(" → ")?,
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_chain_keeps_its_ends() {
        let chain = ["make", "sh", "git"].iter().fold(Chain::default(), |chain, name| chain.with(name));
        assert_eq!(chain.to_string(), "make → sh → git");
        let chain = (0..100).fold(Chain::default(), |chain, at| chain.with(&at.to_string()));
        assert_eq!(chain.to_string(), "0 → … → 89 → 90 → 91 → 92 → 93 → 94 → 95 → 96 → 97 → 98 → 99");
    }
}
