//! The loop over what the kernel reports about the supervised processes.
//!
//! INVARIANT: a process that has executed a program goes on only after a decision about it, and a failure to read or to
//! decide kills it.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use becket_rules::RuleSet;

use super::answers::{Answer, Answers, QuestionId};
use super::child::Child;
use super::identity::{Identity, KnownFiles};
use super::image::{Image, ImageError};
use super::program::{ExecutedProgram, Files, ProgramFile};
use super::ptrace::{self, Report, WaitOutcome};
use super::rule_gate::{self, Ruling};
use crate::chain::Chain;
use crate::denial::{Denial, DenialCause};
use crate::host::{Host, PendingApproval};
use crate::supervisor::ExitStatus;

/// Programs that do nothing without the rights of root.
const NEED_ROOT: [&str; 4] = ["sudo", "su", "doas", "pkexec"];

/// The supervised processes.
pub(super) struct Tracer<'t> {
    rules: &'t RuleSet,
    known: &'t KnownFiles,
    host: &'t mut dyn Host,
    main: libc::pid_t,
    chains: HashMap<libc::pid_t, Chain>,
    answers: Answers,
    held: HashMap<QuestionId, HeldProgram>,
    next_question: QuestionId,
    /// The first process has executed its program.
    started: bool,
    /// The end of the first process; everything else is ended then.
    status: Option<ExitStatus>,
}

/// A program that waits for an approval.
struct HeldProgram {
    process: libc::pid_t,
    image: Image,
    rule: String,
    origin: String,
}

impl<'t> Tracer<'t> {
    /// Takes over a child that is traced, and lets it go on.
    pub(super) fn new(
        rules: &'t RuleSet,
        known: &'t KnownFiles,
        host: &'t mut dyn Host,
        child: &Child,
    ) -> io::Result<Self> {
        let answers = Answers::new()?;
        child.proceed()?;
        Ok(Self {
            rules,
            known,
            host,
            main: child.id(),
            chains: HashMap::from([(child.id(), Chain::default())]),
            answers,
            held: HashMap::new(),
            next_question: 0,
            started: false,
            status: None,
        })
    }

    /// Runs until no process is left.
    ///
    /// # Errors
    /// Errors if the first process has ended without executing anything.
    pub(super) fn run(mut self) -> io::Result<ExitStatus> {
        loop {
            while let Some(answer) = self.answers.next() {
                self.take(answer);
            }
            match ptrace::wait(self.held.is_empty())? {
                WaitOutcome::Report(process, report) => self.handle(process, report),
                WaitOutcome::Nothing => self.answers.wait(),
                WaitOutcome::NoChildren => break,
            }
        }
        let nothing = || io::Error::other("it ended before it was executed");
        self.status.filter(|_| self.started).ok_or_else(nothing)
    }

    fn handle(&mut self, process: libc::pid_t, report: Report) {
        if let Report::Ended(status) = report {
            return self.ended(process, status);
        }
        if self.status.is_some() {
            return ptrace::kill(process);
        }
        match report {
            Report::Executed(thread) => self.executed(process, thread),
            Report::Started(child) => {
                let chain = self.chain(process);
                self.chains.insert(child, chain);
                ptrace::go_on(process, 0);
            }
            Report::GroupStop => ptrace::stay_stopped(process),
            Report::Signal(signal) => ptrace::go_on(process, signal),
            Report::Executing | Report::Trap | Report::Ended(_) => {
                // A new process may stop before its parent reports it.
                if !self.chains.contains_key(&process) {
                    let chain = self.chain(process);
                    self.chains.insert(process, chain);
                }
                ptrace::go_on(process, 0);
            }
        }
    }

    fn ended(&mut self, process: libc::pid_t, status: i32) {
        self.chains.remove(&process);
        self.held.retain(|_, held| held.process != process);
        if process == self.main {
            self.status = Some(if libc::WIFEXITED(status) {
                ExitStatus::Exited(u8::try_from(libc::WEXITSTATUS(status)).unwrap_or(u8::MAX))
            } else {
                ExitStatus::Killed(libc::WTERMSIG(status))
            });
            self.held.clear();
        }
        if self.status.is_some() {
            self.chains.keys().for_each(|process| ptrace::kill(*process));
            children().into_iter().for_each(ptrace::kill);
        }
    }

    /// Decides about a program that was executed by `thread`, which has become the process.
    fn executed(&mut self, process: libc::pid_t, thread: libc::pid_t) {
        let chain = self.chains.remove(&thread).unwrap_or_else(|| self.chain(process));
        let mut image = match Image::read(process) {
            Ok(image) => image,
            Err(why) => return self.unread(process, chain, why),
        };
        self.started |= process == self.main;
        self.chains.insert(process, chain.with(image.program.name()));
        if needs_root(process, &image.program) {
            return self.deny(process, image, DenialCause::NeedsRoot);
        }
        let files = ProcessFiles { known: self.known, process };
        match rule_gate::decide(self.rules, &image.program, &files) {
            Ruling::Run { named: false } => ptrace::go_on(process, 0),
            Ruling::Run { named: true } => match image.disarm_preloads() {
                Ok(()) => ptrace::go_on(process, 0),
                Err(why) => self.deny(process, image, DenialCause::Unreadable { why: why.to_string() }),
            },
            Ruling::Deny(cause) => self.deny(process, image, cause),
            Ruling::Ask { rule, origin } => self.ask(HeldProgram { process, image, rule, origin }),
        }
    }

    fn ask(&mut self, held: HeldProgram) {
        let question = self.next_question;
        self.next_question += 1;
        let pending = PendingApproval {
            command: held.image.program.command(),
            chain: self.chain(held.process),
            rule: held.rule.clone(),
            origin: held.origin.clone(),
            answer: Some(self.answers.sender(question)),
        };
        self.held.insert(question, held);
        self.host.ask(pending);
    }

    fn take(&mut self, Answer { question, refusal }: Answer) {
        // A process that was killed meanwhile is held no more.
        let Some(HeldProgram { process, mut image, rule, origin }) = self.held.remove(&question) else {
            return;
        };
        let cause = match refusal {
            Some(why) => DenialCause::NotApproved { rule, origin, why },
            None => match image.disarm_preloads() {
                Ok(()) => return ptrace::go_on(process, 0),
                Err(why) => DenialCause::Unreadable { why: why.to_string() },
            },
        };
        self.deny(process, image, cause);
    }

    fn deny(&mut self, process: libc::pid_t, mut image: Image, cause: DenialCause) {
        let denial = Denial { command: image.program.command(), chain: self.chain(process), cause };
        let replaced = image.replace_by_message(&denial.line());
        self.host.denied(&denial, replaced.is_err());
        match replaced {
            Ok(()) => ptrace::go_on(process, 0),
            Err(_) => ptrace::kill(process),
        }
    }

    fn unread(&mut self, process: libc::pid_t, chain: Chain, why: ImageError) {
        ptrace::kill(process);
        self.started |= process == self.main;
        let cause = match why {
            // It was killed by others: there is nothing to report.
            ImageError::Refused(why) if matches!(why.raw_os_error(), Some(libc::ESRCH | libc::ENOENT)) => {
                return;
            }
            ImageError::Refused(why) => DenialCause::Unreadable { why: why.to_string() },
            ImageError::ThirtyTwoBit => DenialCause::ThirtyTwoBit,
        };
        let file = fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
        let command = file.to_string_lossy().into_owned();
        self.host.denied(&Denial { chain: chain.with(&command), command, cause }, true);
    }

    /// Returns the programs that led to a process: its own, or those of its parent.
    fn chain(&self, process: libc::pid_t) -> Chain {
        let known = |process: libc::pid_t| self.chains.get(&process).cloned();
        known(process).or_else(|| known(parent(process)?)).unwrap_or_default()
    }
}

/// The files that a process means, compared with the known ones.
struct ProcessFiles<'t> {
    known: &'t KnownFiles,
    process: libc::pid_t,
}

impl Files for ProcessFiles<'_> {
    fn identify(&self, file: ProgramFile<'_>) -> Option<Identity> {
        let process = PathBuf::from(format!("/proc/{}", self.process));
        self.known.identify(&match file {
            ProgramFile::Running => process.join("exe"),
            ProgramFile::Named(path) => match path.strip_prefix('/') {
                Some(absolute) => process.join("root").join(absolute),
                None => process.join("cwd").join(path),
            },
        })
    }
}

/// Returns whether the program would get the rights of root from its file, which are refused here, and is of no use
/// without.
fn needs_root(process: libc::pid_t, program: &ExecutedProgram) -> bool {
    const SETUID: u32 = 0o4000;
    let name = program.file.rsplit('/').next().unwrap_or_default();
    if !NEED_ROOT.contains(&name) || rustix::process::geteuid().is_root() {
        return false;
    }
    fs::metadata(format!("/proc/{process}/exe"))
        .is_ok_and(|file| file.mode() & SETUID != 0 && file.uid() == 0)
}

/// Returns the parent of a process, and of a thread its process.
fn parent(process: libc::pid_t) -> Option<libc::pid_t> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    field("Tgid:").filter(|group| *group != process).or_else(|| field("PPid:"))
}

/// Returns the children of this process, adopted orphans among them.
fn children() -> Vec<libc::pid_t> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split(' ').filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}
