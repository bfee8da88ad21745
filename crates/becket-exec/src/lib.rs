//! Runs a program, and everything that it starts, under the permission rules for Bash.
//!
//! A rule such as `Bash(git push *)` is compared with each program at the moment it is executed: with its final
//! arguments and its real file, before its first instruction. So it applies in scripts, in `make`, in other languages,
//! behind aliases of git and to copies of a program, which no parser of the command line can know.
//!
//! [`Supervisor::run`] starts the program as a child that is traced (ptrace), with every process that it starts. In
//! these processes an `exec` without a tracer fails (seccomp), so nothing gets through if the supervisor ends at any
//! moment. A program that a rule denies exits with 126 and one line on stderr; the others continue. Processes still
//! running when the first program ends are ended.
//!
//! The supervisor fails closed: a program that can't be read does not run, and if the kernel lacks what is needed
//! nothing is run ([`StartError`]).
//!
//! It does not see code that a program loads instead of executing (a library, an interpreter's script), or a program
//! whose file was changed. Rules on files (`Read`, `Edit`) are out of its scope.
//!
//! Supported on Linux on x86_64 and aarch64; elsewhere nothing is run. The supervisor needs its process for itself: it
//! waits for every child, becomes the parent of orphans and ignores the keys that interrupt. It reads no environment.
//!
//! Codes such as (E1) are rules of `docs/protocol.md`.

mod chain;
mod confinement;
mod denial;
mod error;
mod exit_status;
mod host;
pub mod line;
mod matched_rule;
mod network_host;
mod real_rights;
mod refused_access;
#[cfg_attr(
    not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))),
    allow(dead_code, reason = "only Linux decides about programs")
)]
mod rule_gate;
#[cfg_attr(
    not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))),
    allow(dead_code, reason = "only Linux decides about programs, and has a proxy")
)]
mod supervisor;

mod standby;

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod linux;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod proxy;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod running_programs;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
use linux as sys;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod unsupported;
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
use unsupported as sys;

pub use becket_model::{DomainRights, NetworkRights, PathRights, Rights, SignalRights};
pub use chain::Chain;
pub use confinement::Confinement;
pub use denial::{Denial, DenialCause};
pub use error::StartError;
pub use exit_status::ExitStatus;
pub use host::{Host, PendingApproval, Weakness};
pub use matched_rule::MatchedRule;
pub use network_host::{ConnectingProgram, NetworkHost, RefusalCause, RefusedConnection};
pub use real_rights::real_rights;
pub use refused_access::{Access, RefusalList, RefusedAccess};
pub use standby::{StandbyEnd, StandbyLimits, StandbyState};
pub use supervisor::{OnDeny, Program, Supervisor};

pub use sys::Standby;

/// The example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
