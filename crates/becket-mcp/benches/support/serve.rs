//! The other side of every measurement: a server over stdio that answers at once.

use std::io::{BufRead, Write};

use serde_json::{Value, json};

/// Serves until its stdin ends, after the startup time `thinks`.
pub(crate) fn serve(thinks: std::time::Duration) {
    std::thread::sleep(thinks);
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
