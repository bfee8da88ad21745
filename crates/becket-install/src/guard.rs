//! Guards of a project: ready-made rules and hooks, added to its settings and removed without a trace.
//!
//! The parts, from the folder of a guard to the disk:
//!
//! - [`Guard`]: the folder as it was delivered, with its [`GuardManifest`] and its hash; [`catalog`] has Becket's own
//! - [`RepositoryFacts`]: the tests, branches and formatters of a project, as its files show them
//! - [`Answers`]: the values of a guard's questions, which replace the placeholders in its texts
//! - [`GuardRecords`]: what was added to a project, kept in `.claude/guards.json`
//! - [`incomplete_guards`]: the added guards whose rules and hooks are not all in the settings
//! - [`add_guards`] and [`remove_guards`]: a [`GuardPlan`] of changes, applied as a whole
//!
//! INVARIANT: a guard only restricts: its settings contain deny rules, ask rules and hooks.

mod add;
mod answers;
pub mod catalog;
mod change;
mod error;
mod facts;
mod folder;
mod git_directory;
mod manifest;
mod missing;
mod record;
mod remove;
mod settings;

pub use add::{Addition, add_guards};
pub use answers::Answers;
pub use change::GuardPlan;
pub use error::GuardError;
pub use facts::{Detection, RepositoryFacts};
pub use folder::{Guard, GuardFile};
pub use manifest::{GuardManifest, Question};
pub use missing::{IncompleteGuard, incomplete_guards};
pub use record::{GuardRecord, GuardRecords, SettingsRecord};
pub use remove::remove_guards;
