//! `cargo xtask targets`: the programs for targets other than this machine's.
//!
//! Both are compiled for each target. If this machine can run its programs, the small one is linked as well, and has to
//! deny a force-push. The C compiler and the linker are those of zig, from PyPI. A step whose tools are missing is left
//! out, with a message.

use crate::bindings;
use crate::installed::{Places, debian, run as run_quietly, text};
use crate::packages::InstalledCopy;
use crate::suites::leave_out;
use crate::{root, say};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A target that is not the one of this machine.
struct Target {
    name: &'static str,
    runner: Runner,
}

/// The way to run the programs of a target here.
enum Runner {
    /// Directly, as for this machine's target.
    Native,
    /// With an emulator, from a package of Debian.
    Emulator { program: &'static str, package: &'static str },
    /// No runner: programs can't run here.
    Absent,
}

const TARGETS: [Target; 4] = [
    Target { name: "x86_64-unknown-linux-musl", runner: Runner::Native },
    Target {
        name: "aarch64-unknown-linux-musl",
        runner: Runner::Emulator { program: "qemu-aarch64-static", package: "qemu-user-static" },
    },
    Target { name: "x86_64-pc-windows-gnu", runner: Runner::Absent },
    Target { name: "aarch64-apple-darwin", runner: Runner::Absent },
];

/// Compiles the programs for each target, or for the named ones.
///
/// # Errors
/// Errors if one does not compile, or does not work.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(unknown) = arguments.iter().find(|name| TARGETS.iter().all(|target| target.name != **name)) {
        let known = TARGETS.map(|target| target.name).join("`, `");
        return Err(format!("`{unknown}` is not one of the targets: `{known}`"));
    }
    let zig = match Places::of_targets(root()).pypi() {
        Ok(python) => python.with_file_name("cargo-zigbuild"),
        Err(why) => {
            leave_out("all targets", &why);
            return Ok(());
        }
    };
    let is_wanted =
        |target: &&Target| arguments.is_empty() || arguments.iter().any(|name| name == target.name);
    let failed: Vec<String> =
        TARGETS.iter().filter(is_wanted).filter_map(|target| target.try_programs(&zig).err()).collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

impl Target {
    fn try_programs(&self, zig: &Path) -> Result<(), String> {
        let mut add = Command::new("rustup");
        if let Err(why) = run_quietly(add.args(["target", "add", self.name]).current_dir(root())) {
            leave_out(&format!("the target {}", self.name), &why);
            return Ok(());
        }
        self.compile(zig, &["check", "--package", "becket-cli", "--package", "becket-fire"])?;
        say(&format!("{}: both programs compile", self.name));
        match self.runner {
            Runner::Native => self.run_small(zig, None),
            Runner::Emulator { program, package } => match debian(program, package) {
                Ok(()) => self.run_small(zig, Some(program)),
                Err(why) => {
                    leave_out(&format!("running the small program for {}", self.name), &why);
                    Ok(())
                }
            },
            Runner::Absent => {
                say(&format!("NOT RUN: the programs for {}: they are compiled, not linked", self.name));
                Ok(())
            }
        }
    }

    fn run_small(&self, zig: &Path, emulator: Option<&str>) -> Result<(), String> {
        self.compile(zig, &["zigbuild", "--package", "becket-fire", "--bin", "becket-fire"])?;
        let small = self.output()?.join("becket-fire");
        InstalledCopy::new(&small, emulator)?.check_hook()?;
        say(&format!("{}: the small program denies a force-push", self.name));
        Ok(())
    }

    fn output(&self) -> Result<PathBuf, String> {
        Ok(bindings::target(root())?.join(self.name).join("debug"))
    }

    fn compile(&self, zig: &Path, arguments: &[&str]) -> Result<(), String> {
        let mut cargo = Command::new(zig);
        cargo.args(arguments).args(["--quiet", "--target", self.name]).current_dir(root());
        // The interpreter that has zig; the one on the path does not.
        cargo.env("CARGO_ZIGBUILD_PYTHON_PATH", zig.with_file_name("python"));
        let status = cargo.status().map_err(|error| format!("can't run `{}`: {error}", text(zig)))?;
        if status.success() {
            Ok(())
        } else {
            Err(format!("becket can't be built for {}: see above", self.name))
        }
    }
}
