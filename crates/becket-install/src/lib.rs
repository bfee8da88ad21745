//! Becket as a hook in the configurations of other agents, and guards in those of projects: added in place, and removed without
//! a trace.
//!
//! The parts, from the table to the disk:
//!
//! - [`AgentConfig`]: the configuration of one agent: its files, the form of an entry, its limits; all are in
//!   [`AGENTS`]
//! - [`HookCommand`]: the command of an entry, which refuses in the agent's own form if `becket` can't be run
//! - [`ConfigText`]: entries added to the text of a file and removed from it; every other byte stays
//! - [`becket_base::config_file`]: a file as it was read, replaced whole or not at all, and only if it is unchanged
//! - [`Records`]: the additions, their files, and the earlier content
//! - [`install`], [`uninstall`] and [`status`]: one agent in one scope
//! - [`hooks_off`]: settings that keep an agent from running its entries
//! - [`guard`]: guards of a project, added to its settings and removed again
//! - [`translated`]: hooks in the native form of an agent, without Becket
//!
//! Nothing here reads the environment or the home directory: [`Places`] contains all paths.
//!
//! INVARIANT: a file that can't be changed as intended is not changed at all.

mod agent;
mod agents;
mod command;
mod document;
mod entry_difference;
mod file_change;
pub mod guard;
mod installation;
mod off_switch;
mod own_file;
mod program;
mod record;
mod status;
mod translation;
mod trust_record;

pub use agent::{
    AgentConfig, ConfigForm, ListEntry, Location, OffSwitch, Places, PluginKind, RegisteredEvent, Scope,
    SwitchKind,
};
pub use agents::{AGENTS, agent};
pub use command::{HookCommand, MARKER, is_own};
pub use document::{ConfigText, DocumentError, EditedText, Entry, Insertion, OwnEntry, SettingsItem};
pub use entry_difference::EntryDifference;
pub use file_change::FileChange;
pub use installation::{Change, InstallError, Installation, Plan, install, uninstall};
pub use off_switch::{HooksOff, hooks_off};
pub use program::{ProgramError, check_program};
pub use record::{FileRecord, RecordError, Records};
pub use status::{AgentStatus, ChangedEntry, EntryLimit, FileStatus, status};
pub use translation::{NativeHook, takes_matcher, translated};
pub use trust_record::TrustRecord;
