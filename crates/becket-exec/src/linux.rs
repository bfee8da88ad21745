//! The supervisor on Linux: ptrace decides, and seccomp prevents untraced processes from executing anything.
//!
//! | file | contents |
//! |---|---|
//! | `command.rs`, `child.rs` | the program as C strings; the fork, and the steps of the child before it executes |
//! | `sandbox.rs`, `confinement.rs` | seccomp filters and Landlock rules: those that are always on, and those for rights |
//! | `namespaces.rs` | the program's own namespaces: of mounts, and of a network whose only way out is the proxy |
//! | `mounts.rs` | mounts over the files that are denied inside of an allowed directory |
//! | `nested.rs`, `inner.rs` | a supervisor inside of another one: the rules are handed over, the program is run |
//! | `host_process.rs` | settings of this process that change while it supervises |
//! | `tracer.rs`, `ptrace.rs` | the loop over the reports of the kernel; ptrace and waitpid behind safe functions |
//! | `accesses.rs`, `../running_programs.rs` | system calls that rights refuse, and owners of connections, for reports |
//! | `attributes.rs` | attributes of files that threads without a tracer change |
//! | `image.rs`, `memory.rs`, `registers.rs` | the new image of a process as the kernel created it |
//! | `program.rs`, `identity.rs`, `git_settings.rs` | readings of an argument list, known files, settings of git |
//! | `linger.rs` | a supervisor that outlives its line |
//! | `standby.rs`, `standby/` | commands that are started ahead of their input, and the calls at which they wait |
//! | `answers.rs` | answers to questions, which arrive from other threads |

mod accesses;
mod answers;
mod attributes;
mod child;
mod command;
mod confinement;
mod git_settings;
mod host_process;
mod identity;
mod image;
mod inner;
pub(crate) mod linger;
mod memory;
mod mounts;
mod namespaces;
mod nested;
mod process_path;
mod program;
mod ptrace;
mod registers;
mod sandbox;
mod standby;
mod tracer;

use std::os::unix::net::UnixStream;
use std::sync::Arc;

use crate::error::StartError;
use crate::exit_status::ExitStatus;
use crate::host::{Host, Weakness};
use crate::proxy::{self, DomainGate, NetworkProxy};
use crate::running_programs::RunningPrograms;
use crate::supervisor::{Program, Supervisor};
pub(crate) use attributes::AttributeSupervisor;
use becket_model::{NetworkRights, Rights};
use child::Child;
use command::Command;
use host_process::HostProcess;
use identity::KnownFiles;
pub(crate) use sandbox::Sandbox;
pub use standby::Standby;
use tracer::Tracer;

/// Prepares rights for a process without a supervisor.
pub(crate) fn confine(rights: &Rights) -> Result<Sandbox, StartError> {
    check(rights)?;
    Sandbox::of_rights(rights)
}

/// Runs a program to its end under the supervisor's rules.
pub(crate) fn run(
    supervisor: &Supervisor,
    program: &Program,
    host: &mut dyn Host,
) -> Result<ExitStatus, StartError> {
    let gate = match &supervisor.rights.network {
        NetworkRights::Domains(domains) => Some(DomainGate::new(domains)?),
        NetworkRights::All | NetworkRights::Local | NetworkRights::Nothing => None,
    };
    let variables = gate.as_ref().map(proxy::variables).unwrap_or_default();
    let command = Command::new(program, &supervisor.search_path, &variables)?;
    check(&supervisor.rights)?;
    if nested::hand_over(supervisor).map_err(StartError::Nested)? {
        return inner::run(supervisor, program, &command, host);
    }
    let known = KnownFiles::find(&supervisor.gate, &supervisor.search_path);
    let sandbox = Sandbox::new(&supervisor.rights)?;
    if !sandbox.protects_memory() {
        host.weakened(Weakness::WritableMemory);
    }
    let signals = host_process::block_sigchld()?;
    let (ours, theirs) = UnixStream::pair()?;
    let child = Child::start(&command, &sandbox, &signals, Some(&theirs))?;
    drop(theirs);
    let process = HostProcess::supervise(child.id(), signals);
    let running = gate.is_some().then(Arc::<RunningPrograms>::default);
    let started = gate.zip(running.clone()).map(|(gate, running)| {
        NetworkProxy::start(ours, gate, Arc::clone(&supervisor.network_host.0), running)
    });
    let _proxy = match started.transpose() {
        Ok(proxy) => proxy,
        Err(why) => {
            child.abandon();
            return Err(why.into());
        }
    };
    if let Err(why) = ptrace::seize(child.id()) {
        child.abandon();
        return Err(StartError::NoPtrace(why));
    }
    host.started();
    let status = Tracer::new(supervisor, &known, host, &child, running)?.run();
    drop(process);
    status.map_err(|why| child.start_error(why, program))
}

/// Checks that all paths of the rights exist: a missing one would be a right that is silently lost.
fn check(rights: &Rights) -> Result<(), StartError> {
    match confinement::missing(rights) {
        None => Ok(()),
        Some((path, why)) => Err(StartError::RightsPath { path: path.to_owned(), why }),
    }
}
