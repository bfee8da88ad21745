//! The control protocol: the program that started this one communicates with it over stdin and stdout, in addition to
//! the messages of its user and the lines about the session. The public agent SDKs are such programs; here each is
//! called the host.
//!
//! - [`lines`]: reads stdin, on a thread of its own
//! - [`host_message`]: a control line, read
//! - [`host`]: the requests to the host, and their pending answers
//! - [`initialize`]: the first request, which describes the session
//! - [`hooks`], [`person`], [`elicit`], [`server`]: the services of the host: callbacks, permissions, elicitations, MCP
//!   servers
//! - [`session_states`]: the state of the session in lines
//! - [`server_changes`]: the changes to MCP servers that the host has requested
//!
//! INVARIANT: an unanswered request to the host, for any reason, counts as a failure of the host and never as its
//! consent. An unreadable line ends the run with an error that names its number; none is skipped.

mod answers;
mod delivered_args;
mod elicit;
mod hooks;
mod host;
mod host_message;
mod host_settings;
mod initialize;
mod lines;
mod person;
mod server;
mod server_changes;
mod session_states;

pub(super) use elicit::HostUser;
pub(super) use host::Host;
pub(super) use host_message::Request;
pub(super) use host_settings::{AppliedSettings, HostSettings};
pub(super) use initialize::Initialize;
pub(super) use lines::{HostPrompt, Lines, Open, ReplyOptions, SessionInput, Shutdown};
pub(super) use person::{HostPerson, read as read_permission};
pub(super) use server::host_servers;
pub(super) use server_changes::HostServerChanges;
pub(super) use session_states::SessionStates;
