//! The source of a handler, and the precedence if two sources disagree (C3).

use crate::table::{EventSpec, Exit2Effect, OnFailureEffect};
use std::fmt;
use std::sync::Arc;

/// The origin of a handler, a rule or a setting.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Source {
    /// Managed settings.
    Policy,
    /// The user's settings.
    User,
    /// The project's shared settings.
    Project,
    /// The project's settings of this machine.
    Local,
    /// A plugin.
    Plugin(PluginSource),
    /// The frontmatter of a skill.
    Skill(Arc<str>),
    /// The frontmatter of an agent.
    Agent(Arc<str>),
    /// Registered by the host.
    Callback,
    /// Registered by the host for one session.
    Function,
    /// Passed on the command line.
    Flag,
}

/// The plugin that a handler comes from: the id under which it is installed, which policy and settings use, and its
/// display name (C9).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PluginSource {
    /// `plugin@marketplace`.
    pub id: Arc<str>,
    /// The name that its manifest gives it.
    pub name: Arc<str>,
}

impl From<&str> for PluginSource {
    /// Creates a plugin without a name in its manifest: its name is the part before the `@` of its id.
    fn from(id: &str) -> Self {
        let name = id.rsplit_once('@').map_or(id, |(name, _)| name);
        PluginSource { id: id.into(), name: name.into() }
    }
}

impl Source {
    /// Returns the rank of trust in the source; a lower rank is more trusted, and wins if sources disagree (C3, D4).
    pub const fn trust_rank(&self) -> u8 {
        match self {
            Source::Policy => 0,
            Source::Callback | Source::Function => 1,
            Source::Flag => 2,
            Source::User => 3,
            Source::Local => 4,
            Source::Project => 5,
            Source::Plugin(_) => 6,
            Source::Skill(_) | Source::Agent(_) => 7,
        }
    }

    /// Returns the position of the source in lists, joined reasons and contexts (C6).
    pub const fn list_rank(&self) -> u8 {
        match self {
            Source::Policy => 0,
            Source::User => 1,
            Source::Project => 2,
            Source::Local => 3,
            Source::Plugin(_) => 4,
            Source::Skill(_) => 5,
            Source::Agent(_) => 6,
            Source::Callback => 7,
            Source::Function => 8,
            Source::Flag => 9,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Policy => f.write_str("policy"),
            Source::User => f.write_str("user"),
            Source::Project => f.write_str("project"),
            Source::Local => f.write_str("local"),
            Source::Plugin(plugin) => write!(f, "plugin:{}", plugin.name),
            Source::Skill(name) => write!(f, "skill:{name}"),
            Source::Agent(name) => write!(f, "agent:{name}"),
            Source::Callback => f.write_str("callback"),
            Source::Function => f.write_str("function"),
            Source::Flag => f.write_str("flag"),
        }
    }
}

/// The position of a handler among the handlers of one event, and the privileges of its answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandlerOrigin {
    /// The position in C6 order, unique within one event of one snapshot.
    pub position: u64,
    /// The source of the handler.
    pub source: Source,
    /// Its label: its command, URL, tool or name.
    pub label: Arc<str>,
    /// The privileges of its answers.
    pub privileges: Privileges,
    /// Its failure mode: whether a failure of it blocks (O10).
    pub on_failure: OnFailure,
    /// Its enforcement: its answers count, or are only recorded (G5).
    pub enforcement: Enforcement,
}

/// The effect of a handler's answers: whether they count, or are only observed (G5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Enforcement {
    /// The answers count.
    #[default]
    Enforce,
    /// The answers don't count, and the user is warned of what they would have done.
    Warn,
    /// The answers don't count, and reports note what they would have done.
    Observe,
}

impl Enforcement {
    /// All modes, strictest first.
    pub const ALL: [Enforcement; 3] = [Enforcement::Enforce, Enforcement::Warn, Enforcement::Observe];

    /// Returns the mode as the key `mode` spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Enforcement::Enforce => "enforce",
            Enforcement::Warn => "warn",
            Enforcement::Observe => "observe",
        }
    }

    /// Returns the stricter of the two.
    #[must_use]
    pub const fn stricter(self, other: Self) -> Self {
        match (self, other) {
            (Enforcement::Enforce, _) | (_, Enforcement::Enforce) => Enforcement::Enforce,
            (Enforcement::Warn, _) | (_, Enforcement::Warn) => Enforcement::Warn,
            (Enforcement::Observe, Enforcement::Observe) => Enforcement::Observe,
        }
    }
}

/// The privileges of a handler's answers. Answers can always restrict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Privileges {
    /// Every decision counts.
    #[default]
    Full,
    /// A guard of its file is broken: its allows and permission updates count as no decision (C7b).
    BrokenGuard,
    /// Its file came with a folder that is not trusted: its allows and permission updates count as no decision, and a
    /// call that it rewrites is asked about (G3).
    Untrusted,
}

/// The effect of a handler's failure (O10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFailure {
    /// A failure decides nothing, and the user is informed that the action was not checked.
    #[default]
    Continue,
    /// A failure blocks, on the events where the table says that this counts.
    Block,
}

impl OnFailure {
    /// The default of a callback: its failure denies a tool call and rejects a prompt; elsewhere it decides nothing (H9).
    pub const fn of_callback(spec: &EventSpec) -> Self {
        match spec.exit_2.effect {
            Exit2Effect::DenyTool | Exit2Effect::RejectPrompt | Exit2Effect::BlockExpansion => {
                OnFailure::Block
            }
            Exit2Effect::Proceed
            | Exit2Effect::Ignored
            | Exit2Effect::ContinueTurn
            | Exit2Effect::Feedback
            | Exit2Effect::StopLoop
            | Exit2Effect::Rollback
            | Exit2Effect::RefuseCompletion
            | Exit2Effect::KeepWorking
            | Exit2Effect::BlockCompaction
            | Exit2Effect::BlockSwitch
            | Exit2Effect::BlockChange
            | Exit2Effect::FailCreation
            | Exit2Effect::Decline => OnFailure::Continue,
        }
    }

    /// Returns whether a failure on an event of `spec` blocks (O10).
    pub fn closes(self, spec: &EventSpec) -> bool {
        self == OnFailure::Block && spec.on_failure == OnFailureEffect::Block
    }
}
