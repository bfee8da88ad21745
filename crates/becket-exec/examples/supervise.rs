//! Runs a program under deny and ask rules:
//! `supervise [deny=RULE]… [ask=RULE]… [in=DIRECTORY] [write=DIRECTORY]… [deny-write=PATH]… [deny-read=PATH]… [no-network] [end-line] [approve] -- PROGRAM
//! [ARGUMENT]…`.
//!
//! `end-line` ends everything with the first denial; `approve` lets every program run that an ask rule holds; without it they are denied.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a small program, with its surroundings and its errors"
)]

use std::process::ExitCode;

use becket_exec::{
    Denial, Host, NetworkRights, OnDeny, PathRights, PendingApproval, Program, Rights, Supervisor, Weakness,
};
use becket_rules::{RuleList, RuleOrigin, RuleSet};

struct Terminal {
    approves: bool,
}

impl Host for Terminal {
    fn ask(&mut self, pending: PendingApproval) {
        if self.approves {
            // An answer takes its time and comes from another thread.
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

    fn weakened(&mut self, weakness: Weakness) {
        eprintln!("supervise: {weakness}");
    }
}

fn main() -> ExitCode {
    let mut rules = RuleSet::default();
    let mut terminal = Terminal { approves: false };
    let mut directory = std::env::current_dir().unwrap();
    let mut arguments = std::env::args_os().skip(1);
    let (mut rights, mut writable, mut on_deny) = (Rights::default(), Vec::new(), OnDeny::GoOn);
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
            None if text == "no-network" => {
                rights.network = NetworkRights::Nothing;
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
    let supervisor = supervisor.with_rights(&rights).on_deny(on_deny);
    match supervisor.run(&program, &mut terminal) {
        Ok(status) => ExitCode::from(status.code()),
        Err(error) => {
            eprintln!("supervise: nothing was run: {error}");
            ExitCode::from(125)
        }
    }
}
