//! The small program: `becket fire --stdin-event` without the other parts of the full program.
//!
//! Packages ship it as `becket`, with the full program beside it as `becket-full`. It answers events whose hooks are
//! commands, and hands everything else over to the full program: other commands and options, configurations with an
//! error, plans with handlers of other kinds.
//!
//! INVARIANT: it hands over before any side effect, with all that it has read of stdin, and never after a hook was
//! started. Without the full program an event that can be blocked is blocked.

mod program;

use becket_fire::{ProcessContext, untraced};
use std::process::ExitCode;

/// The allocator, since that of musl requests nearly every page from the system, and returns it.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: talc::TalcLock<
    spinning_top::RawSpinlock,
    talc::source::GlobalAllocSource<std::alloc::System>,
> = talc::TalcLock::new(talc::source::GlobalAllocSource::new(std::alloc::System));

fn main() -> ExitCode {
    untraced::begin();
    program::run(&ProcessContext::of_process())
}
