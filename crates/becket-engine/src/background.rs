//! Hooks that continue after their event (A1–A5).
//!
//! A run that the event does not wait for is adopted here: it starts when its session has room, is owned until it has
//! ended, and its result is handed over once. All decisions are made in two pure parts: [`ledger`] (which hooks run,
//! which wait, and which results are due) and [`verdict`] (which output of an ended hook counts). Around them:
//! [`registry`] adopts, [`turn`] is the task of one hook, [`state_file`] informs other processes.
//!
//! Nothing here decides anything about an event: a background hook's decisions are named in a warning and dropped.

mod answer;
mod background_end;
mod book;
mod delivery;
mod files;
mod hook;
mod ledger;
mod registry;
mod state_file;
mod turn;
mod verdict;
mod wakes;

pub use delivery::{BackgroundDelivery, Wake};
pub use files::{BackgroundFile, Owner, RecordedHook, UnreadableRecord, background_in};
pub use hook::{BackgroundHook, PendingState};
pub use wakes::Wakes;

pub(crate) use background_end::BackgroundEnd;
pub(crate) use registry::{Adoption, Background};
