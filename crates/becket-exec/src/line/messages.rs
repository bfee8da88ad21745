//! The messages between a host and the supervisor of a line. Each is one line of JSON.

use std::path::PathBuf;

use becket_model::Rights;
use becket_model::event::tool::ExecutedProgram;
use becket_rules::{RuleError, RuleList, RuleOrigin, RuleSet};
use serde::{Deserialize, Serialize};

use crate::matched_rule::MatchedRule;
use crate::network_host::RefusedConnection;
use crate::refused_access::{Access, RefusedAccess};
use crate::supervisor::OnDeny;

/// The rules of a line: the first message of the host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineRules {
    /// Rules that deny programs.
    pub deny: Vec<RuleText>,
    /// Rules that pause programs until the host answers.
    pub ask: Vec<RuleText>,
    /// Conditions of hooks, which pause programs until the host answers as well.
    pub conditions: Vec<RuleText>,
    /// Commands that were already decided as text; see [`crate::Supervisor::with_decided`].
    pub decided: Vec<String>,
    /// The argument lists of the line's own shells; see [`crate::Supervisor::with_own`].
    pub own: Vec<Vec<String>>,
    /// The names of programs that may outlive the line.
    pub kept: Vec<String>,
    /// The consequence of a denial.
    pub on_deny: OnDeny,
    /// The treatment of the line's stderr.
    pub streams: LineStreams,
    /// The rights of the line's programs.
    pub rights: Rights,
    /// Patterns of commands that the settings exclude from these rights. The code that knows the text of the line
    /// applies them, and empties the list.
    #[serde(default)]
    pub excluded: Vec<String>,
    /// The rights that hooks leave to this call of the line; no command is excluded from them.
    #[serde(default)]
    pub call_rights: Rights,
    /// The reason why the line can't be run at all.
    pub refusal: Option<String>,
}

/// The treatment of a line's stderr.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineStreams {
    /// Stderr is a separate stream.
    #[default]
    Apart,
    /// Stderr is merged into stdout.
    Joined,
}

/// A rule as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleText {
    /// The rule.
    pub text: String,
    /// Its source, with file and line.
    pub origin: String,
    /// The base directory of relative paths in the rule.
    pub anchor: PathBuf,
}

/// A message of the supervisor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// Nothing was run.
    NothingRun {
        /// The reason.
        why: String,
    },
    /// The line has ended, and so has everything that it left running.
    Ended {
        /// The exit code as a shell reports it.
        code: u8,
    },
    /// The rules can be raced on this system.
    Weakened {
        /// The weakness.
        what: String,
    },
    /// A program waits for an answer.
    Held(HeldProgram),
    /// A program was not run.
    Denied(DeniedProgram),
    /// An access of a program was refused for lack of rights.
    Refused(Refusal),
}

/// A program that waits for an answer, before its first instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldProgram {
    /// The id of the question.
    pub question: u64,
    /// The reading of its arguments that a rule or a condition matches.
    pub command: String,
    /// The program itself.
    pub program: ExecutedProgram,
    /// The ask rule that pauses it, unless only hooks do.
    pub rule: Option<MatchedRule>,
    /// True if the condition of a hook matches it.
    pub is_for_hooks: bool,
}

/// A program that was not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeniedProgram {
    /// The arguments of the program, joined by blanks.
    pub command: String,
    /// The programs that led to it, ending with itself.
    pub chain: Vec<String>,
    /// The reason for the denial.
    pub reason: String,
}

/// An access that was refused for lack of rights. The program continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The arguments of the program, joined by blanks; empty if it was gone.
    pub command: String,
    /// The programs that led to it, ending with itself.
    pub chain: Vec<String>,
    /// The missing right.
    pub right: RefusedRight,
    /// The path, or the host and the port, if the right concerns one.
    pub target: Option<String>,
    /// The complete message.
    pub text: String,
}

/// A right that a program does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusedRight {
    /// Reading a file.
    Read,
    /// Executing a file.
    Execute,
    /// Writing a file.
    Write,
    /// Opening a socket.
    Socket,
    /// Connecting to a host.
    Connect,
}

impl RefusedRight {
    /// Returns the name of the right as used in messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Execute => "execute",
            Self::Write => "write",
            Self::Socket => "socket",
            Self::Connect => "connect",
        }
    }
}

impl From<&RefusedAccess> for Refusal {
    fn from(refused: &RefusedAccess) -> Self {
        let RefusedAccess { command, chain, access } = refused;
        let (right, path) = match access {
            Access::Read { path } => (RefusedRight::Read, Some(path)),
            Access::Execute { path } => (RefusedRight::Execute, Some(path)),
            Access::Write { path } => (RefusedRight::Write, Some(path)),
            Access::Socket => (RefusedRight::Socket, None),
        };
        Self {
            command: command.clone(),
            chain: chain.names().map(str::to_owned).collect(),
            right,
            target: path.map(|path| path.to_string_lossy().into_owned()),
            text: refused.to_string(),
        }
    }
}

impl From<&RefusedConnection> for Refusal {
    fn from(refused: &RefusedConnection) -> Self {
        let program = refused.program.as_ref();
        Self {
            command: program.map(|program| program.command.clone()).unwrap_or_default(),
            chain: program.iter().flat_map(|program| program.chain.names()).map(str::to_owned).collect(),
            right: RefusedRight::Connect,
            target: Some(refused.endpoint.clone()),
            text: refused.to_string(),
        }
    }
}

/// The host's answer to a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The id of the question.
    pub question: u64,
    /// The reason for a refusal; `None` approves.
    pub refusal: Option<String>,
}

impl LineRules {
    /// Returns whether there are no rules and no conditions, and no right is taken away.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let has_no_rule = self.deny.is_empty() && self.ask.is_empty() && self.conditions.is_empty();
        has_no_rule && self.all_rights().are_all() && self.refusal.is_none()
    }

    /// Returns the rights of the line: the intersection of those of its settings and its call.
    #[must_use]
    pub fn all_rights(&self) -> Rights {
        self.rights.intersection(&self.call_rights)
    }

    /// Returns the compiled rules, and the compiled conditions.
    ///
    /// # Errors
    /// Errors if a rule can't be parsed: a line must not run without it.
    pub fn compile(&self) -> Result<(RuleSet, RuleSet), RuleError> {
        let (mut rules, mut conditions) = (RuleSet::default(), RuleSet::default());
        for (list, texts) in [(RuleList::Deny, &self.deny), (RuleList::Ask, &self.ask)] {
            texts.iter().try_for_each(|text| text.add_to(&mut rules, list))?;
        }
        self.conditions.iter().try_for_each(|text| text.add_to(&mut conditions, RuleList::Ask))?;
        Ok((rules, conditions))
    }
}

impl RuleText {
    fn add_to(&self, rules: &mut RuleSet, list: RuleList) -> Result<(), RuleError> {
        let origin = RuleOrigin { label: self.origin.clone(), anchor: self.anchor.clone() };
        rules.add(list, &self.text, origin).map(drop)
    }
}
