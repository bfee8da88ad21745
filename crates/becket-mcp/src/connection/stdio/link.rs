//! The process of a server as a link.

use std::sync::Arc;
use std::time::Duration;

use becket_process::{CancellationToken, Command, Control, Program, Runner};

use super::intake;
use super::process::{Process, Start};
use super::wire::Wire;
use crate::config::Stdio;
use crate::connection::link::Link;
use crate::connection::state::State;
use crate::fault::Fault;
use crate::options::Options;

/// A server that was started.
pub(crate) struct StdioLink {
    process: Process,
    wire: Wire,
    state: Arc<State>,
}

impl StdioLink {
    /// Starts it. An error appears at the handshake.
    pub(crate) fn start(runner: &Runner, config: &Stdio, options: &Options) -> Self {
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
        Self { process, wire, state }
    }
}

impl Link for StdioLink {
    type Wire = Wire;

    /// The pipes are the same ones each time: a refused handshake leaves them for the next.
    async fn wire(&self) -> Result<Wire, Fault> {
        Ok(self.wire.clone())
    }

    fn state(&self) -> &Arc<State> {
        &self.state
    }

    async fn end(&self, grace: Duration) {
        self.process.end(grace).await;
    }
}

fn command(config: &Stdio, options: &Options) -> Command {
    let cwd = config.cwd.as_ref().map_or_else(|| options.cwd.clone(), |cwd| options.cwd.join(cwd));
    let mut command = Command::new(Program::exec(&config.command, &config.args), cwd);
    let is_replaced = |name: &std::ffi::OsStr| config.env.iter().any(|(own, _)| own == name);
    let common = options.environment.iter().filter(|(name, _)| !is_replaced(name));
    command.env = common.chain(&config.env).cloned().collect();
    command
}
