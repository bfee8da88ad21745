//! The records of package managers about their files. Each function only reads files, and never asks the package
//! manager.

use super::{NpmPlace, WheelInstaller};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns true if dpkg lists a program as a file of the package `becket`, in the root or in another one (`dpkg
/// --root`).
pub(super) fn is_in_debian_list(program: &Path) -> bool {
    program.ancestors().skip(1).any(|root| {
        let Ok(list) = fs::read_to_string(root.join("var/lib/dpkg/info/becket.list")) else { return false };
        list.lines().any(|file| root.join(file.trim_start_matches('/')) == program)
    })
}

/// Returns true if a program belongs to a Homebrew keg with a receipt: `Cellar/becket/VERSION/INSTALL_RECEIPT.json`.
pub(super) fn is_in_homebrew(program: &Path) -> bool {
    let is_keg = |keg: &Path| keg.parent().is_some_and(|formula| formula.ends_with("Cellar/becket"));
    program.ancestors().any(|keg| is_keg(keg) && keg.join("INSTALL_RECEIPT.json").is_file())
}

/// Returns the installer of the wheel that contains a program: `becket-VERSION.dist-info/RECORD` lists it with its
/// size.
pub(super) fn wheel_installer(program: &Path) -> Option<WheelInstaller> {
    let size = fs::metadata(program).ok()?.len();
    let prefix = program.parent()?.parent()?;
    let info = packages(prefix).into_iter().find_map(|packages| {
        let infos = fs::read_dir(&packages).ok()?.flatten().map(|entry| entry.path());
        let is_wheel = |info: &PathBuf| {
            let name = info.file_name().and_then(OsStr::to_str).unwrap_or_default();
            name.starts_with("becket-")
                && name.ends_with(".dist-info")
                && lists(info, &packages, program, size)
        };
        infos.into_iter().find(is_wheel)
    })?;
    let is_below = |folder: &str, name: &str| {
        program.ancestors().any(|above| above.ends_with(Path::new(folder).join(name)))
    };
    let by_uv = fs::read_to_string(info.join("INSTALLER")).is_ok_and(|name| name.trim() == "uv");
    Some(match (by_uv, is_below("uv/tools", "becket"), is_below("pipx/venvs", "becket")) {
        (_, true, _) => WheelInstaller::UvTool,
        (_, _, true) => WheelInstaller::Pipx,
        (true, ..) => WheelInstaller::Uv,
        (false, ..) => WheelInstaller::Pip,
    })
}

/// Returns the directories that may contain the Python packages of a prefix.
fn packages(prefix: &Path) -> Vec<PathBuf> {
    let versions = fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
    let of_python = versions
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("python"))
        .flat_map(|entry| ["site-packages", "dist-packages"].map(|name| entry.path().join(name)));
    // `pip install --target` puts the packages into the prefix itself.
    [prefix.join("Lib/site-packages"), prefix.to_owned()].into_iter().chain(of_python).collect()
}

/// Returns true if a RECORD lists a program of this size.
fn lists(info: &Path, packages: &Path, program: &Path, size: u64) -> bool {
    let Ok(record) = fs::read_to_string(info.join("RECORD")) else { return false };
    record.lines().any(|line| {
        // PATH,HASH,SIZE: a path with a comma is quoted, and is not that of a program.
        let mut fields = line.split(',');
        let (path, recorded) = (fields.next().unwrap_or_default(), fields.nth(1).unwrap_or_default());
        recorded.parse() == Ok(size) && packages.join(path).canonicalize().is_ok_and(|path| path == program)
    })
}

/// Returns the place of the npm package that contains a program: `node_modules/@becket/PLATFORM` or
/// `node_modules/becket`.
pub(super) fn npm_place(program: &Path) -> Option<NpmPlace> {
    let modules = program.ancestors().find(|above| above.ends_with("node_modules"))?;
    let package = program.strip_prefix(modules).ok()?;
    let mut parts = package.components().map(|part| part.as_os_str());
    let directory = match (parts.next()?, parts.next()?) {
        (scope, name) if scope == "@becket" => modules.join(scope).join(name),
        (name, _) if name == "becket" => modules.join(name),
        _ => return None,
    };
    if !directory.join("package.json").is_file() {
        return None;
    }
    let is_in_cache = modules.ancestors().any(|above| above.file_name().is_some_and(|name| name == "_npx"));
    Some(if is_in_cache {
        NpmPlace::Cache
    } else if modules.ends_with("lib/node_modules") {
        NpmPlace::Global
    } else {
        NpmPlace::Project
    })
}

/// Returns the source of a program that was installed with `cargo install`, as arguments of `cargo install`;
/// `.crates.toml` names it: `"becket-cli 0.1.0 (path+file:///…)" = ["becket"]`.
pub(super) fn cargo_source(program: &Path) -> Option<String> {
    let bin = program.parent().filter(|bin| bin.ends_with("bin"))?;
    let name = program.file_name()?.to_str()?;
    let record = fs::read_to_string(bin.parent()?.join(".crates.toml")).ok()?;
    record.lines().find_map(|line| {
        let (package, programs) = line.trim().strip_prefix("\"becket-cli ")?.split_once("\" = [")?;
        let is_listed =
            programs.trim_end_matches(']').split(", ").any(|listed| listed.trim_matches('"') == name);
        let source = package.split_once('(')?.1.trim_end_matches(')');
        is_listed.then(|| arguments_of(source))
    })
}

/// Returns the arguments of `cargo install` for a source as cargo names it.
fn arguments_of(source: &str) -> String {
    if let Some(path) = source.strip_prefix("path+file://") {
        return format!("--path {}", path.split('#').next().unwrap_or(path));
    }
    match source.strip_prefix("git+") {
        Some(url) => format!("--git {} becket-cli", url.split(['?', '#']).next().unwrap_or(url)),
        None => "becket-cli".to_owned(),
    }
}

/// Returns `Some` if a directory is in cargo's target directory, with the clone that it belongs to, if it is known.
pub(super) fn clone_of_build(directory: &Path) -> Option<Option<PathBuf>> {
    let is_target = |above: &&Path| {
        let is_tagged =
            fs::read_to_string(above.join("CACHEDIR.TAG")).is_ok_and(|tag| tag.contains("created by cargo"));
        is_tagged || above.join(".rustc_info.json").is_file()
    };
    let target = directory.ancestors().find(is_target)?;
    let clone = target.parent().filter(|root| root.join("crates/becket-cli/Cargo.toml").is_file());
    Some(clone.map(Path::to_owned))
}
