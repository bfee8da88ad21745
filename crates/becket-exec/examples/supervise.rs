//! Runs a program under deny and ask rules:
//! `supervise [deny=RULE]… [ask=RULE]… [in=DIRECTORY] [write=DIRECTORY]… [deny-write=PATH]… [deny-read=PATH]…
//! [no-network] [domain=ENTRY]… [no-domain=ENTRY]… [unix-sockets] [untraced] [resolve=NAME=ADDRESS]… [end-line]
//! [approve] -- PROGRAM [ARGUMENT]…`.
//!
//! `domain` and `no-domain` allow and deny hosts; with `resolve` only the given names are known.
//! `untraced` closes the supervisor to tracers before it starts, as the program `becket` does.
//! `end-line` ends everything with the first denial; `approve` approves every program that an ask rule pauses; without
//! it they are denied.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a small program, with its surroundings and its errors"
)]

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::net::IpAddr;
use std::process::ExitCode;
use std::sync::Arc;

use becket_exec::{
    Denial, DomainRights, Host, NetworkHost, NetworkRights, OnDeny, PathRights, PendingApproval, Program,
    RefusalList, RefusedAccess, RefusedConnection, Rights, Supervisor, Weakness,
};
use becket_rules::{RuleList, RuleOrigin, RuleSet};

struct Terminal {
    approves: bool,
    refusals: RefusalList,
}

impl Host for Terminal {
    fn ask(&mut self, pending: PendingApproval) {
        if self.approves {
            // An answer takes some time and comes from another thread.
            std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(100));
                pending.approve();
            });
        }
    }

    fn denied(&mut self, denial: &Denial, silent: bool) {
        if silent {
            eprint!("{}", denial.line());
        }
    }

    fn refused(&mut self, access: &RefusedAccess) {
        self.refusals.add(access);
    }

    fn weakened(&mut self, weakness: Weakness) {
        eprintln!("supervise: {weakness}");
    }
}

#[derive(Default)]
struct Names(HashMap<String, Vec<IpAddr>>);

impl NetworkHost for Names {
    fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        eprintln!("resolve {name}");
        self.0.get(name).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn refused(&self, connection: &RefusedConnection) {
        eprint!("{}", connection.line());
    }
}

fn main() -> ExitCode {
    let mut rules = RuleSet::default();
    let mut terminal = Terminal { approves: false, refusals: RefusalList::default() };
    let mut directory = std::env::current_dir().unwrap();
    let mut arguments = std::env::args_os().skip(1);
    let (mut rights, mut writable, mut on_deny) = (Rights::default(), Vec::new(), OnDeny::GoOn);
    let (mut domains, mut denied, mut unix_sockets) = (BTreeSet::new(), BTreeSet::new(), false);
    let mut names = Names::default();
    #[cfg(target_os = "linux")]
    let mut is_dumpable = true;
    for argument in arguments.by_ref().take_while(|argument| argument != "--") {
        let text = argument.into_string().unwrap();
        let (list, rule) = match text.split_once('=') {
            Some(("deny", rule)) => (RuleList::Deny, rule),
            Some(("ask", rule)) => (RuleList::Ask, rule),
            Some(("in", path)) => {
                directory = path.into();
                continue;
            }
            Some(("write", path)) => {
                writable.push(path.to_owned());
                continue;
            }
            Some(("deny-write", path)) => {
                rights.deny_write.insert(path.into());
                continue;
            }
            Some(("deny-read", path)) => {
                rights.deny_read.insert(path.into());
                continue;
            }
            Some(("domain", entry)) => {
                domains.insert(entry.to_owned());
                continue;
            }
            Some(("no-domain", entry)) => {
                denied.insert(entry.to_owned());
                continue;
            }
            Some(("resolve", name)) => {
                let (name, address) = name.split_once('=').unwrap();
                names.0.entry(name.to_owned()).or_default().push(address.parse().unwrap());
                continue;
            }
            None if text == "unix-sockets" => {
                unix_sockets = true;
                continue;
            }
            None if text == "no-network" => {
                rights.network = NetworkRights::Nothing;
                continue;
            }
            #[cfg(target_os = "linux")]
            None if text == "untraced" => {
                use rustix::process::{DumpableBehavior, set_dumpable_behavior};
                set_dumpable_behavior(DumpableBehavior::NotDumpable).unwrap();
                is_dumpable = false;
                continue;
            }
            None if text == "end-line" => {
                on_deny = OnDeny::EndLine;
                continue;
            }
            _ => {
                terminal.approves = true;
                continue;
            }
        };
        let origin = RuleOrigin { label: "the command line".to_owned(), anchor: "/".into() };
        rules.add(list, rule, origin).unwrap();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = Program {
        name: arguments.next().unwrap(),
        arguments: arguments.collect(),
        variables: std::env::vars_os().collect(),
        directory,
    };
    if !writable.is_empty() {
        rights.write = PathRights::below(writable);
    }
    let supervisor = Supervisor::new(rules, std::env::split_paths(&path).collect());
    if !domains.is_empty() || !denied.is_empty() {
        let allowed = BTreeSet::from([domains]);
        rights.network = NetworkRights::Domains(DomainRights { allowed, denied, unix_sockets });
    }
    let supervisor = supervisor.with_rights(&rights).with_network_host(Arc::new(names)).on_deny(on_deny);
    let ended = supervisor.run(&program, &mut terminal);
    eprint!("{}", terminal.refusals);
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, dumpable_behavior};
        let is_now = dumpable_behavior().unwrap() == DumpableBehavior::Dumpable;
        assert_eq!(is_now, is_dumpable, "the supervisor restores it");
    }
    match ended {
        Ok(status) => ExitCode::from(status.code()),
        Err(error) => {
            eprintln!("supervise: nothing was run: {error}");
            ExitCode::from(125)
        }
    }
}
