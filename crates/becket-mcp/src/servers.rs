//! The face: all servers of a host, connected ahead of time, called by name.
//!
//! It refuses to connect anything at a call (`protocol.md` H6), to try a broken connection again, and to call twice.

use std::sync::Arc;
use std::time::Duration;

use becket_process::{CancellationToken, Runner};
use futures_util::future::join_all;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::call_error::CallError;
use crate::config::{Configured, Status};
use crate::connect_error::ConnectError;
use crate::connection::{Connection, Failed, open};
use crate::content::CallResult;
use crate::options::Options;
use crate::suggest::suggest;
use crate::tool::Tool;

/// The servers of a host (`protocol.md` X2, X7).
///
/// Await [`Servers::close`] before the host goes. Dropped without it, every server and its group are killed by the time
/// the drop returns.
pub struct Servers {
    all: Vec<Server>,
    runner: Runner,
    exit_grace: Duration,
}

struct Server {
    name: String,
    connection: Result<Connection, Arc<ConnectError>>,
}

/// What came of connecting a server.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// It can be called.
    Connected {
        /// Its tools, as it listed them last.
        tools: Arc<[Tool]>,
    },
    /// It can't be called; the others can.
    Failed {
        /// Why.
        why: Arc<ConnectError>,
    },
}

/// A call of a tool.
#[derive(Debug, Clone)]
pub struct ToolCall<'a> {
    /// The name of the server in the configuration.
    pub server: &'a str,
    /// The name of the tool on the server.
    pub tool: &'a str,
    /// The input of the tool.
    pub input: Map<String, Value>,
    /// The longest the call may take, from now on; the `timeout` of the server counts where it is shorter.
    pub limit: Duration,
}

impl Servers {
    /// Starts and connects servers, [`Options::lanes`] at once, and waits until each is connected or has failed. Names
    /// are taken to be unique, as [`crate::config::read`] gives them.
    ///
    /// A server that can't be connected is one [`Outcome::Failed`] and nobody else's trouble. `cancel` ends those that
    /// are connecting and keeps the rest from being started. If the future is dropped, whatever it started is killed.
    pub async fn connect(configured: Vec<Configured>, options: &Options, cancel: &CancellationToken) -> Self {
        let (runner, lanes) = (Runner::new(), Semaphore::new(options.lanes.get()));
        let connect = async |configured: Configured| {
            // The semaphore is never closed: an error would only mean that no lane is kept.
            let _lane = lanes.acquire().await;
            let connection = match (configured.status, configured.config) {
                (Status::Disabled(why), _) => Err(ConnectError::Disabled(why)),
                (Status::Allowed, Err(error)) => Err(ConnectError::Config(error)),
                (Status::Allowed, Ok(config)) => open(&runner, &config, options, cancel).await,
            };
            Server { name: configured.name.to_string(), connection: connection.map_err(Arc::new) }
        };
        let all = join_all(configured.into_iter().map(connect)).await;
        Self { all, runner, exit_grace: options.exit_grace }
    }

    /// What came of each server, in the order of the configuration. One that has died since is `Connected` all the same:
    /// calls tell.
    pub fn outcomes(&self) -> impl Iterator<Item = (&str, Outcome)> {
        self.all.iter().map(|server| {
            let outcome = match &server.connection {
                Ok(connection) => Outcome::Connected { tools: connection.tools() },
                Err(why) => Outcome::Failed { why: Arc::clone(why) },
            };
            (server.name.as_str(), outcome)
        })
    }

    /// Calls a tool, once (`protocol.md` H6).
    ///
    /// At the limit, when `cancel` fires, or when the future is dropped, the server is told that nobody waits any longer
    /// (`notifications/cancelled`) and this returns without waiting for what it makes of that.
    ///
    /// # Errors
    /// There is no such server or tool, it is not connected, or there was no good answer in time. A tool that says itself
    /// that it failed is an answer: [`CallResult::is_error`].
    pub async fn call(
        &self,
        call: ToolCall<'_>,
        cancel: &CancellationToken,
    ) -> Result<CallResult, CallError> {
        let connection = self.connection(call.server)?;
        let ToolCall { server, tool, input, limit } = call;
        let limit = connection.timeout().map_or(limit, |own| own.min(limit));
        let names = || (server.to_owned(), tool.to_owned());
        let answer = tokio::select! {
            biased;
            () = cancel.cancelled() => {
                let (server, tool) = names();
                return Err(CallError::Cancelled { server, tool });
            }
            answer = timeout(limit, connection.call(tool, input)) => answer,
        };
        match answer {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(failed)) => Err(failed_call(names(), failed)),
            Err(_) => {
                let (server, tool) = names();
                Err(CallError::TimedOut { server, tool, limit })
            }
        }
    }

    /// Ends all servers, and waits until no process of theirs is left: stdin closed, [`Options::exit_grace`], SIGTERM to
    /// the group, [`Options::term_grace`], SIGKILL. Calls that are under way fail. Twice is once.
    pub async fn close(&self) {
        let connected = self.all.iter().filter_map(|server| server.connection.as_ref().ok());
        join_all(connected.map(|connection| connection.close(self.exit_grace))).await;
        self.runner.all_gone().await;
    }

    fn connection(&self, name: &str) -> Result<&Connection, CallError> {
        let Some(server) = self.all.iter().find(|server| server.name == name) else {
            let known: Vec<&str> = self.all.iter().map(|server| server.name.as_str()).collect();
            return Err(CallError::NoSuchServer {
                server: name.to_owned(),
                meant: suggest(name, &known).map(str::to_owned),
                known: known.into_iter().map(str::to_owned).collect(),
            });
        };
        server
            .connection
            .as_ref()
            .map_err(|why| CallError::NotConnected { server: name.to_owned(), why: Arc::clone(why) })
    }
}

fn failed_call((server, tool): (String, String), failed: Failed) -> CallError {
    match failed {
        Failed::NoSuchTool(tools) => {
            let known: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            let meant = suggest(&tool, &known).map(str::to_owned);
            let known = known.into_iter().map(str::to_owned).collect();
            CallError::NoSuchTool { server, tool, known, meant }
        }
        Failed::Gone(fault, said) => CallError::Died { server, fault, said },
        Failed::Refused { code, message } => CallError::Refused { server, tool, code, message },
        Failed::Unexpected(what) => CallError::Protocol { server, tool, what },
    }
}
