//! The end of a turn: the host's own tasks, Stop hooks, and the decision to continue (L3, L4, L6, L8).

mod background;
mod decide;
mod event;
mod run;
mod summary;
mod teammate;

pub(crate) use event::StopEvent;

pub(super) use decide::StopCount;
