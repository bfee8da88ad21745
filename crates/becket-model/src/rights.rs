//! Rights of a program, which restrict it (E5). `becket-exec` enforces them.
//!
//! Rights of several sources fold to their intersection, in any order.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The rights of a program, and of everything that it starts.
///
/// ```
/// use becket_model::{NetworkRights, PathRights, Rights};
///
/// let of_user = Rights { write: PathRights::below(["/work", "/tmp"]), ..Rights::default() };
/// let of_hook = Rights { write: PathRights::below(["/work/docs"]), network: NetworkRights::Nothing, ..Rights::default() };
/// let both = of_user.intersection(&of_hook);
/// assert!(both.can_write("/work/docs/a".as_ref()) && !both.can_write("/tmp/a".as_ref()));
/// assert_eq!(both, of_hook.intersection(&of_user));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rights {
    /// The files and directories that can be read, executed and listed.
    pub read: PathRights,
    /// The files and directories that can be written, created, renamed and removed.
    pub write: PathRights,
    /// Files and directories that can't be read, executed, listed or written, whatever `read` and `write` say: absolute
    /// and without links.
    pub deny_read: BTreeSet<PathBuf>,
    /// Files and directories that can't be written, whatever `write` says: absolute and without links.
    pub deny_write: BTreeSet<PathBuf>,
    /// The network.
    pub network: NetworkRights,
    /// The processes that can be sent signals.
    pub signals: SignalRights,
}

/// A set of paths, with everything below them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathRights {
    /// Every path.
    #[default]
    All,
    /// These, absolute and without links; none is below another one.
    Below(BTreeSet<PathBuf>),
}

/// The network that a program reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NetworkRights {
    /// Everything.
    #[default]
    All,
    /// Some hosts of the internet, through a proxy that judges each connection.
    Domains(DomainRights),
    /// Sockets of this machine that are files or have names (`AF_UNIX`).
    Local,
    /// Nothing: no new socket.
    Nothing,
}

/// The hosts that a program reaches. Entries are those of `sandbox.network.allowedDomains`: `example.com`, `*.example.com`,
/// `example.com:443`, `10.1.0.0/16`, `*`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DomainRights {
    /// Lists of what is allowed: a host is reached if each of them has an entry for it.
    pub allowed: BTreeSet<BTreeSet<String>>,
    /// Entries for hosts that are never reached.
    pub denied: BTreeSet<String>,
    /// True if sockets of this machine (`AF_UNIX`) can be opened.
    pub unix_sockets: bool,
}

/// The processes that a program can send signals to. An order: each is a part of the one before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SignalRights {
    /// All processes that the system allows.
    #[default]
    All,
    /// Processes with the same rights: the program itself, and those that it starts.
    Own,
}

impl Rights {
    /// Returns whether nothing is restricted.
    #[must_use]
    pub fn are_all(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the rights that both grant.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self {
            read: self.read.intersection(&other.read),
            write: self.write.intersection(&other.write),
            deny_read: self.deny_read.union(&other.deny_read).cloned().collect(),
            deny_write: self.deny_write.union(&other.deny_write).cloned().collect(),
            network: self.network.intersection(&other.network),
            signals: self.signals.max(other.signals),
        }
    }

    /// Returns whether the path, absolute and without links, can be read.
    #[must_use]
    pub fn can_read(&self, path: &Path) -> bool {
        self.read.allow(path) && !is_below(&self.deny_read, path)
    }

    /// Returns whether the path, absolute and without links, can be written.
    #[must_use]
    pub fn can_write(&self, path: &Path) -> bool {
        self.write.allow(path) && !is_below(&self.deny_read, path) && !is_below(&self.deny_write, path)
    }
}

fn is_below(paths: &BTreeSet<PathBuf>, path: &Path) -> bool {
    paths.iter().any(|above| path.starts_with(above))
}

impl NetworkRights {
    /// Returns whether sockets of this machine (`AF_UNIX`) can be opened.
    #[must_use]
    pub fn has_unix_sockets(&self) -> bool {
        match self {
            Self::All | Self::Local => true,
            Self::Domains(domains) => domains.unix_sockets,
            Self::Nothing => false,
        }
    }

    /// Returns the network without the internet.
    #[must_use]
    pub fn local(&self) -> Self {
        if self.has_unix_sockets() { Self::Local } else { Self::Nothing }
    }

    fn intersection(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, rights) | (rights, Self::All) => rights.clone(),
            (Self::Domains(these), Self::Domains(those)) => Self::Domains(DomainRights {
                allowed: these.allowed.union(&those.allowed).cloned().collect(),
                denied: these.denied.union(&those.denied).cloned().collect(),
                unix_sockets: these.unix_sockets && those.unix_sockets,
            }),
            (Self::Domains(_) | Self::Local | Self::Nothing, Self::Local | Self::Nothing)
            | (Self::Local | Self::Nothing, Self::Domains(_)) => {
                if self.has_unix_sockets() && other.has_unix_sockets() { Self::Local } else { Self::Nothing }
            }
        }
    }
}

impl PathRights {
    /// Returns the rights to these paths and everything below them.
    #[must_use]
    pub fn below<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> Self {
        Self::Below(outermost(paths.into_iter().map(Into::into).collect()))
    }

    /// Returns whether the path, absolute and without links, is among them.
    #[must_use]
    pub fn allow(&self, path: &Path) -> bool {
        match self {
            Self::All => true,
            Self::Below(paths) => is_below(paths, path),
        }
    }

    fn intersection(&self, other: &Self) -> Self {
        let (Self::Below(these), Self::Below(those)) = (self, other) else {
            return if *self == Self::All { other.clone() } else { self.clone() };
        };
        let inside = |paths: &BTreeSet<PathBuf>, rights: &Self| -> BTreeSet<PathBuf> {
            paths.iter().filter(|path| rights.allow(path)).cloned().collect()
        };
        let both = inside(these, other).into_iter().chain(inside(those, self)).collect();
        Self::Below(outermost(both))
    }
}

/// Drops paths that are below another one.
fn outermost(paths: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in paths {
        // In the order of paths, a directory comes before everything in it.
        if !kept.last().is_some_and(|last| path.starts_with(last)) {
            kept.push(path);
        }
    }
    kept.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path() -> impl Strategy<Value = PathBuf> {
        prop::collection::vec("[ab]", 0..4).prop_map(|parts| Path::new("/").join(parts.join("/")))
    }

    fn paths() -> impl Strategy<Value = PathRights> {
        prop_oneof![Just(PathRights::All), prop::collection::vec(path(), 0..4).prop_map(PathRights::below)]
    }

    fn network() -> impl Strategy<Value = NetworkRights> {
        let entries = || prop::collection::btree_set("[ab]", 0..3);
        let domains = (prop::collection::btree_set(entries(), 0..3), entries(), any::<bool>());
        let domains = domains.prop_map(|(allowed, denied, unix_sockets)| {
            NetworkRights::Domains(DomainRights { allowed, denied, unix_sockets })
        });
        prop_oneof![
            Just(NetworkRights::All),
            domains,
            Just(NetworkRights::Local),
            Just(NetworkRights::Nothing)
        ]
    }

    /// Returns whether a host of this name is reached, where an entry is the name itself.
    fn reaches(network: &NetworkRights, name: &str) -> bool {
        match network {
            NetworkRights::All => true,
            NetworkRights::Domains(domains) => {
                domains.allowed.iter().all(|list| list.contains(name)) && !domains.denied.contains(name)
            }
            NetworkRights::Local | NetworkRights::Nothing => false,
        }
    }

    fn rights() -> impl Strategy<Value = Rights> {
        let network = network();
        let signals = prop_oneof![Just(SignalRights::All), Just(SignalRights::Own)];
        let denied = || prop::collection::btree_set(path(), 0..3);
        (paths(), paths(), denied(), denied(), network, signals).prop_map(
            |(read, write, deny_read, deny_write, network, signals)| Rights {
                read,
                write,
                deny_read,
                deny_write,
                network,
                signals,
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        // rule: E5
        #[test]
        fn the_order_of_an_intersection_does_not_matter(a in rights(), b in rights(), c in rights()) {
            prop_assert_eq!(a.intersection(&b), b.intersection(&a));
            prop_assert_eq!(a.intersection(&b).intersection(&c), a.intersection(&b.intersection(&c)));
            prop_assert_eq!(a.intersection(&a), a.clone());
            prop_assert_eq!(a.intersection(&Rights::default()), a);
        }

        // rule: E5
        #[test]
        fn an_intersection_grants_what_both_grant(a in rights(), b in rights(), path in path()) {
            let both = a.intersection(&b);
            prop_assert_eq!(both.can_write(&path), a.can_write(&path) && b.can_write(&path));
            prop_assert_eq!(both.can_read(&path), a.can_read(&path) && b.can_read(&path));
            for name in ["a", "b"] {
                let by_both = reaches(&a.network, name) && reaches(&b.network, name);
                prop_assert_eq!(reaches(&both.network, name), by_both);
            }
            let local = a.network.has_unix_sockets() && b.network.has_unix_sockets();
            prop_assert_eq!(both.network.has_unix_sockets(), local);
            prop_assert!(both.signals >= a.signals && both.signals >= b.signals);
        }
    }
}
