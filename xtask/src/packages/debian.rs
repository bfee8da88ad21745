//! The Debian package, by cargo-deb (`[package.metadata.deb]` of `becket-cli`).

use super::{InstalledCopy, Place, StepError, cargo_tool, check_gone, create, stdout_of, write};
use crate::bindings::Build;
use crate::installed::text;
use crate::root;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of cargo-deb.
const CARGO_DEB: &str = "3.8.0";

/// Builds the package, installs it into an empty root, runs its program there, and removes it.
pub(super) fn run(place: &Place) -> Result<(), StepError> {
    let tool = cargo_tool("cargo-deb", CARGO_DEB)?;
    texts(place)?;
    let mut deb = Command::new(tool);
    deb.args(["--package", "becket-cli", "--no-build", "--no-strip", "--quiet", "--output"]);
    deb.arg(&place.out).args((place.build == Build::Dev).then_some("--fast"));
    stdout_of(deb.current_dir(root()))?;
    let package = package(&place.out)?;
    let new_root = place.fresh("debian-root")?;
    let dpkg = new_root.join("var/lib/dpkg");
    ["info", "updates", "triggers"].into_iter().try_for_each(|name| create(&dpkg.join(name)))?;
    ["status", "available"].into_iter().try_for_each(|name| write(&dpkg.join(name), ""))?;
    let before = files(&new_root);
    let run = |arguments: &[&str]| {
        let mut dpkg = Command::new("dpkg");
        // The libraries that it depends on are on this machine, and not in that root.
        dpkg.arg(format!("--root={}", text(&new_root))).args(["--force-depends", "--force-not-root"]);
        stdout_of(dpkg.args(arguments))
    };
    run(&["--install", &text(&package)])?;
    InstalledCopy::new(&new_root.join("usr/bin/becket"), None)?.check("debian")?;
    for file in [
        "usr/share/bash-completion/completions/becket",
        "usr/share/man/man1/becket.1.gz",
        "usr/share/doc/becket/copyright",
    ] {
        if !new_root.join(file).is_file() {
            return Err(format!("the package has no `{file}`").into());
        }
    }
    run(&["--purge", "becket"])?;
    check_gone(&new_root.join("usr/bin/becket"))?;
    let left: Vec<PathBuf> = files(&new_root)
        .into_iter()
        .filter(|file| {
            !before.contains(file) && !file.starts_with(&dpkg) && !file.starts_with(new_root.join("var/log"))
        })
        .collect();
    match left.is_empty() {
        true => Ok(()),
        false => Err(format!("the removed package has left {left:?}").into()),
    }
}

/// Writes completions and manual pages, with the program itself.
fn texts(place: &Place) -> Result<(), String> {
    let texts = place.fresh("texts")?;
    for (shell, file) in [("bash", "becket"), ("zsh", "_becket"), ("fish", "becket.fish")] {
        let script = stdout_of(Command::new(place.full()).args(["completions", shell]))?;
        let directory = texts.join(shell);
        create(&directory)?;
        write(&directory.join(file), &format!("{script}\n"))?;
    }
    stdout_of(Command::new(place.full()).arg("man").arg(texts.join("man"))).map(drop)
}

/// Returns the package in a directory.
fn package(out: &Path) -> Result<PathBuf, String> {
    let mut entries = fs::read_dir(out).map_err(|error| format!("`{}`: {error}", out.display()))?.flatten();
    let package = entries.find(|entry| entry.path().extension().is_some_and(|end| end == "deb"));
    package.map(|entry| entry.path()).ok_or_else(|| "cargo-deb has left no package".to_owned())
}

/// Returns the files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let (mut found, mut waiting) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(directory) = waiting.pop() {
        for path in fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() { waiting.push(path) } else { found.push(path) }
        }
    }
    found
}
