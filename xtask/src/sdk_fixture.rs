//! The public Agent SDKs that drive `becket run` in tests, from npm and PyPI.
//!
//! | variable | what it holds |
//! |---|---|
//! | `BECKET_TEST_SDK_PYTHON` | the interpreter that finds `claude-agent-sdk` |
//! | `BECKET_TEST_SDK_NODE` | the directory `node_modules` with `@anthropic-ai/claude-agent-sdk` |
//! | `BECKET_TEST_SDK_SKIP` | why one of them is missing; only then tests pass without it |
//!
//! INVARIANT: no program that a package brings along to be driven is installed: the Python one is built from its source, and
//! the optional packages of the other are left out.

use crate::installed::{Places, text};
use crate::say;
use std::path::Path;

/// The Python package from its source, by what was installed just before.
const FROM_SOURCE: [&str; 3] = ["--no-build-isolation", "--no-binary", "claude-agent-sdk"];
/// Without the programs that are optional, and what only helps to write types.
const ALONE: [&str; 2] = ["--omit=optional", "--legacy-peer-deps"];

/// Installs what is not there yet; the variables that the tests have to be started with.
pub(crate) fn prepare(root: &Path) -> Vec<(&'static str, String)> {
    let places = Places::of_sdks(root);
    let installed = [
        ("BECKET_TEST_SDK_PYTHON", places.pypi_with(&["build.txt", "requirements.txt"], &FROM_SOURCE)),
        ("BECKET_TEST_SDK_NODE", places.npm_with("npm", &ALONE)),
    ];
    let (mut environment, mut missing) = (Vec::new(), Vec::new());
    for (variable, place) in installed {
        match place {
            Ok(place) => environment.push((variable, text(&place))),
            Err(reason) => missing.push(reason),
        }
    }
    if !missing.is_empty() {
        let reason = missing.join("; ");
        say(&format!("SKIPPED: tests with agent SDKs: {reason}"));
        environment.push(("BECKET_TEST_SDK_SKIP", reason));
    }
    environment
}
