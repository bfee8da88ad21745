//! Records of the time that hooks take, for `becket profile`: off unless `BECKET_PROFILE` is set.
//!
//! A [`TimeRecorder`] observes an engine and appends a [`TimeRecord`] for each event to the [`TimeLog`] of the project.
//!
//! INVARIANT: a record contains names and times, and nothing that a hook reads or prints; and a record that can't be
//! written changes no verdict. The first failure is kept, so that it can be shown once.

pub mod hook_name;
mod log;
mod record;
mod recorder;
mod switch;

pub use log::{TimeLog, log_file, older_log_file};
pub use record::{LONGEST_LINE, RunTime, TimeRecord, VERSION};
pub use recorder::{FirstFailure, RecordedHost, TimeRecorder};
pub use switch::{TimesSwitch, VARIABLE};
