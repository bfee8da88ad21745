//! A turn: from a prompt to the moment at which the user is asked again (`protocol.md` L0–L8).

mod answer;
mod ask;
mod batch;
mod class;
pub(crate) mod core;
mod decide;
mod display;
mod end;
mod fallback;
mod fill;
mod instruct;
mod left;
mod mail;
mod meter;
mod prepare;
mod retry;
mod room;
mod seat;
mod stop;
mod switch;
mod talk;
mod tasks;
pub(crate) mod told;
mod work;

pub use class::ErrorClass;
pub use core::TurnOptions;
pub use end::{DeferredCall, Denial, EndReason, RejectedByHook, TurnEnd};
pub use tasks::{AtTurnEnd, ForTurns, How, InBare, MainTurn, Snapshots, TaskRun, TurnEndTask, TurnEndTasks};

pub(crate) use core::{Asked, Core, Fired, error};
pub(crate) use fallback::Fallback;
pub(crate) use prepare::Woken;
pub(crate) use stop::StopEvent;
pub(crate) use switch::Switch;
pub(crate) use talk::Talk;
pub(crate) use work::{Begin, TurnStart, Work};
