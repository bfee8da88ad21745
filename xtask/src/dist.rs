//! `cargo xtask dist`: the programs of a package in `target/dist-out`: `becket`, which is small, and `becket-full` beside it.
//!
//! Where a static program can't be built, `becket` is the full program alone: it does everything.

use crate::bindings::{self, run_step};
use crate::{root, say};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The profile of the small program.
const SMALL_PROFILE: &str = "compact";

/// A way to link the small program without shared libraries.
struct StaticLink {
    target: String,
    flags: &'static str,
}

/// Builds both programs.
///
/// # Errors
/// One can't be built or copied.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    if let Some(argument) = arguments.first() {
        return Err(format!("`{argument}` is not known: `dist` takes no arguments"));
    }
    let target = bindings::target(root())?;
    let out = target.join("dist-out");
    fs::create_dir_all(&out).map_err(|error| format!("`{}`: {error}", out.display()))?;
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "--package", "becket-cli"]).current_dir(root());
    run_step(&mut cargo, "building the full program")?;
    let full = target.join("release/becket");
    match small(&target)? {
        Some(small) => {
            install(&full, &out.join("becket-full"))?;
            install(&small, &out.join("becket"))?;
        }
        None => install(&full, &out.join("becket"))?,
    }
    say(&format!("the programs are in {}", out.display()));
    Ok(())
}

/// Builds the small program; `None` where none is shipped.
///
/// # Errors
/// It can't be built.
pub(crate) fn small(target: &Path) -> Result<Option<PathBuf>, String> {
    let Some(link) = static_link()? else {
        say("the small program is for Linux alone");
        return Ok(None);
    };
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--package", "becket-fire", "--bin", "becket-fire"]);
    cargo.args(["--profile", SMALL_PROFILE, "--target", &link.target]).current_dir(root());
    // A variable, so that build scripts of the host are not linked in this way.
    let name = format!("CARGO_TARGET_{}_RUSTFLAGS", link.target.to_uppercase().replace('-', "_"));
    run_step(cargo.env(name, link.flags), "building the small program")?;
    Ok(Some(target.join(link.target).join(SMALL_PROFILE).join("becket-fire")))
}

/// Returns musl where its target is installed, else glibc linked statically.
fn static_link() -> Result<Option<StaticLink>, String> {
    let host = output(&["-vV"])?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default().to_owned();
    let Some(processor) =
        host.strip_suffix("-unknown-linux-gnu").or(host.strip_suffix("-unknown-linux-musl"))
    else {
        return Ok(None);
    };
    let musl = format!("{processor}-unknown-linux-musl");
    let libraries = output(&["--print", "target-libdir", "--target", &musl])?;
    if Path::new(libraries.trim()).is_dir() {
        // At a fixed address nothing has to be relocated.
        return Ok(Some(StaticLink { target: musl, flags: "-C relocation-model=static" }));
    }
    say(&format!("`{musl}` is not installed (`rustup target add {musl}`); glibc is linked statically"));
    Ok(Some(StaticLink { target: host, flags: "-C target-feature=+crt-static -C relocation-model=static" }))
}

fn output(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("rustc").args(arguments).current_dir(root()).output();
    let output = output.map_err(|error| format!("can't run rustc: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Puts a program in its place in one step: one that runs is not changed under it.
fn install(from: &Path, to: &Path) -> Result<(), String> {
    let part = to.with_extension("part");
    let installed = fs::copy(from, &part).and_then(|_| fs::rename(&part, to));
    installed.map_err(|error| format!("`{}` can't be copied to `{}`: {error}", from.display(), to.display()))
}
