//! The supervisor of Linux: ptrace decides, and seccomp keeps what is untraced from executing anything.
//!
//! | file | what it holds |
//! |---|---|
//! | `command.rs`, `child.rs` | the program as C strings; the fork, and what the child does to itself before it executes |
//! | `sandbox.rs` | seccomp filters and Landlock rules that are always on inside |
//! | `host_process.rs` | settings of this process that change while it supervises |
//! | `tracer.rs`, `ptrace.rs` | the loop over what the kernel reports; ptrace and waitpid behind safe functions |
//! | `image.rs`, `memory.rs`, `registers.rs` | the new image of a process as the kernel made it |
//! | `program.rs`, `identity.rs`, `rule_gate.rs` | readings of an argument list, identity of files, the decision |
//! | `answers.rs` | answers to questions, which arrive from other threads |

mod answers;
mod child;
mod command;
mod host_process;
mod identity;
mod image;
mod memory;
mod program;
mod ptrace;
mod registers;
mod rule_gate;
mod sandbox;
mod tracer;

use crate::error::StartError;
use crate::host::{Host, Weakness};
use crate::supervisor::{ExitStatus, Program, Supervisor};
use child::Child;
use command::Command;
use host_process::HostProcess;
use identity::KnownFiles;
use sandbox::Sandbox;
use tracer::Tracer;

/// Runs a program under the supervisor's rules, to its end.
pub(crate) fn run(
    supervisor: &Supervisor,
    program: &Program,
    host: &mut dyn Host,
) -> Result<ExitStatus, StartError> {
    let command = Command::new(program, &supervisor.search_path)?;
    let known = KnownFiles::find(&supervisor.rules, &supervisor.search_path);
    let sandbox = Sandbox::new()?;
    if !sandbox.protects_memory() {
        host.weakened(Weakness::WritableMemory);
    }
    let signals = host_process::block_sigchld()?;
    let child = Child::start(&command, &sandbox, &signals)?;
    let process = HostProcess::supervise(child.id(), signals);
    if let Err(why) = ptrace::seize(child.id()) {
        child.abandon();
        return Err(StartError::NoPtrace(why));
    }
    let status = Tracer::new(&supervisor.rules, &known, host, &child)?.run();
    drop(process);
    status.map_err(|why| child.start_error(why, program))
}
