//! Real agents against a scripted model on the loopback: no key, and no request that leaves the machine.
//!
//! - [`ModelServer`] speaks the protocols of four model APIs and answers with the turns of a [`Script`].
//! - [`AgentDriver`] configures one agent for that server in a scratch home; [`DRIVERS`] lists them, one file each in
//!   `agents/`.
//! - [`GatewayDriver`] and [`AcpDriver`] do the same for agents behind `becket mcp gateway` and `becket acp`.
//! - [`TerminalDriver`] is for agents at a terminal, with a user who types.
//! - [`AgentRun`] starts the agent under a limit and ends its process group afterwards.
//!
//! The hooks of the agent are up to the caller: a driver writes none, and [`Launch::write`] runs before they are
//! registered.

mod agents;
mod driver;
#[cfg(target_os = "linux")]
mod isolation;
mod launch;
mod model;
#[cfg(unix)]
mod run;

pub use agents::{DRIVERS, acp_driver, driver, gateway_driver, terminal_driver};
pub use driver::{
    AcpDriver, AgentDriver, AskAnswer, GatewayCommand, GatewayDriver, GatewayTool, Scratch, TerminalDriver,
};
#[cfg(target_os = "linux")]
pub use isolation::{check_isolation, isolated};
pub use launch::{ConfigFile, Launch};
pub use model::{CallInput, ModelRequest, ModelServer, Protocol, Script, ToolCall, Turn};
#[cfg(unix)]
pub use run::{AgentRun, RunEnd};
