//! The client under measurement.

use std::sync::Arc;
use std::time::Duration;

use becket_mcp::config::{ConfiguredServer, ServerConfig};
use becket_mcp::{CancellationToken, Connect, Options, Pool, ToolCall};

use super::{input, program};

/// Connects that many servers.
pub(crate) async fn connect(count: usize, thinks: Duration) -> Pool {
    let one = |index: usize| ConfiguredServer::of_host(format!("it{index}").as_str(), config(thinks));
    let pool = Pool::new(Options::new(Vec::new(), "/"), Arc::new(()));
    pool.configure((0..count).map(one).collect());
    pool.start(&CancellationToken::new()).await;
    pool
}

fn config(thinks: Duration) -> ServerConfig {
    let (command, args) = program(thinks);
    ServerConfig::stdio(command, args.into_iter().map(Into::into).collect())
}

/// Calls the tool of the first server; returns the length of the answer.
pub(crate) async fn call(pool: &Pool, size: usize) -> usize {
    let limit = Duration::from_secs(30);
    let call = ToolCall { server: "it0", tool: "fill", input: input(size), limit, connect: Connect::Never };
    pool.call(call, &CancellationToken::new()).await.unwrap().text().len()
}
