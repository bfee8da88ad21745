//! The cost of hooks: the time that each of their runs took, from records of Becket and from transcripts.
//!
//! Hosts append a [`TimeRecord`](becket_fire::times::TimeRecord) for each event to a log. A [`Profile`] counts them:
//! its size depends on the number of hooks and sessions, not on that of runs, except for the last events, which it
//! keeps for timelines.

mod critical_path;
mod distribution;
mod page;
mod reader;
mod recorded_times;
mod report;
mod session_times;
mod statistics;
mod trace;

pub use page::page;
pub use reader::UnreadLog;
pub use report::{
    Bucket, EventProfile, HookProfile, PathStep, ProfileReport, SessionProfile, TimelineEvent, TimelineRun,
    UnreadLines,
};
pub use statistics::Profile;
pub use trace::trace;
