//! All lists together, applied to one server. Pure.

use super::pattern::{Key, List, Pattern};
use crate::config::configured_server::ConfiguredServer;
use crate::config::place::Place;
use crate::config::scope::Scope;
use crate::config::server::{ServerConfig, Transport};
use crate::config::status::PolicyReason;

/// The lists of every file. The default is empty, so every server may be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct McpPolicy {
    pub(super) allowed: Vec<AllowList>,
    pub(super) denied: Vec<(Place, Pattern)>,
    /// The position of the administrator's switch that makes only managed allow lists count.
    pub(super) managed_only: Option<Place>,
}

/// The allow list of one file. An empty one allows nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AllowList {
    pub(super) scope: Scope,
    pub(super) place: Place,
    pub(super) patterns: Vec<Pattern>,
}

impl McpPolicy {
    /// Adds the content of another file.
    pub fn join(&mut self, other: McpPolicy) {
        let McpPolicy { allowed, denied, managed_only } = other;
        self.allowed.extend(allowed);
        self.denied.extend(denied);
        self.managed_only = self.managed_only.take().or(managed_only);
    }

    /// Errors with the reason if the policy forbids a server.
    pub(in crate::config) fn judge(&self, server: &ConfiguredServer) -> Result<(), PolicyReason> {
        let config = server.config.as_ref().ok();
        let denies = |(_, pattern): &&(Place, Pattern)| pattern.matches(&server.name, config, List::Deny);
        if let Some((place, pattern)) = self.denied.iter().find(denies) {
            let place = place.clone();
            return Err(match pattern {
                Pattern::Unreadable(_) => PolicyReason::Unreadable { place },
                Pattern::Name(_) | Pattern::Command(_) | Pattern::Url(_) => PolicyReason::Denied { place },
            });
        }
        // An entry that can't be started needs no check.
        let Some(config) = config else { return Ok(()) };
        let (managed, others): (Vec<_>, Vec<_>) =
            self.allowed.iter().partition(|list| list.scope == Scope::Managed);
        let Some(switch) = &self.managed_only else {
            let (project, ours): (Vec<_>, Vec<_>) =
                others.into_iter().partition(|list| list.scope == Scope::Project);
            allows(&[managed, ours].concat(), server, config)?;
            return allows(&project, server, config);
        };
        if managed.is_empty() && server.scope != Scope::Managed {
            return Err(PolicyReason::NotListed { place: switch.clone() });
        }
        allows(&managed, server, config)
    }
}

/// Checks a server against lists that count as one; without lists there is no restriction.
fn allows(
    lists: &[&AllowList],
    server: &ConfiguredServer,
    config: &ServerConfig,
) -> Result<(), PolicyReason> {
    let Some(first) = lists.first() else { return Ok(()) };
    let patterns = || lists.iter().flat_map(|list| &list.patterns);
    let has = |key| patterns().any(|pattern| pattern.key() == Some(key));
    // Names are chosen by the user: they count only if no pattern restricts the command or the address.
    let decisive = match &config.transport {
        Transport::Stdio(_) if has(Key::Command) => Key::Command,
        Transport::Stdio(_) | Transport::InProcess => Key::Name,
        Transport::Http(_)
        | Transport::Sse(_)
        | Transport::WebSocket(_)
        | Transport::SseIde(_)
        | Transport::WsIde(_)
        | Transport::Proxy(_) => {
            if has(Key::Url) {
                Key::Url
            } else {
                Key::Name
            }
        }
    };
    let fits = |pattern: &Pattern| {
        pattern.key() == Some(decisive) && pattern.matches(&server.name, Some(config), List::Allow)
    };
    if patterns().any(fits) { Ok(()) } else { Err(PolicyReason::NotListed { place: first.place.clone() }) }
}
