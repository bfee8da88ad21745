//! A session of a well-behaved host with an unknown server.
//!
//! It is the same for every scenario: the suites look at what comes over the wire, and a client that knew which of them
//! is asking would prove little.

use std::time::Duration;

use becket_mcp::{CallError, CancellationToken, Connect, Pool, Tool, ToolCall};
use serde_json::{Map, Value};

use crate::browser;
use crate::context::Call;
use crate::host::some_value;

/// The one server.
pub(crate) const SERVER: &str = "it";
/// Logins that a server may want of its user; with the next one it asks for too much.
const LOGINS: usize = 2;
/// The longest that one call may take.
const LIMIT: Duration = Duration::from_secs(30);

/// A visit of a server.
pub(crate) struct Visit {
    pool: Pool,
    cancel: CancellationToken,
    logins: usize,
}

impl Visit {
    pub(crate) fn new(pool: Pool) -> Self {
        Self { pool, cancel: CancellationToken::new(), logins: 0 }
    }

    /// Has a look at its tools, and makes the calls: those that are wanted, or one of each tool.
    pub(crate) async fn all(&mut self, wanted: &[Call]) -> Result<(), String> {
        let (pool, cancel) = (self.pool.clone(), self.cancel.clone());
        let tools = self.with_login(async || pool.tools(SERVER, &cancel).await).await;
        let tools = tools.map_err(|error| error.to_string())?;
        for Call { name, arguments } in wanted {
            self.call(name, arguments).await.map_err(|error| error.to_string())?;
        }
        if !wanted.is_empty() {
            return Ok(());
        }
        for tool in tools.iter() {
            match self.call(&tool.name, &arguments(tool, &tools)).await {
                // A tool that does not want what it was given out of the blue has answered.
                Ok(()) | Err(CallError::Refused { .. }) => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }

    async fn call(&mut self, tool: &str, input: &Map<String, Value>) -> Result<(), CallError> {
        let (pool, cancel) = (self.pool.clone(), self.cancel.clone());
        let call = async || {
            let input = input.clone();
            let call = ToolCall { server: SERVER, tool, input, limit: LIMIT, connect: Connect::IfNeeded };
            pool.call(call, &cancel).await
        };
        self.with_login(call).await.map(drop)
    }

    /// Does it, and again after each login that it turns out to need.
    async fn with_login<T>(
        &mut self,
        mut deed: impl AsyncFnMut() -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        loop {
            match deed().await {
                Err(CallError::NeedsAuth { .. }) if self.logins < LOGINS => {
                    self.logins += 1;
                    if let Err(why) = self.login().await {
                        crate::say(&why);
                        return deed().await;
                    }
                }
                done => return done,
            }
        }
    }

    async fn login(&self) -> Result<(), String> {
        let login = self.pool.login(SERVER).await.map_err(|error| error.to_string())?;
        browser::agree(login).await?;
        // Whether it helped shows in what is done next.
        let _ = self.pool.reconnect(SERVER, &self.cancel).await;
        Ok(())
    }
}

/// Arguments for the required parameters of a tool, of the right types. A tool that asks for a schema gets that of
/// another tool, exactly as it is known here.
fn arguments(tool: &Tool, all: &[Tool]) -> Map<String, Value> {
    let required = tool.input_schema.get("required").and_then(Value::as_array);
    let value = |name: &str| {
        let schema = tool.input_schema.get("properties").map_or(&Value::Null, |all| &all[name]);
        match all.iter().find(|other| other.name != tool.name) {
            Some(other) if name == "schema" => Value::Object((*other.input_schema).clone()),
            Some(_) | None => some_value(schema),
        }
    };
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    names.map(|name| (name.to_owned(), value(name))).collect()
}
