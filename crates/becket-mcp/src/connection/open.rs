//! Starts a server and shakes hands with it, under one deadline.
//!
//! INVARIANT: a server that is not connected in the end has been ended before this returns or is dropped.

use std::sync::Arc;

use becket_process::{CancellationToken, Command, Control, Program, Runner};
use tokio::time::{Instant, timeout_at};

use super::client::Client;
use super::handshake::{self, Service, Trouble};
use super::intake;
use super::live::Connection;
use super::process::{Process, Start};
use super::state::State;
use super::wire::Wire;
use crate::config::ServerConfig;
use crate::connect_error::ConnectError;
use crate::fault::Fault;
use crate::options::Options;
use crate::tool::Tool;

/// Connects one server (`protocol.md` X2, X7).
pub(crate) async fn open(
    runner: &Runner,
    config: &ServerConfig,
    options: &Options,
    cancel: &CancellationToken,
) -> Result<Connection, ConnectError> {
    if cancel.is_cancelled() {
        return Err(ConnectError::Cancelled);
    }
    let opening = Opening::start(runner, config, options);
    let greeted = tokio::select! {
        biased;
        () = cancel.cancelled() => Err(ConnectError::Cancelled),
        greeted = opening.greet(options) => greeted,
    };
    match greeted {
        Ok((service, listed_at, tools)) => {
            let Opening { process, client, state, wire: _ } = opening;
            let connection = Connection::new(process, service, client, state, config.timeout);
            connection.list(listed_at, tools);
            Ok(connection)
        }
        Err(error) => {
            opening.process.end(std::time::Duration::ZERO).await;
            Err(error)
        }
    }
}

/// A server that was started and can't be called yet.
struct Opening {
    process: Process,
    wire: Wire,
    client: Client,
    state: Arc<State>,
}

impl Opening {
    fn start(runner: &Runner, config: &ServerConfig, options: &Options) -> Self {
        let (state, stop) = (Arc::new(State::default()), CancellationToken::new());
        let control = Control::with_open_stdin();
        let (intake, queue) = intake::queue(options.line_cap.get(), Arc::clone(&state), stop.clone());
        let wire = Wire::new(queue, control.clone(), Arc::clone(&state), stop.clone());
        let start = Start {
            command: command(config, options),
            control,
            intake,
            state: Arc::clone(&state),
            stop,
            term_grace: options.term_grace,
        };
        let process = Process::start(runner.clone(), start);
        Self { process, wire, client: Client::default(), state }
    }

    async fn greet(&self, options: &Options) -> Result<(Service, u64, Vec<Tool>), ConnectError> {
        let limit = options.connect_timeout;
        // Past the end of time there is no deadline; a year is as good.
        let deadline = Instant::now() + limit.min(std::time::Duration::from_secs(365 * 24 * 3600));
        let asked = "initialize";
        let service = match timeout_at(deadline, handshake::initialize(&self.wire, &self.client)).await {
            Ok(Ok(service)) => service,
            Ok(Err(trouble)) => return Err(self.error(asked, trouble).await),
            Err(_) => return Err(ConnectError::TimedOut { asked, limit, said: self.state.said() }),
        };
        let asked = "tools/list";
        let listed_at = self.client.changes();
        match timeout_at(deadline, handshake::tools(service.peer())).await {
            Ok(Ok(tools)) => Ok((service, listed_at, tools)),
            Ok(Err(trouble)) => Err(self.error(asked, trouble).await),
            Err(_) => Err(ConnectError::TimedOut { asked, limit, said: self.state.said() }),
        }
    }

    async fn error(&self, asked: &'static str, trouble: Trouble) -> ConnectError {
        match trouble {
            Trouble::Gone => {
                let fault = self.state.settled_fault().await;
                match &fault {
                    Fault::Spawn(error) => ConnectError::Spawn(Arc::clone(error)),
                    Fault::Ended(_)
                    | Fault::LineTooLong(_)
                    | Fault::Flood(_)
                    | Fault::NotReading(_)
                    | Fault::StdinClosed
                    | Fault::Closed => ConnectError::Broken { asked, fault, said: self.state.said() },
                }
            }
            Trouble::Refused { code, message } => {
                ConnectError::Refused { asked, code, message, said: self.state.said() }
            }
            Trouble::Unexpected(what) => ConnectError::Unexpected { asked, what, said: self.state.said() },
        }
    }
}

fn command(config: &ServerConfig, options: &Options) -> Command {
    let cwd = config.cwd.as_ref().map_or_else(|| options.cwd.clone(), |cwd| options.cwd.join(cwd));
    let mut command = Command::new(Program::exec(&config.command, &config.args), cwd);
    let is_replaced = |name: &std::ffi::OsStr| config.env.iter().any(|(own, _)| own == name);
    let common = options.environment.iter().filter(|(name, _)| !is_replaced(name));
    command.env = common.chain(&config.env).cloned().collect();
    command
}
