//! A turn: from a prompt to the moment at which the user is asked again (`protocol.md` L0–L8).

mod class;
mod decide;
mod end;
mod left;
mod meter;
mod retry;
mod tasks;
pub(crate) mod told;

pub use class::ErrorClass;
pub use end::{DeferredCall, Denial, EndReason, TurnEnd};
pub use tasks::{AtTurnEnd, ForTurns, How, InBare, MainTurn, Snapshots, TaskRun, TurnEndTask, TurnEndTasks};
