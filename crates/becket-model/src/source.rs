//! Where a handler comes from, and whom to believe when two sources disagree (C3).

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
    /// A plugin, by its full id.
    Plugin(Arc<str>),
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

impl Source {
    /// How far the source is trusted; lower is more. Where two sources disagree, the lower wins (C3, D4).
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

    /// The place of the source in lists, joined reasons and contexts (C6).
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
            Source::Plugin(name) => write!(f, "plugin:{name}"),
            Source::Skill(name) => write!(f, "skill:{name}"),
            Source::Agent(name) => write!(f, "agent:{name}"),
            Source::Callback => f.write_str("callback"),
            Source::Function => f.write_str("function"),
            Source::Flag => f.write_str("flag"),
        }
    }
}

/// Where a handler stands among the handlers of one event, and what its answers may do there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The position in C6 order, unique within one event of one snapshot.
    pub position: u64,
    /// Whose handler it is.
    pub source: Source,
    /// What people know it by: its command, URL, tool or name.
    pub label: Arc<str>,
    /// False where the handler's file has lost the right to grant (C7b): its allows and permission updates count
    /// as no decision.
    pub may_grant: bool,
    /// Whether a failure of it blocks (O10).
    pub on_failure: OnFailure,
}

/// What a failure of a handler means (O10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnFailure {
    /// It decides nothing, and the user is told that the action was not checked.
    #[default]
    Open,
    /// It blocks, on the events where the table says that this counts.
    Block,
}
