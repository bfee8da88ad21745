//! The status of a configured server.

use std::fmt;

use super::fingerprint::Fingerprint;
use super::place::Place;
use super::scope::Scope;

/// The status of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// It may be connected, unless its configuration is invalid.
    Allowed,
    /// It must not be.
    Disabled(DisabledReason),
}

/// The reason for which a server is disabled; the message says what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DisabledReason {
    /// Its entry says `"disabled": true`.
    #[error("its entry says `\"disabled\": true`: remove that to use it")]
    ByEntry,
    /// The user has refused it.
    #[error("it is refused by `disabledMcpjsonServers`: remove it there to use it")]
    ByUser,
    /// The program that drives the session has disabled it.
    #[error("the program that drives this session has switched it off")]
    ByHost,
    /// It belongs to a workspace that is not trusted.
    #[error("the workspace is not trusted: trust it to use the servers that belong to it")]
    NotTrusted,
    /// It is the project's, and its content is not approved.
    #[error("{}: read its entry, then approve it", not_approved(*.changed))]
    NotApproved {
        /// The fingerprint to approve.
        fingerprint: Fingerprint,
        /// True if another content of this name was approved.
        changed: bool,
    },
    /// A policy forbids it.
    #[error("{why}")]
    ByPolicy {
        /// The rule of the policy.
        why: PolicyReason,
    },
    /// Another entry of the same name is stronger.
    #[error("{}: rename one to use both", shadowed(.by, .place.as_ref()))]
    Shadowed {
        /// The origin of the other one.
        by: Scope,
        /// Its position.
        place: Option<Place>,
    },
}

/// The part of a policy that forbids a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyReason {
    /// A pattern of a deny list matches it.
    #[error("{place}: `deniedMcpServers` denies it: ask whoever wrote that")]
    Denied {
        /// The pattern.
        place: Place,
    },
    /// A deny list is unreadable, so it denies every server.
    #[error("{place}: `deniedMcpServers` can't be read, so it denies every server: correct it there")]
    Unreadable {
        /// The position of the unreadable part.
        place: Place,
    },
    /// No pattern of an allow list matches it.
    #[error("{place}: `allowedMcpServers` does not allow it: ask whoever wrote that")]
    NotListed {
        /// The list, or the first of several that count as one.
        place: Place,
    },
    /// Only an administrator's servers may be used.
    #[error("only servers of managed files may be used: ask whoever manages this machine to add it")]
    Exclusive,
}

fn not_approved(changed: bool) -> &'static str {
    if changed { "the project has changed it since it was approved" } else { "it is not approved yet" }
}

fn shadowed(by: &Scope, place: Option<&Place>) -> impl fmt::Display {
    let place = place.map_or(String::new(), |place| format!(" ({place})"));
    format!("a server of the same name counts instead, that of scope {by}{place}")
}
