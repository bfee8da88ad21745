//! The process of a server as a link.

use std::sync::Arc;
use std::time::Duration;

use becket_process::{Command, Control, Program, Runner};

use super::intake;
use super::process::{Process, Start};
use super::wire::StdioSession;
use crate::config::Stdio;
use crate::connection::link::Link;
use crate::connection::session::{Lifetime, Wire};
use crate::connection::state::State;
use crate::fault::Fault;
use crate::options::Options;

/// A server that was started.
pub(crate) struct StdioLink {
    process: Process,
    session: Arc<StdioSession>,
    state: Arc<State>,
}

impl StdioLink {
    /// Starts the server. An error appears at the handshake.
    pub(crate) fn start(runner: &Runner, config: &Stdio, options: &Options) -> Self {
        let (lifetime, control) = (Lifetime::default(), Control::with_open_stdin());
        let (intake, queue) = intake::queue(options.line_cap.get(), lifetime.clone());
        let session = Arc::new(StdioSession::new(queue, control.clone(), &lifetime));
        let state = Arc::clone(&lifetime.state);
        let (command, term_grace) = (command(config, options), options.term_grace);
        let process =
            Process::start(runner.clone(), Start { command, control, intake, lifetime, term_grace });
        Self { process, session, state }
    }
}

impl Link for StdioLink {
    type Wire = Wire<StdioSession>;

    /// Returns a wire over the same pipes each time: after a refused handshake they are used for the next.
    async fn wire(&self) -> Result<Wire<StdioSession>, Fault> {
        Ok(Wire::new(&self.session))
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
