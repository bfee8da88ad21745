//! The decision about a host, and about each of its addresses. Pure.

use std::net::IpAddr;

use becket_base::address::AddressClass;
use becket_model::DomainRights;
use becket_rules::{Endpoint, EndpointPattern};

use crate::error::StartError;
use crate::network_host::RefusalCause;

/// The hosts that may be reached.
#[derive(Debug)]
pub(crate) struct DomainGate {
    /// The allowed hosts: each list must have a matching entry.
    allowed: Vec<Vec<EndpointPattern>>,
    denied: Vec<EndpointPattern>,
}

impl DomainGate {
    /// Parses the entries.
    ///
    /// # Errors
    /// Errors if an entry can't be parsed, so that its hosts are not known.
    pub(crate) fn new(rights: &DomainRights) -> Result<Self, StartError> {
        let read = |text: &String| {
            text.parse().map_err(|why| StartError::UnknownRights {
                why: format!("`{text}` can't be read as a host that is allowed or denied: {why}"),
            })
        };
        let allowed = rights.allowed.iter().map(|list| list.iter().map(read).collect());
        Ok(Self {
            allowed: allowed.collect::<Result<_, _>>()?,
            denied: rights.denied.iter().map(read).collect::<Result<_, _>>()?,
        })
    }

    /// Returns whether an entry names this machine, outside of the network of the programs.
    pub(crate) fn names_this_machine(&self) -> bool {
        self.allowed.iter().flatten().any(EndpointPattern::names_this_machine)
    }

    /// Judges a connection by its host as named.
    pub(crate) fn judge(&self, endpoint: &Endpoint) -> Result<(), RefusalCause> {
        if let Some(entry) = self.denied.iter().find(|entry| entry.matches(endpoint)) {
            return Err(RefusalCause::Denied { entry: entry.to_string() });
        }
        let is_allowed = |list: &Vec<EndpointPattern>| list.iter().any(|entry| entry.matches(endpoint));
        if self.allowed.iter().all(is_allowed) { Ok(()) } else { Err(RefusalCause::NotAllowed) }
    }

    /// Judges an address of a host that has passed [`Self::judge`].
    pub(crate) fn judge_address(&self, address: IpAddr, endpoint: &Endpoint) -> Result<(), RefusalCause> {
        let names = |entry: &EndpointPattern| entry.names_address(address, endpoint);
        let at_address = Endpoint { host: becket_rules::Host::Address(address), port: endpoint.port };
        if let Some(entry) = self.denied.iter().find(|entry| entry.matches(&at_address)) {
            return Err(RefusalCause::Denied { entry: entry.to_string() });
        }
        let is_public = AddressClass::of(address) == AddressClass::Public;
        let is_named = self.allowed.iter().all(|list| list.iter().any(names));
        if is_public || is_named { Ok(()) } else { Err(RefusalCause::Address { address }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn gate(allowed: &[&[&str]], denied: &[&str]) -> DomainGate {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<BTreeSet<_>>();
        let allowed = allowed.iter().map(|list| texts(list)).collect();
        DomainGate::new(&DomainRights { allowed, denied: texts(denied), unix_sockets: false }).unwrap()
    }

    /// Judges a host with one address.
    fn judge(gate: &DomainGate, authority: &str, address: &str) -> Result<(), RefusalCause> {
        let endpoint = Endpoint::parse(authority, Some(443)).unwrap();
        gate.judge(&endpoint)?;
        gate.judge_address(address.parse().unwrap(), &endpoint)
    }

    // rule: E5
    #[test]
    fn a_host_is_reached_if_every_list_allows_it_and_nothing_denies_it() {
        let one = gate(&[&["a.test", "*.b.test"]], &["x.b.test"]);
        assert_eq!(judge(&one, "a.test", "8.8.8.8"), Ok(()));
        assert_eq!(judge(&one, "y.b.test", "8.8.8.8"), Ok(()));
        let entry = "x.b.test".to_owned();
        assert_eq!(judge(&one, "x.b.test", "8.8.8.8"), Err(RefusalCause::Denied { entry }));
        assert_eq!(judge(&one, "c.test", "8.8.8.8"), Err(RefusalCause::NotAllowed));
        let both = gate(&[&["a.test", "c.test"], &["*"]], &[]);
        assert_eq!(judge(&both, "a.test", "8.8.8.8"), Ok(()));
        let apart = gate(&[&["a.test"], &["c.test"]], &[]);
        assert_eq!(judge(&apart, "a.test", "8.8.8.8"), Err(RefusalCause::NotAllowed));
        assert_eq!(judge(&gate(&[&[]], &[]), "a.test", "8.8.8.8"), Err(RefusalCause::NotAllowed));
    }

    // rules: E5, S1
    #[test]
    fn an_address_that_is_not_public_has_to_be_named() {
        let refused = |gate: &DomainGate, authority: &str, address: &str| {
            judge(gate, authority, address)
                == Err(RefusalCause::Address { address: address.parse().unwrap() })
        };
        let names = gate(&[&["*", "localhost"]], &[]);
        for address in ["10.0.0.1", "127.0.0.1", "::1", "169.254.169.254", "::ffff:10.0.0.1", "fd00::1"] {
            assert!(refused(&names, "rebound.test", address), "{address}");
        }
        assert_eq!(judge(&names, "localhost", "127.0.0.1"), Ok(()));
        assert!(refused(&names, "localhost", "10.0.0.1"));
        let named = gate(&[&["git.test", "10.1.0.0/16"]], &["10.1.9.9"]);
        assert_eq!(judge(&named, "git.test", "10.1.0.1"), Ok(()));
        assert_eq!(judge(&named, "10.1.0.1", "10.1.0.1"), Ok(()));
        assert!(refused(&named, "git.test", "10.2.0.1"));
        assert!(matches!(judge(&named, "git.test", "10.1.9.9"), Err(RefusalCause::Denied { .. })));
        let half = gate(&[&["git.test", "10.1.0.0/16"], &["git.test"]], &[]);
        assert!(refused(&half, "git.test", "10.1.0.1"));
    }

    // rule: E5
    #[test]
    fn an_entry_that_can_not_be_read_allows_nothing_to_start() {
        for rights in [
            DomainRights { denied: BTreeSet::from(["https://a.test".to_owned()]), ..DomainRights::default() },
            DomainRights {
                allowed: BTreeSet::from([BTreeSet::from(["a.test:x".to_owned()])]),
                ..DomainRights::default()
            },
        ] {
            let refused = DomainGate::new(&rights);
            assert!(matches!(refused, Err(StartError::UnknownRights { .. })), "{refused:?}");
        }
    }
}
