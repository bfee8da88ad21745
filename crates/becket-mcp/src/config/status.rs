//! The status of a configured server.

use std::fmt;

use super::fingerprint::Fingerprint;
use super::place::Place;
use super::scope::Scope;

/// The status of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// The server may be connected, unless its configuration is invalid.
    Allowed,
    /// The server must not be connected.
    Disabled(DisabledReason),
}

/// The reason why a server is disabled; the message says what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DisabledReason {
    /// The entry contains `"disabled": true`.
    #[error("its entry says `\"disabled\": true`: remove that to use it")]
    ByEntry,
    /// The user has refused the server.
    #[error("it is refused by `disabledMcpjsonServers`: remove it there to use it")]
    ByUser,
    /// The program that drives the session has disabled the server.
    #[error("the program that drives this session has switched it off")]
    ByHost,
    /// The server belongs to a workspace that is not trusted.
    #[error("the workspace is not trusted: trust it to use the servers that belong to it")]
    NotTrusted,
    /// The server is the project's, and its content is not approved.
    #[error("{}: read its entry, then approve it", not_approved(*.changed))]
    NotApproved {
        /// The fingerprint to approve.
        fingerprint: Fingerprint,
        /// True if another content of this name was approved.
        changed: bool,
    },
    /// A policy forbids the server.
    #[error("{why}")]
    ByPolicy {
        /// The rule of the policy.
        why: PolicyReason,
    },
    /// Another entry of the same name is stronger.
    #[error("{}: rename one to use both", shadowed(.by, .place.as_ref()))]
    Shadowed {
        /// The origin of the other entry.
        by: Scope,
        /// The position of the other entry.
        place: Option<Place>,
    },
}

/// The part of a policy that forbids a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyReason {
    /// A pattern of a deny list matches the server.
    #[error("{place}: `deniedMcpServers` denies it: ask whoever wrote that")]
    Denied {
        /// The position of the pattern.
        place: Place,
    },
    /// A deny list can't be read, so it denies every server.
    #[error("{place}: `deniedMcpServers` can't be read, so it denies every server: correct it there")]
    Unreadable {
        /// The position of the unreadable part.
        place: Place,
    },
    /// No pattern of an allow list matches the server.
    #[error("{place}: `allowedMcpServers` does not allow it: ask whoever wrote that")]
    NotListed {
        /// The position of the list, or of the first of several that count as one.
        place: Place,
    },
    /// Only an administrator's servers may be used.
    #[error("only servers of managed files may be used: ask whoever manages this machine to add it")]
    Exclusive,
}

fn not_approved(changed: bool) -> &'static str {
    if changed {
        "the project has changed or moved it since it was approved"
    } else {
        "it is not approved yet"
    }
}

fn shadowed(by: &Scope, place: Option<&Place>) -> impl fmt::Display {
    let place = place.map_or(String::new(), |place| format!(" ({place})"));
    format!("a server of the same name counts instead, that of scope {by}{place}")
}
