//! The loop over the reports of the kernel about the supervised processes.
//!
//! INVARIANT: a process that has executed a program continues only after a decision about it, and a failure to read or
//! to decide kills it.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use becket_model::event::tool::ExecutedProgram as ExecutedOnWire;

use super::accesses::{Accesses, CallStart};
use super::answers::{Answer, Answers, QuestionId};
use super::child::Child;
use super::git_settings::GitSettings;
use super::identity::{Identity, KnownFiles};
use super::image::{Image, ImageError};
use super::nested::{AddedRules, InnerSupervisors};
use super::process_path::openable;
use super::program::{ExecutedProgram, Files, ProgramFile};
use super::ptrace::{self, Report, WaitOutcome};
use super::registers::DENIED;
use crate::chain::Chain;
use crate::denial::{Denial, DenialCause};
use crate::exit_status::ExitStatus;
use crate::host::{Host, PendingApproval};
use crate::refused_access::{Access, RefusedAccess};
use crate::rule_gate::{HoldReason, RuleGate, Ruling};
use crate::running_programs::{self, RunningPrograms};
use crate::supervisor::{OnDeny, Supervisor};

/// Programs that do nothing without root's rights.
const NEED_ROOT: [&str; 4] = ["sudo", "su", "doas", "pkexec"];

/// The supervised processes.
pub(super) struct Tracer<'t> {
    supervisor: &'t Supervisor,
    known: &'t KnownFiles,
    host: &'t mut dyn Host,
    main: libc::pid_t,
    lineages: HashMap<libc::pid_t, Lineage>,
    /// A copy of the chains for the proxy, if there is one.
    running: Option<Arc<RunningPrograms>>,
    /// `None` if this system can't listen: inner supervisors are refused then.
    inner: Option<InnerSupervisors>,
    answers: Answers,
    held: HashMap<QuestionId, HeldProgram>,
    accesses: Accesses<'t>,
    next_question: QuestionId,
    /// True once the first process has executed its program.
    started: bool,
    /// The remaining ones of the host's own programs.
    own: std::slice::Iter<'t, Vec<String>>,
    /// A denied process whose end ends everything.
    last_words: Option<libc::pid_t>,
    /// True if only programs that are kept remain.
    lingers: bool,
    /// The result, once everything is being ended.
    status: Option<ExitStatus>,
}

/// The state that a process inherits from those that led to it.
#[derive(Clone, Default)]
struct Lineage {
    chain: Chain,
    /// True if the process outlives the first process (E7).
    is_kept: bool,
    /// The rules of inner supervisors.
    added: Vec<Rc<AddedRules>>,
}

/// A program that waits for an approval.
struct HeldProgram {
    process: libc::pid_t,
    image: Image,
    reason: HoldReason,
}

impl<'t> Tracer<'t> {
    /// Takes over a child that is traced, and lets it continue.
    pub(super) fn new(
        supervisor: &'t Supervisor,
        known: &'t KnownFiles,
        host: &'t mut dyn Host,
        child: &Child,
        running: Option<Arc<RunningPrograms>>,
    ) -> io::Result<Self> {
        let answers = Answers::new()?;
        if let Some(running) = &running {
            running.insert(child.id(), &Chain::default());
        }
        child.proceed()?;
        Ok(Self {
            running,
            supervisor,
            known,
            host,
            main: child.id(),
            lineages: HashMap::from([(child.id(), Lineage::default())]),
            inner: InnerSupervisors::listen(supervisor.search_path.clone()).ok(),
            answers,
            held: HashMap::new(),
            accesses: Accesses::new(&supervisor.rights),
            next_question: 0,
            started: false,
            own: supervisor.own.iter(),
            lingers: false,
            last_words: None,
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
        if self.status.is_some() && !self.lineage(process).is_kept {
            return ptrace::kill(process);
        }
        match report {
            Report::Executed(thread) => self.executed(process, thread),
            Report::Started(child) => {
                let lineage = self.lineage(process);
                self.insert(child, lineage);
                ptrace::go_on(process, 0);
            }
            Report::GroupStop => ptrace::stay_stopped(process),
            Report::Signal(signal) => ptrace::go_on(process, signal),
            Report::Calling => {
                self.adopt(process);
                self.calling(process);
            }
            Report::Returned => {
                if let Some(access) = self.accesses.returns(process) {
                    self.refused(process, access);
                }
                ptrace::go_on(process, 0);
            }
            Report::Trap | Report::Ended(_) => {
                self.adopt(process);
                ptrace::go_on(process, 0);
            }
        }
    }

    /// Records a new process, which may stop before its parent reports it.
    fn adopt(&mut self, process: libc::pid_t) {
        if !self.lineages.contains_key(&process) {
            let lineage = self.lineage(process);
            self.insert(process, lineage);
        }
    }

    fn insert(&mut self, process: libc::pid_t, lineage: Lineage) {
        if let Some(running) = &self.running {
            running.insert(process, &lineage.chain);
        }
        self.lineages.insert(process, lineage);
    }

    fn remove(&mut self, process: libc::pid_t) {
        if let Some(running) = &self.running {
            running.remove(process);
        }
        self.lineages.remove(&process);
        self.accesses.forget(process);
    }

    /// Lets a process make a system call, or refuses the call.
    fn calling(&mut self, process: libc::pid_t) {
        match self.accesses.record_start(process) {
            CallStart::Plain => ptrace::go_on(process, 0),
            CallStart::Watched => ptrace::go_on_to_return(process),
            CallStart::Refused(access) => self.refuse_call(process, libc::EACCES, access),
            CallStart::Unknown => self.refuse_call(process, libc::ENOSYS, None),
            CallStart::Unread => ptrace::kill(process),
        }
    }

    /// Makes a call return with an error, and reports the access that it requests.
    fn refuse_call(&mut self, process: libc::pid_t, error: libc::c_int, access: Option<Access>) {
        match ptrace::refuse_call(process, error) {
            Ok(()) => {
                if let Some(access) = access {
                    self.refused(process, access);
                }
                ptrace::go_on(process, 0);
            }
            Err(_) => ptrace::kill(process),
        }
    }

    fn refused(&mut self, process: libc::pid_t, access: Access) {
        let chain = self.chain(process);
        if self.accesses.is_new(&chain, &access) {
            self.host.refused(&RefusedAccess { command: running_programs::command(process), chain, access });
        }
    }

    fn ended(&mut self, process: libc::pid_t, status: i32) {
        self.remove(process);
        self.inner.iter().for_each(|inner| drop(inner.take(process)));
        self.held.retain(|_, held| held.process != process);
        if self.last_words == Some(process) {
            self.end_all(ExitStatus::Exited(DENIED));
        } else if process == self.main && self.status.is_none() {
            self.end_all(if libc::WIFEXITED(status) {
                ExitStatus::Exited(u8::try_from(libc::WEXITSTATUS(status)).unwrap_or(u8::MAX))
            } else {
                ExitStatus::Killed(libc::WTERMSIG(status))
            });
        } else if let Some(status) = self.status {
            self.end_all(status);
        }
    }

    /// Kills everything; processes that are started meanwhile are killed at their first report.
    fn end_all(&mut self, status: ExitStatus) {
        self.status = Some(status);
        self.held.clear();
        let is_kept = |process: &libc::pid_t| self.lineages.get(process).is_some_and(|one| one.is_kept);
        let all = self.lineages.keys().copied().chain(children());
        all.filter(|process| !is_kept(process)).for_each(ptrace::kill);
        if !self.lingers && !self.lineages.is_empty() && self.lineages.keys().all(is_kept) {
            self.lingers = true;
            self.host.lingers(status);
        }
    }

    /// Decides about a program that was executed by `thread`, which has become the process.
    fn executed(&mut self, process: libc::pid_t, thread: libc::pid_t) {
        let lineage = self.lineage(thread);
        self.remove(thread);
        self.accesses.forget(process);
        let mut image = match Image::read(process) {
            Ok(image) => image,
            Err(why) => return self.unread(process, lineage.chain, why),
        };
        self.started |= process == self.main;
        let Lineage { chain, is_kept, added } = lineage;
        let name = image.program.name();
        let is_kept = is_kept || self.supervisor.kept.iter().any(|kept| kept == name);
        let chain = chain.with(name);
        self.insert(process, Lineage { chain, is_kept, added: added.clone() });
        if self.is_own(process, &image.program) {
            // The user sees the shells of a host as one shell.
            if let Some(lineage) = self.lineages.get_mut(&process) {
                lineage.chain = Chain::default().with(image.program.name());
            }
            return ptrace::go_on(process, 0);
        }
        if needs_root(process, &image.program) {
            return self.deny(process, image, DenialCause::NeedsRoot);
        }
        match self.decide(process, &image.program, &added) {
            Ruling::Run { named: false } => ptrace::go_on(process, 0),
            Ruling::Run { named: true } => match image.disarm_preloads() {
                Ok(()) => ptrace::go_on(process, 0),
                Err(why) => self.deny(process, image, DenialCause::Unreadable { why: why.to_string() }),
            },
            Ruling::Deny(rule) => self.deny(process, image, DenialCause::Rule(rule)),
            Ruling::Hold(reason) => self.ask(HeldProgram { process, image, reason }),
        }
    }

    /// Decides by the rules of this supervisor and of the inner ones: any denial wins, then any question.
    fn decide(&self, process: libc::pid_t, program: &ExecutedProgram, added: &[Rc<AddedRules>]) -> Ruling {
        let by = |gate: &RuleGate, known: &KnownFiles| {
            gate.decide(&program.readings(&ProcessFiles { known, process }))
        };
        let added = added.iter().filter(|added| !is_among(&added.own, program));
        let own = by(&self.supervisor.gate, self.known);
        added.map(|added| by(&added.gate, &added.known)).fold(own, Ruling::stricter)
    }

    /// Returns whether it is the next of the host's own programs; once another program has run there are none.
    fn is_own(&mut self, process: libc::pid_t, program: &ExecutedProgram) -> bool {
        let next = self.own.next().filter(|_| process == self.main);
        let is_own = next.is_some_and(|next| is_among(std::slice::from_ref(next), program));
        if !is_own {
            self.own = [].iter();
        }
        is_own
    }

    fn ask(&mut self, held: HeldProgram) {
        let question = self.next_question;
        self.next_question += 1;
        let chain = self.chain(held.process);
        let pending = PendingApproval {
            command: held.reason.command.clone(),
            program: on_wire(held.process, &held.image.program, &chain),
            chain,
            rule: held.reason.rule.clone(),
            is_for_hooks: held.reason.is_for_hooks,
            answer: Some(self.answers.sender(question)),
        };
        self.held.insert(question, held);
        self.host.ask(pending);
    }

    fn take(&mut self, Answer { question, refusal }: Answer) {
        // A process that was killed meanwhile is no longer held.
        let Some(HeldProgram { process, mut image, reason }) = self.held.remove(&question) else {
            return;
        };
        let cause = match refusal {
            Some(why) => match reason.rule {
                Some(rule) => DenialCause::NotApproved { rule, why },
                None => DenialCause::Hook { why },
            },
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
            Ok(()) if self.supervisor.on_deny == OnDeny::EndLine => self.end_after(process),
            Ok(()) => ptrace::go_on(process, 0),
            Err(_) => {
                ptrace::kill(process);
                if self.supervisor.on_deny == OnDeny::EndLine {
                    self.end_all(ExitStatus::Exited(DENIED));
                }
            }
        }
    }

    /// Lets a denied program print its line; when it ends, everything is ended.
    fn end_after(&mut self, denied: libc::pid_t) {
        self.last_words.get_or_insert(denied);
        ptrace::go_on(denied, 0);
    }

    fn unread(&mut self, process: libc::pid_t, chain: Chain, why: ImageError) {
        ptrace::kill(process);
        self.started |= process == self.main;
        let cause = match why {
            // The process was killed by others: there is nothing to report.
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

    /// Returns the state that a process has inherited: its own lineage, or that of its parent.
    fn lineage(&mut self, process: libc::pid_t) -> Lineage {
        let known = match self.lineages.contains_key(&process) {
            true => Some(process),
            false => parent(process),
        };
        let Some(known) = known else { return Lineage::default() };
        let added = self.inner.as_ref().map(|inner| inner.take(known)).unwrap_or_default();
        let Some(lineage) = self.lineages.get_mut(&known) else { return Lineage::default() };
        lineage.added.extend(added.into_iter().map(Rc::new));
        lineage.clone()
    }

    fn chain(&mut self, process: libc::pid_t) -> Chain {
        self.lineage(process).chain
    }
}

/// Returns whether a program has one of these argument lists, and is the file that the first argument names.
fn is_among(lists: &[Vec<String>], program: &ExecutedProgram) -> bool {
    lists.iter().any(|list| *list == program.arguments && list.first() == Some(&program.path))
}

/// Returns a program as hooks see it.
fn on_wire(process: libc::pid_t, program: &ExecutedProgram, chain: &Chain) -> ExecutedOnWire {
    let directory = fs::read_link(format!("/proc/{process}/cwd")).unwrap_or_default();
    ExecutedOnWire {
        file: program.file.clone(),
        argv: program.arguments.clone(),
        cwd: directory.to_string_lossy().into_owned(),
        chain: chain.names().map(str::to_owned).collect(),
    }
}

/// The files that a process refers to, compared with the known ones.
struct ProcessFiles<'t> {
    known: &'t KnownFiles,
    process: libc::pid_t,
}

impl Files for ProcessFiles<'_> {
    fn identify(&self, file: ProgramFile<'_>) -> Option<Identity> {
        if self.known.is_empty() {
            return None;
        }
        let process = PathBuf::from(format!("/proc/{}", self.process));
        let path = match file {
            ProgramFile::Running => return self.known.identify(&process.join("exe")),
            ProgramFile::Named(path) => path,
        };
        // A directory that was removed has a path by the kernel's links alone, and these lead from this process's root.
        let (start, linked) = match path.strip_prefix('/') {
            Some(below) => (Ok(PathBuf::from("/")), process.join("root").join(below)),
            None => (fs::read_link(process.join("cwd")), process.join("cwd").join(path)),
        };
        let found = start.and_then(|start| openable(self.process, &start, Path::new(path)));
        found.ok().into_iter().chain([linked]).find_map(|path| self.known.identify(&path))
    }

    fn git_settings(&self, options: &[String]) -> GitSettings {
        GitSettings::of(self.process, options)
    }
}

/// Returns whether the program would get root's rights from its file, which are refused here, and is useless without
/// them.
fn needs_root(process: libc::pid_t, program: &ExecutedProgram) -> bool {
    const SETUID: u32 = 0o4000;
    let name = program.file.rsplit('/').next().unwrap_or_default();
    if !NEED_ROOT.contains(&name) || rustix::process::geteuid().is_root() {
        return false;
    }
    fs::metadata(format!("/proc/{process}/exe"))
        .is_ok_and(|file| file.mode() & SETUID != 0 && file.uid() == 0)
}

/// Returns the parent of a process, or the process of a thread.
fn parent(process: libc::pid_t) -> Option<libc::pid_t> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    field("Tgid:").filter(|group| *group != process).or_else(|| field("PPid:"))
}

/// Returns the children of this process, including adopted orphans.
pub(super) fn children() -> Vec<libc::pid_t> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists.flat_map(|list| list.split(' ').filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}
