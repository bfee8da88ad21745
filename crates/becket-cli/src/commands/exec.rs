//! `becket exec`: runs a program, and everything that it starts, under the permission rules.

use super::ask::forget_keys;
use super::fire::{report_errors, started};
use crate::args::{ExecArgs, Global, NetworkChoice};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::style::{WARNING, one_line};
use crate::session::{self, Session};
use becket_engine::Engine;
use becket_engine::config::{FlagSettings, RuleSource, Sources, idle_rule};
use becket_exec::line::LineRules;
use becket_exec::{
    Denial, DomainRights, Host, NetworkHost, NetworkRights, PathRights, PendingApproval, Program,
    RefusalList, RefusedAccess, RefusedConnection, Rights, StartError, Supervisor, Weakness, real_rights,
};
use becket_rules::shell::quoted_word;
use becket_rules::{RuleList, RuleOrigin, RuleSet};
use becket_tools::shell::{ProgramPlaces, exclude, line_rights};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

/// The maximum width of a command in a question, in characters.
const WIDTH: usize = 200;
/// The search path of a process that has none.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Runs the program and returns its exit code.
pub(crate) fn run(args: &ExecArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let (supervisor, directory) = supervisor(args, global, around, out)?;
    let supervisor = supervisor.with_rights(&written_rights(args, &directory)?);
    let supervisor = supervisor.with_network_host(Arc::new(Refusals { out: *out }));
    let Some((name, arguments)) = args.command.split_first() else {
        return Err(CliError::usage("a program is missing"));
    };
    let program = Program {
        name: name.clone(),
        arguments: arguments.to_vec(),
        variables: around.process.vars.clone(),
        directory,
    };
    let mut terminal = Terminal::new(around, *out);
    let status = supervisor.run(&program, &mut terminal);
    out.eprint(&terminal.refusals.to_string());
    status.map(becket_exec::ExitStatus::code).map_err(|why| CliError::NothingRun { why })
}

/// Returns the supervisor, and the directory in which the program starts.
fn supervisor(
    args: &ExecArgs,
    global: &Global,
    around: &Surroundings,
    out: &Out,
) -> Result<(Supervisor, PathBuf), CliError> {
    if let Some(text) = &args.line_rules {
        let unread = |why: String| CliError::usage(format!("the rules of the line can't be read: {why}"));
        let rules: LineRules = serde_json::from_str(text).map_err(|why| unread(why.to_string()))?;
        if let Some(why) = rules.refusal {
            return Err(CliError::NothingRun { why: StartError::UnknownRights { why } });
        }
        let (compiled, _) = rules.compile().map_err(|why| unread(why.to_string()))?;
        let rights = rules.all_rights();
        let own = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let supervisor = Supervisor::new(compiled, search_path(around))
            .with_decided(rules.decided)
            .with_own(vec![own])
            .with_rights(&rights)
            .on_deny(rules.on_deny);
        let directory = around.process.cwd.clone();
        return Ok((
            supervisor,
            directory.ok_or_else(|| unread("there is no working directory".to_owned()))?,
        ));
    }
    let session = prepared(args, global, around, out)?;
    let directory = session.start.clone();
    let engine = started(session.builder(false).build(), around, out)?;
    if !report_errors(&engine, around, out) && args.rules.is_some() {
        return Err(CliError::usage("the rules are not complete, so nothing was run"));
    }
    let rules = rules(args, &engine, &directory, around)?;
    let rights = line_rights(&engine, &directory)
        .map_err(|why| CliError::NothingRun { why: StartError::UnknownRights { why } })?;
    let excluded = engine.config().sandbox.excluded_commands.clone();
    let mut line = LineRules { rights, excluded, ..LineRules::default() };
    let search_path = search_path(around);
    let places = ProgramPlaces { search_path: &search_path, directory: &directory };
    exclude(&mut line, &text(&args.command), places);
    Ok((Supervisor::new(rules, search_path).with_rights(&line.rights), directory))
}

/// Returns a program and its arguments as a shell line; an empty one if they are not valid Unicode.
fn text(command: &[OsString]) -> String {
    let words: Option<Vec<String>> = command.iter().map(|word| word.to_str().map(quoted_word)).collect();
    words.unwrap_or_default().join(" ")
}

/// Returns the rights that the arguments define.
fn written_rights(args: &ExecArgs, directory: &Path) -> Result<Rights, CliError> {
    let real = |given: &[PathBuf]| {
        let real = given.iter().map(|path| {
            let path = directory.join(path);
            path.canonicalize().map_err(|why| CliError::unread(&path, &why))
        });
        real.collect::<Result<Vec<_>, _>>()
    };
    let allowed = |given: &[PathBuf]| match given {
        [] => Ok(PathRights::All),
        given => real(given).map(PathRights::below),
    };
    let network = match args.network {
        None => hosts(args),
        Some(NetworkChoice::Local) => NetworkRights::Local,
        Some(NetworkChoice::None) => NetworkRights::Nothing,
    };
    let denied = |given: &[PathBuf]| given.iter().map(|path| directory.join(path)).collect();
    let rights = Rights {
        read: allowed(&args.read)?,
        write: allowed(&args.write)?,
        deny_read: denied(&args.deny_read),
        deny_write: denied(&args.deny_write),
        network,
        ..Rights::default()
    };
    real_rights(&rights, &[]).map_err(|why| CliError::NothingRun { why })
}

/// Returns the network rights for the hosts in the arguments.
fn hosts(args: &ExecArgs) -> NetworkRights {
    if args.allow_domain.is_empty() && args.deny_domain.is_empty() {
        return NetworkRights::All;
    }
    let allowed: BTreeSet<String> = match args.allow_domain.as_slice() {
        [] => BTreeSet::from(["*".to_owned()]),
        allowed => allowed.iter().cloned().collect(),
    };
    NetworkRights::Domains(DomainRights {
        allowed: BTreeSet::from([allowed]),
        denied: args.deny_domain.iter().cloned().collect(),
        unix_sockets: false,
    })
}

/// Returns the directories that are searched for programs.
pub(in crate::commands) fn search_path(around: &Surroundings) -> Vec<PathBuf> {
    std::env::split_paths(around.var("PATH").unwrap_or(DEFAULT_PATH.as_ref())).collect()
}

/// Returns the session whose rules are in force; with rules in the arguments, one without user and project files.
fn prepared(args: &ExecArgs, global: &Global, around: &Surroundings, out: &Out) -> Result<Session, CliError> {
    if args.rules.is_none() && args.deny.is_empty() && args.ask.is_empty() {
        return session::in_project(global, around, out);
    }
    let file = args.rules.as_ref().map(|file| {
        let file = around.absolute(file);
        // A file that can't be read must not look like one without rules.
        File::open(&file).map_err(|why| CliError::unread(&file, &why))?;
        Ok::<PathBuf, CliError>(file)
    });
    let session = session::launched(global, around)?;
    let flag = file.transpose()?.map(FlagSettings::File).or(session.flag);
    Ok(Session { sources: Sources::none(), flag, ..session })
}

fn rules(args: &ExecArgs, engine: &Engine, start: &Path, around: &Surroundings) -> Result<RuleSet, CliError> {
    let mut rules = RuleSet::default();
    for rule in &engine.config().permissions {
        let origin = RuleOrigin { label: label(rule, around), anchor: rule.anchor.clone() };
        add(&mut rules, rule.list, &rule.text, origin)?;
    }
    for (list, texts) in [(RuleList::Deny, &args.deny), (RuleList::Ask, &args.ask)] {
        for text in texts {
            let origin = RuleOrigin { label: format!("`--{}`", list.key()), anchor: start.to_owned() };
            add(&mut rules, list, text, origin)?;
            // As in a file of `--rules`.
            if let Some(why) = idle_rule(list, text) {
                return Err(CliError::usage(format!("{why}; nothing was run")));
            }
        }
    }
    Ok(rules)
}

fn add(rules: &mut RuleSet, list: RuleList, text: &str, origin: RuleOrigin) -> Result<(), CliError> {
    rules.add(list, text, origin).map(drop).map_err(CliError::usage)
}

/// Returns the origin of a rule, for display.
fn label(rule: &RuleSource, around: &Surroundings) -> String {
    let file: &Path = &rule.location.file;
    match rule.location.line {
        0 => format!("{} ({})", rule.source, around.short(file)),
        line => format!("{} ({}:{line})", rule.source, around.short(file)),
    }
}

/// The user at the terminal, if there is one.
struct Terminal {
    out: Out,
    /// The sender of questions to the thread that asks them, one after another.
    questions: Option<Sender<PendingApproval>>,
    is_attended: bool,
    /// The list that is shown at the end: until then, the programs have the terminal.
    refusals: RefusalList,
}

impl Terminal {
    fn new(around: &Surroundings, out: Out) -> Self {
        let is_attended = around.terminals.stdin && around.terminals.stderr;
        Terminal { out, questions: None, is_attended, refusals: RefusalList::default() }
    }
}

impl Host for Terminal {
    fn ask(&mut self, pending: PendingApproval) {
        if !self.is_attended {
            return pending.refuse("there is nobody to ask");
        }
        let questions = self.questions.get_or_insert_with(|| {
            let (questions, receiver) = channel();
            std::thread::spawn(move || receiver.into_iter().for_each(answer));
            questions
        });
        // If the thread has ended, the question is dropped, which refuses it.
        drop(questions.send(pending));
    }

    fn denied(&mut self, denial: &Denial, silent: bool) {
        if silent {
            self.out.eprint(&denial.line());
        }
    }

    fn refused(&mut self, access: &RefusedAccess) {
        self.refusals.add(access);
    }

    fn weakened(&mut self, weakness: Weakness) {
        self.out.eprint(&format!("{WARNING}becket:{WARNING:#} {weakness}\n"));
    }
}

/// Displays connections that are refused.
struct Refusals {
    out: Out,
}

impl NetworkHost for Refusals {
    fn refused(&self, connection: &RefusedConnection) {
        self.out.eprint(&connection.line());
    }
}

/// Asks one question at the terminal.
fn answer(pending: PendingApproval) {
    match is_approved(&pending) {
        Ok(true) => pending.approve(),
        Ok(false) => pending.refuse("the answer was no"),
        Err(why) => pending.refuse(&format!("the terminal can't be used: {why}")),
    }
}

fn is_approved(pending: &PendingApproval) -> io::Result<bool> {
    let mut terminal = File::options().read(true).write(true).open("/dev/tty")?;
    let PendingApproval { program, chain, rule, .. } = pending;
    let command = one_line(&program.argv.join(" "), WIDTH);
    let rule = rule.as_ref().map_or_else(|| "a hook".to_owned(), |rule| one_line(&rule.text, WIDTH));
    let chain = one_line(&chain.to_string(), WIDTH);
    // Keys typed before the question was shown never answer it.
    forget_keys()?;
    write!(terminal, "becket: run `{command}`? (`{rule}`; run by {chain}) [y/N] ")?;
    let mut line = String::new();
    BufReader::new(terminal).read_line(&mut line)?;
    Ok(matches!(line.trim(), "y" | "Y" | "yes"))
}
