//! The real MCP servers that the tests of `becket-mcp` talk to, from npm and PyPI.
//!
//! Each variable contains the beginning of a command line as a JSON array; a test adds arguments.
//!
//! | variable | server | arguments that a test adds |
//! |---|---|---|
//! | `BECKET_TEST_MCP_EVERYTHING` | `server-everything` | `stdio`, `streamableHttp` or `sse`; the last two listen on `PORT` |
//! | `BECKET_TEST_MCP_FILESYSTEM` | `server-filesystem` | the directories that it may touch |
//! | `BECKET_TEST_MCP_MEMORY` | `server-memory` | `MEMORY_FILE_PATH` |
//! | `BECKET_TEST_MCP_TIME` | `mcp-server-time` | |
//! | `BECKET_TEST_MCP_GIT` | `mcp-server-git` | `--repository` and a path |
//! | `BECKET_TEST_MCP_SQLITE` | `mcp-server-sqlite`, which dies at start | |
//! | `BECKET_TEST_MCP_SKIP` | why some of them are missing; only then tests pass without them | |

use crate::installed::{Places, text};
use crate::say;
use std::path::Path;

/// Variable and script below `node_modules/@modelcontextprotocol`.
const NPM: [(&str, &str); 3] = [
    ("BECKET_TEST_MCP_EVERYTHING", "server-everything/dist/index.js"),
    ("BECKET_TEST_MCP_FILESYSTEM", "server-filesystem/dist/index.js"),
    ("BECKET_TEST_MCP_MEMORY", "server-memory/dist/index.js"),
];

/// The variable and the arguments of Python.
const PYPI: [(&str, [&str; 2]); 3] = [
    ("BECKET_TEST_MCP_TIME", ["-m", "mcp_server_time"]),
    ("BECKET_TEST_MCP_GIT", ["-m", "mcp_server_git"]),
    // It lacks a `__main__`.
    ("BECKET_TEST_MCP_SQLITE", ["-c", "import mcp_server_sqlite; mcp_server_sqlite.main()"]),
];

/// The environment that the tests need.
pub(crate) struct FixtureEnvironment {
    /// The variables above.
    pub(crate) environment: Vec<(&'static str, String)>,
}

/// Installs the missing servers.
pub(crate) fn prepare(root: &Path) -> FixtureEnvironment {
    let places = Places::of(root);
    let (mut environment, mut missing) = (Vec::new(), Vec::new());
    match places.npm("npm") {
        Ok(modules) => environment.extend(NPM.map(|(variable, script)| {
            let script = modules.join("@modelcontextprotocol").join(script);
            (variable, words(&["node", &text(&script)]))
        })),
        Err(reason) => missing.push(reason),
    }
    match places.pypi() {
        Ok(python) => environment
            .extend(PYPI.map(|(variable, [how, what])| (variable, words(&[&text(&python), how, what])))),
        Err(reason) => missing.push(reason),
    }
    if !missing.is_empty() {
        let reason = missing.join("; ");
        say(&format!("SKIPPED: tests with real MCP servers: {reason}"));
        environment.push(("BECKET_TEST_MCP_SKIP", reason));
    }
    FixtureEnvironment { environment }
}

fn words(words: &[&str]) -> String {
    serde_json::Value::from(words).to_string()
}
