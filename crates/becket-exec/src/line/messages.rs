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

/// The rules of a line. The first message of the host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineRules {
    /// Rules whose programs never run.
    pub deny: Vec<RuleText>,
    /// Rules whose programs wait for the host.
    pub ask: Vec<RuleText>,
    /// Conditions of hooks, whose programs wait for the host as well.
    pub conditions: Vec<RuleText>,
    /// Commands that were decided about as a text; see [`crate::Supervisor::with_decided`].
    pub decided: Vec<String>,
    /// The argument lists of the line's own shells; see [`crate::Supervisor::with_own`].
    pub own: Vec<Vec<String>>,
    /// The names of programs that outlive the line.
    pub kept: Vec<String>,
    /// The consequence of a denial.
    pub on_deny: OnDeny,
    /// The treatment of the line's stderr.
    pub streams: LineStreams,
    /// The rights of its programs.
    pub rights: Rights,
    /// Patterns of commands that the settings exclude from these rights. Whoever knows the text of the line applies them, and
    /// empties the list.
    #[serde(default)]
    pub excluded: Vec<String>,
    /// The rights that hooks leave to the call of the line, from which no command is excluded.
    #[serde(default)]
    pub call_rights: Rights,
    /// The reason for which the line can't be run at all.
    pub refusal: Option<String>,
}

/// The treatment of a line's stderr.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LineStreams {
    /// It is a stream of its own.
    #[default]
    Apart,
    /// It is a part of stdout.
    Joined,
}

/// A rule as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RuleText {
    /// The rule.
    pub text: String,
    /// Its source, with file and line.
    pub origin: String,
    /// The directory that paths in it start from.
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
    /// The line has come to its end, and everything that it has left running as well.
    Ended {
        /// The exit code as a shell reports it.
        code: u8,
    },
    /// The rules can be raced here.
    Weakened {
        /// The weakness.
        what: String,
    },
    /// A program waits for an answer.
    Held(HeldProgram),
    /// A program was not run.
    Denied(DeniedProgram),
    /// Rights have refused something to a program.
    Refused(Refusal),
}

/// A program that waits for an answer, before its first instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldProgram {
    /// The number of the question.
    pub question: u64,
    /// The reading of its arguments that a rule or a condition matches.
    pub command: String,
    /// The program itself.
    pub program: ExecutedProgram,
    /// The ask rule that holds it, if it is not held for hooks alone.
    pub rule: Option<MatchedRule>,
    /// Set if the condition of a hook matches it.
    pub is_for_hooks: bool,
}

/// A program that was not run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeniedProgram {
    /// Its arguments, joined by blanks.
    pub command: String,
    /// The programs that led to it, itself last.
    pub chain: Vec<String>,
    /// The reason.
    pub reason: String,
}

/// Something that rights have refused to a program, which goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The arguments of the program, joined by blanks; nothing if it was gone.
    pub command: String,
    /// The programs that led to it, itself last.
    pub chain: Vec<String>,
    /// The right.
    pub right: RefusedRight,
    /// The path, or the host and the port, if the right is about one.
    pub target: Option<String>,
    /// The whole in words.
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
    /// Returns the name of the right, as messages have it.
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
    /// The number of the question.
    pub question: u64,
    /// The reason for a refusal; `None` approves.
    pub refusal: Option<String>,
}

impl LineRules {
    /// Returns whether no rule and no condition is in force, and no right is taken away.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let has_no_rule = self.deny.is_empty() && self.ask.is_empty() && self.conditions.is_empty();
        has_no_rule && self.all_rights().are_all() && self.refusal.is_none()
    }

    /// Returns the rights of the line: those that its settings and its call leave.
    #[must_use]
    pub fn all_rights(&self) -> Rights {
        self.rights.intersection(&self.call_rights)
    }

    /// Returns the compiled rules, and the compiled conditions.
    ///
    /// # Errors
    /// Errors if a rule can't be read: a line must not run without it.
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
