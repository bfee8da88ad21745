//! Replays recorded sessions: the decisions that these hooks and rules would have made about past calls.
//!
//! [`Replay::run`] fires the events of transcripts at the configuration as it is, in a scratch copy of the project
//! ([`Scratch`]), and optionally at another one. No call is ever executed. Handlers that need the network never run.
//!
//! **It measures its own fidelity.** The records of hooks in a transcript are compared with their answers now, per
//! handler ([`HandlerStatus`]). The programs, the clock and the network that a hook uses are watched, and a hook whose
//! decision can change with them is set aside, with the reason: [`Dependence`].
//!
//! **It does no harm.** [`confined`] takes from the hooks the right to write and to change attributes of files outside
//! of the scratch copies, to open sockets and to send signals to other processes. Ending what hooks leave running is up
//! to the host (`becket_process::continue_in_child`).

mod bisect;
mod cause;
mod confined;
mod copy_git;
mod dependence;
mod engines;
mod keep;
mod places;
mod probe;
mod records;
mod report;
mod run;
mod scratch;
mod settings_change;
mod shape;
mod side;
mod stage;
mod tally;
mod word;

pub use confined::{ConfinementError, confined};
pub use dependence::Dependence;
pub use keep::{KeptCases, case_file};
pub use report::{
    DifferenceReport, DisagreementReport, HandlerReport, HandlerStatus, ReplayReport, SetAsideReport,
    ShapeReport, TranscriptsReport,
};
pub use run::{Replay, ReplayError, ReplayProgress, ReplayResult};
pub use scratch::{Scratch, ScratchError};
