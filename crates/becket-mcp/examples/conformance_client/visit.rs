//! A session of a well-behaved host with an unknown server.
//!
//! It is the same for every scenario: the suites check the traffic, and a client that knew which of them is running
//! would prove little.

use std::time::Duration;

use becket_mcp::{CallError, CancellationToken, Connect, Pool, Tool, ToolCall};
use serde_json::{Map, Value};

use crate::browser;
use crate::context::Call;
use crate::host::some_value;

/// The name of the only server.
pub(crate) const SERVER: &str = "it";
/// The maximum number of logins that a server may require.
const LOGINS: usize = 2;
/// The maximum duration of a call.
const LIMIT: Duration = Duration::from_secs(30);

/// A visit to a server.
pub(crate) struct Visit {
    pool: Pool,
    cancel: CancellationToken,
    logins: usize,
}

impl Visit {
    pub(crate) fn new(pool: Pool) -> Self {
        Self { pool, cancel: CancellationToken::new(), logins: 0 }
    }

    /// Lists the tools, and makes the calls: the requested ones, or one of each tool.
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
                // A tool that rejects made-up arguments has answered.
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

    /// Runs an operation, and repeats it after each login that it turns out to need.
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
        // The next operation shows whether it helped.
        let _ = self.pool.reconnect(SERVER, &self.cancel).await;
        Ok(())
    }
}

/// Returns arguments for the required parameters of a tool, of the right types. A tool that requires a schema gets
/// that of another tool, unchanged.
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
