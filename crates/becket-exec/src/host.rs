//! The program that embeds the supervisor: it answers for the user and shows what happens.

use std::fmt;

use becket_model::event::tool::ExecutedProgram;

use crate::chain::Chain;
use crate::denial::Denial;
use crate::exit_status::ExitStatus;
use crate::matched_rule::MatchedRule;
use crate::refused_access::RefusedAccess;

/// The program that embeds the supervisor. The defaults approve nothing and show nothing.
pub trait Host {
    /// Called once the first process is traced, before it executes anything.
    fn started(&mut self) {}

    /// Receives a program that is paused by an ask rule or the condition of a hook (E4). The program waits until
    /// [`PendingApproval::approve`] or [`PendingApproval::refuse`] is called, from any thread; meanwhile every other
    /// process continues, so this method must return at once.
    fn ask(&mut self, pending: PendingApproval) {
        pending.refuse("there is nobody to ask");
    }

    /// Receives each denial. The denied process has printed its line itself unless `silent` is true: then it was
    /// killed instead, and the host has to show the line.
    fn denied(&mut self, denial: &Denial, silent: bool) {
        let _ = (denial, silent);
    }

    /// Receives an access that was refused for lack of rights, once for each path. The program has received the error
    /// of the system, and continues.
    fn refused(&mut self, access: &RefusedAccess) {
        let _ = access;
    }

    /// Receives the result of the first process, if programs that are kept outlive it; everything else has ended. The
    /// supervisor continues until they end.
    fn lingers(&mut self, status: ExitStatus) {
        let _ = status;
    }

    /// Receives a weakness of this system, before anything is run.
    fn weakened(&mut self, weakness: Weakness) {
        let _ = weakness;
    }
}

impl Host for () {}

/// A weakness of this system that a determined program could use to change the arguments of another one after they
/// were examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Weakness {
    /// The kernel has no Landlock, or an old one: `/proc/PID/mem` of other processes can be written.
    WritableMemory,
}

impl fmt::Display for Weakness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WritableMemory => f.write_str(
                "Landlock (Linux 5.19) is not available here: a program that writes into the memory of another one \
                 can race the rules",
            ),
        }
    }
}

/// A program that waits for an approval, before its first instruction. Dropping it refuses the program.
pub struct PendingApproval {
    /// The reading of its arguments that a rule or a condition matches, joined by blanks: `git push` for
    /// `/usr/bin/git -C dir push`.
    pub command: String,
    /// The program itself.
    pub program: ExecutedProgram,
    /// The programs that led to it, ending with itself.
    pub chain: Chain,
    /// The ask rule that pauses it, unless only hooks do.
    pub rule: Option<MatchedRule>,
    /// True if the condition of a hook matches it.
    pub is_for_hooks: bool,
    /// Delivers the answer: the reason for a refusal, or `None`.
    pub(crate) answer: Option<Box<dyn FnOnce(Option<String>) + Send>>,
}

impl PendingApproval {
    /// Allows the program to run.
    pub fn approve(mut self) {
        self.pass_on(None);
    }

    /// Denies the program; `why` completes the sentence "… asks first, and …".
    pub fn refuse(mut self, why: &str) {
        self.pass_on(Some(why.to_owned()));
    }

    fn pass_on(&mut self, refusal: Option<String>) {
        if let Some(answer) = self.answer.take() {
            answer(refusal);
        }
    }
}

impl Drop for PendingApproval {
    fn drop(&mut self) {
        self.pass_on(Some("the question was not answered".to_owned()));
    }
}

impl fmt::Debug for PendingApproval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingApproval")
            .field("command", &self.command)
            .field("rule", &self.rule)
            .finish_non_exhaustive()
    }
}
