//! The public Agent SDKs that drive `becket run` in tests, from npm and PyPI.
//!
//! | variable | content |
//! |---|---|
//! | `BECKET_TEST_SDK_PYTHON` | the interpreter that finds `claude-agent-sdk` |
//! | `BECKET_TEST_SDK_NODE` | the directory `node_modules` with `@anthropic-ai/claude-agent-sdk` |
//! | `BECKET_TEST_SDK_SKIP` | why one of them is missing; only then tests pass without it |
//!
//! INVARIANT: no program that a package bundles is installed: the Python one is built from its source, and
//! the optional packages of the other are left out.

use crate::installed::{Places, text};
use crate::say;
use std::path::Path;

/// Options that build the Python package from its source, with the packages installed just before.
const FROM_SOURCE: [&str; 3] = ["--no-build-isolation", "--no-binary", "claude-agent-sdk"];
/// Options that leave out optional programs, and packages that only help to write types.
const ALONE: [&str; 2] = ["--omit=optional", "--legacy-peer-deps"];

/// Installs the missing SDKs; returns the variables for the tests.
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
