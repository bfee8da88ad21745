//! The wheel of the Python package, with both programs as scripts, by maturin.

use super::{InstalledCopy, Place, StepError, VERSION, check_gone, stdout_of};
use crate::bindings;
use crate::installed::Places;
use crate::root;
use crate::suites::leave_out;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Builds the wheel, and installs, runs and removes it with pip and with uv.
pub(super) fn run(place: &Place) -> Result<(), StepError> {
    let programs = ["becket", "becket-full"].map(|name| place.programs.join(name));
    let wheel = bindings::python_wheel(root(), place.build, &programs)?;
    let name = wheel.file_name().unwrap_or_default();
    fs::copy(&wheel, place.out.join(name)).map_err(|error| format!("`{}`: {error}", wheel.display()))?;
    with_pip(place)?;
    match Places::of_packages(root()).pypi() {
        Ok(python) => with_uv(place, &python.with_file_name("uv")).map_err(StepError::Failed),
        Err(reason) => {
            leave_out("the wheel with uv", &reason);
            Ok(())
        }
    }
}

fn with_pip(place: &Place) -> Result<(), String> {
    let venv = place.fresh("wheel-pip")?;
    stdout_of(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
    let python = venv.join("bin/python");
    let pip = |arguments: &[&str]| {
        let mut pip = Command::new(&python);
        stdout_of(pip.args(["-m", "pip", "--disable-pip-version-check", "--quiet"]).args(arguments))
    };
    let out = place.out.to_string_lossy();
    pip(&["install", "--no-index", "--find-links", &out, "becket"])?;
    check(&venv, &python)?;
    pip(&["uninstall", "--yes", "becket"])?;
    check_removed(&venv)
}

fn with_uv(place: &Place, uv: &Path) -> Result<(), String> {
    let venv = place.fresh("wheel-uv")?;
    let run = |arguments: &[&str]| {
        let mut command = Command::new(uv);
        command.args(arguments).env("VIRTUAL_ENV", &venv).env("UV_CACHE_DIR", place.work.join("uv-cache"));
        stdout_of(command.args(["--offline", "--quiet"]))
    };
    let directory = venv.to_string_lossy();
    run(&["venv", "--clear", &directory])?;
    run(&["pip", "install", "--no-index", "--find-links", &place.out.to_string_lossy(), "becket"])?;
    check(&venv, &venv.join("bin/python"))?;
    run(&["pip", "uninstall", "becket"])?;
    check_removed(&venv)
}

fn check(venv: &Path, python: &Path) -> Result<(), String> {
    InstalledCopy::new(&venv.join("bin/becket"), None)?.check("wheel")?;
    let program =
        "import becket, importlib.metadata as metadata; becket.HookEngine; print(metadata.version('becket'))";
    let version = stdout_of(Command::new(python).args(["-c", program]).current_dir("/"))?;
    if version == VERSION { Ok(()) } else { Err(format!("the Python package has the version `{version}`")) }
}

fn check_removed(venv: &Path) -> Result<(), String> {
    ["becket", "becket-full"].into_iter().try_for_each(|name| check_gone(&venv.join("bin").join(name)))
}
