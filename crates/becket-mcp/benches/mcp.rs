//! What a call and a connection cost here, beside `rmcp` alone over the pipes of a process of its own.
//!
//! The server is this program: started with `--serve` it answers at once, so that both sides meet the same floor.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::io::{BufRead, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use becket_mcp::config::{Configured, ServerConfig};
use becket_mcp::{CancellationToken, Options, Servers, ToolCall};
use becket_testkit::bench::{Bench, Must};
use rmcp::model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, ProtocolVersion};
use rmcp::service::{RoleClient, RunningService, ServiceExt};
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::{Map, Value, json};
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::runtime::Runtime;

/// How much text an answer has that is called large.
const LARGE: usize = 100_000;

fn main() {
    if std::env::args().any(|argument| argument == "--serve") {
        return serve();
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut bench = Bench::new("becket-mcp");
    let (servers, bare) = (runtime.block_on(connect()), runtime.block_on(Bare::connect()));
    bench.note("rmcp alone, over tokio's pipes");
    for (row, size) in [("a call, answered at once", 10), ("the same with 100 KB of text", LARGE)] {
        bench.versus(
            row,
            Must::Ratio(1.3),
            || runtime.block_on(call(&servers, size)),
            || runtime.block_on(bare.call(size)),
        );
    }
    runtime.block_on(servers.close());
    bare.end(&runtime);
    bench.versus(
        "connecting and closing",
        Must::Nothing,
        || runtime.block_on(async { connect().await.close().await }),
        || runtime.block_on(Bare::connect()).end(&runtime),
    );
}

fn serve() {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let result = match message["method"].as_str() {
            Some("initialize") => json!({
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "bench", "version": "1"},
            }),
            Some("tools/list") => json!({"tools": [{"name": "fill", "inputSchema": {"type": "object"}}]}),
            Some("tools/call") => {
                let size = message["params"]["arguments"]["size"].as_u64().unwrap();
                json!({"content": [{"type": "text", "text": "x".repeat(size.try_into().unwrap())}]})
            }
            _ => continue,
        };
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        writeln!(out, "{answer}").unwrap();
        out.flush().unwrap();
    }
}

async fn connect() -> Servers {
    let config = ServerConfig::stdio(std::env::current_exe().unwrap(), vec!["--serve".into()]);
    let configured = vec![Configured::of_host("it", config)];
    Servers::connect(configured, &Options::new(Vec::new(), "/"), &CancellationToken::new()).await
}

async fn call(servers: &Servers, size: usize) -> usize {
    let limit = Duration::from_secs(30);
    let call = ToolCall { server: "it", tool: "fill", input: input(size), limit };
    servers.call(call, &CancellationToken::new()).await.unwrap().text().len()
}

fn input(size: usize) -> Map<String, Value> {
    Map::from_iter([("size".to_owned(), Value::from(size))])
}

/// What somebody would write who uses the library as it is.
struct Bare {
    child: Child,
    service: RunningService<RoleClient, ClientConfig>,
}

impl Bare {
    async fn connect() -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("--serve").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let stdin = Sender::from_owned_fd(child.stdin.take().unwrap().into()).unwrap();
        let stdout = Receiver::from_owned_fd(child.stdout.take().unwrap().into()).unwrap();
        let this = Implementation::new("bench", "1");
        let config = ClientConfig::new(ClientCapabilities::default(), this)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE);
        let service = config.serve(AsyncRwTransport::new_client(stdout, stdin)).await.unwrap();
        service.list_all_tools().await.unwrap();
        Self { child, service }
    }

    async fn call(&self, size: usize) -> usize {
        let params = CallToolRequestParams::new("fill").with_arguments(input(size));
        let result = self.service.call_tool(params).await.unwrap();
        result.content.iter().filter_map(|block| block.as_text()).map(|block| block.text.len()).sum()
    }

    fn end(mut self, runtime: &Runtime) {
        runtime.block_on(self.service.cancel()).unwrap();
        self.child.wait().unwrap();
    }
}
