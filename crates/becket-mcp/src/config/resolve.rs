//! Merging of many files into one list: the entry that counts for each name, and its status. Pure.
//!
//! - The entry of a stronger scope counts, even if it is invalid or denied: a weaker one never silently replaces it.
//! - An entry of a workspace that its user has not approved is ignored: it neither starts nor shadows another.
//! - If there are several reasons against a server, the one that its user can do least about is reported.

use std::collections::HashMap;
use std::ffi::OsString;

use super::approvals::Approvals;
use super::choices::Choices;
use super::configured_server::ConfiguredServer;
use super::error::ServerConfigError;
use super::layer::Layer;
use super::policy::McpPolicy;
use super::scope::Scope;
use super::status::{DisabledReason, PolicyReason, Status};

/// The conditions for connecting servers.
#[derive(Debug, Clone, Copy)]
pub struct Gates<'a> {
    /// The policy.
    pub policy: &'a McpPolicy,
    /// The user's approvals and refusals by name of servers of the project.
    pub choices: &'a Choices,
    /// The user's approvals by content of servers of the project.
    pub approvals: &'a Approvals,
    /// The name of the project in approvals.
    pub project: &'a str,
    /// True if the user trusts the workspace. Otherwise nothing of [`Scope::Project`] and [`Scope::Local`] runs.
    pub workspace_trusted: bool,
    /// True if only servers of [`Scope::Managed`] may be used.
    pub exclusive: bool,
}

/// The merged configuration of many files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolvedServers {
    /// The servers that count, each name once, the strongest scope first and each scope in the order of its text.
    pub servers: Vec<ConfiguredServer>,
    /// Shadowed entries: another one of the same name counts. None of them is allowed.
    pub others: Vec<ConfiguredServer>,
}

/// Selects one entry for each name, expands variables, and applies the gates. Of two layers of one scope the later one
/// is the stronger.
///
/// `variables` have to be the user's own: if a project could set one, it could change the meaning of an approved entry.
#[must_use]
pub fn resolve(
    mut layers: Vec<Layer>,
    variables: &[(OsString, OsString)],
    gates: &Gates<'_>,
) -> ResolvedServers {
    layers.sort_by_key(|layer| layer.scope.rank());
    let mut candidates = Vec::new();
    for Layer { scope, directory, entries } in layers {
        for entry in entries {
            let mut server = ConfiguredServer::of_entry(entry, &scope, variables);
            if let Some(directory) = &directory {
                server.place_in(directory);
            }
            let held_back = held_back(&server, gates);
            candidates.push(Candidate { server, held_back });
        }
    }
    let counting = counting(&candidates);
    let statuses: Vec<(bool, Status)> = candidates
        .iter()
        .enumerate()
        .map(|(index, candidate)| {
            let other = counting.get(index).filter(|other| **other != index);
            (other.is_none(), candidate.status(other.and_then(|other| candidates.get(*other)), gates))
        })
        .collect();
    let mut resolved = ResolvedServers::default();
    for (Candidate { server, .. }, (counts, status)) in candidates.into_iter().zip(statuses) {
        let list = if counts { &mut resolved.servers } else { &mut resolved.others };
        list.push(ConfiguredServer { status, ..server });
    }
    resolved
}

/// An entry, with the reason why it is ignored until its user approves it.
struct Candidate {
    server: ConfiguredServer,
    held_back: Option<DisabledReason>,
}

/// Returns, for each candidate, the index of the one that counts under its name.
fn counting(candidates: &[Candidate]) -> Vec<usize> {
    let names: Vec<String> = candidates.iter().map(|candidate| candidate.server.name.to_string()).collect();
    let mut winners: HashMap<&str, (usize, &Candidate)> = HashMap::with_capacity(names.len());
    for (index, (name, candidate)) in names.iter().zip(candidates).enumerate() {
        let winner = winners.entry(name).or_insert((index, candidate));
        let (counts, counted) = (candidate.counts(), winner.1.counts());
        let same_rank = candidate.server.scope.rank() == winner.1.server.scope.rank();
        if (counts && !counted) || (counts == counted && same_rank) {
            *winner = (index, candidate);
        }
    }
    let of =
        |(index, name): (usize, &String)| winners.get(name.as_str()).map_or(index, |(winner, _)| *winner);
    names.iter().enumerate().map(of).collect()
}

/// Returns the reason why an entry of the workspace is ignored.
fn held_back(server: &ConfiguredServer, gates: &Gates<'_>) -> Option<DisabledReason> {
    if server.scope.is_of_the_workspace() && !gates.workspace_trusted {
        return Some(DisabledReason::NotTrusted);
    }
    if server.scope != Scope::Project {
        return None;
    }
    let name = server.name.plain.as_str();
    if gates.choices.refuse(name) {
        return Some(DisabledReason::ByUser);
    }
    let fingerprint = server.fingerprint.clone()?;
    let approved = gates.approvals.of(gates.project, name);
    if gates.choices.approve(name) || approved == Some(&fingerprint) {
        return None;
    }
    Some(DisabledReason::NotApproved { fingerprint, changed: approved.is_some() })
}

impl Candidate {
    /// Returns whether it shadows others of its name. An entry with an invalid name does not: its name may only look
    /// like that of another.
    fn counts(&self) -> bool {
        let is_unfit = matches!(self.server.config, Err(ServerConfigError::NameUnfit { .. }));
        self.held_back.is_none() && !is_unfit
    }

    /// Returns the status; `other` is the candidate that counts instead of this one.
    fn status(&self, other: Option<&Candidate>, gates: &Gates<'_>) -> Status {
        let is_managed = matches!(self.server.scope, Scope::Managed | Scope::Host);
        let policy = if gates.exclusive && !is_managed {
            Err(PolicyReason::Exclusive)
        } else {
            gates.policy.judge(&self.server)
        };
        let shadowed = || {
            let Candidate { server: ConfiguredServer { scope, place, .. }, .. } = other?;
            Some(DisabledReason::Shadowed { by: scope.clone(), place: place.clone() })
        };
        let why = match (policy, &self.server.status, &self.held_back) {
            (Err(why), _, _) => Some(DisabledReason::ByPolicy { why }),
            (Ok(()), Status::Disabled(own), None) => Some(shadowed().unwrap_or(own.clone())),
            (Ok(()), Status::Disabled(own), Some(_)) => Some(own.clone()),
            (Ok(()), Status::Allowed, Some(held_back)) => Some(held_back.clone()),
            (Ok(()), Status::Allowed, None) => shadowed(),
        };
        why.map_or(Status::Allowed, Status::Disabled)
    }
}
