//! `cargo xtask dist`: the programs of a package in `target/dist-out`: the small program `becket`, and `becket-full`
//! next to it.
//!
//! If a static program can't be built, `becket` is the full program alone: it does everything. `--libc glibc` links the
//! small one to glibc even if the target of musl is installed. `--static` links both to musl, for systems without glibc.

use crate::bindings::{self, run_step};
use crate::{root, say};
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The profile of the full program.
const FULL_PROFILE: &str = "release";
/// The profile of the small program.
const SMALL_PROFILE: &str = "compact";

/// A way to link the small program without shared libraries.
#[derive(Debug, PartialEq, Eq)]
struct StaticLink {
    target: String,
    flags: &'static str,
}

/// A C library that is linked into the small program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Libc {
    Musl,
    Glibc,
}

/// The programs that are built.
#[derive(Debug, PartialEq, Eq)]
enum Programs {
    /// Those for this system. The small one is static, with the named library or the best that there is.
    OfSystem(Option<Libc>),
    /// Both static, with musl.
    Static,
}

/// Builds both programs.
///
/// # Errors
/// Errors if one can't be built or copied.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let target = bindings::target(root())?;
    let out = out(&target)?;
    // The small one looks for the full one, so the full one is replaced first.
    let (small, full) = match wanted(arguments)? {
        Programs::OfSystem(libc) => (linked(&target, libc)?, full(&target)?),
        Programs::Static => {
            let host = host()?;
            let link = StaticLink::of(&host, Libc::Musl).ok_or("only programs for Linux can be static")?;
            (linked(&target, Some(Libc::Musl))?, full_for(&target, Some(&link.target))?)
        }
    };
    let becket = out.join(format!("becket{EXE_SUFFIX}"));
    match small {
        Some(small) => install(&small, &becket)?,
        None => fs::rename(&full, becket).map_err(|error| format!("`{}`: {error}", full.display()))?,
    }
    say(&format!("the programs are in {}", out.display()));
    Ok(())
}

/// Returns the directory of the programs, which it creates.
fn out(target: &Path) -> Result<PathBuf, String> {
    let out = target.join("dist-out");
    fs::create_dir_all(&out).map_err(|error| format!("`{}`: {error}", out.display()))?;
    Ok(out)
}

/// Reads the arguments: the C library of the small program, or of both.
fn wanted(arguments: &[String]) -> Result<Programs, String> {
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok(Programs::OfSystem(None)),
        ["--libc", "musl"] => Ok(Programs::OfSystem(Some(Libc::Musl))),
        ["--libc", "glibc"] => Ok(Programs::OfSystem(Some(Libc::Glibc))),
        ["--static"] => Ok(Programs::Static),
        _ => Err(format!(
            "`{}`: `dist` takes `--libc musl`, `--libc glibc` or `--static`",
            arguments.join(" ")
        )),
    }
}

/// Builds the full program and returns its copy, which no other profile replaces.
///
/// # Errors
/// Errors if it can't be built or copied.
pub(crate) fn full(target: &Path) -> Result<PathBuf, String> {
    full_for(target, None)
}

/// Does the same for a target other than this machine's.
fn full_for(target: &Path, other: Option<&str>) -> Result<PathBuf, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--profile", FULL_PROFILE, "--package", "becket-cli", "--bin", "becket"]);
    if let Some(other) = other {
        cargo.args(["--target", other]);
        // The wrapper of the package `musl-tools` has one name for every processor.
        cargo.env(format!("CC_{}", other.replace('-', "_")), "musl-gcc");
    }
    // `becket self version` shows it.
    cargo.envs(commit().map(|commit| ("BECKET_COMMIT", commit)));
    run_step(cargo.current_dir(root()), "building the full program")?;
    let copy = out(target)?.join(format!("becket-full{EXE_SUFFIX}"));
    let built = target.join(other.unwrap_or_default()).join(FULL_PROFILE);
    install(&built.join(format!("becket{EXE_SUFFIX}")), &copy)?;
    Ok(copy)
}

/// Builds the small program; returns `None` on platforms without one.
///
/// # Errors
/// Errors if it can't be built.
pub(crate) fn small(target: &Path) -> Result<Option<PathBuf>, String> {
    linked(target, None)
}

fn linked(target: &Path, wanted: Option<Libc>) -> Result<Option<PathBuf>, String> {
    let host = host()?;
    let libc = match wanted {
        Some(libc) => libc,
        None if has_musl(&host)? => Libc::Musl,
        None => Libc::Glibc,
    };
    let Some(link) = StaticLink::of(&host, libc) else {
        say("the small program is for Linux alone");
        return Ok(None);
    };
    if wanted.is_none() && libc == Libc::Glibc {
        say("the target of musl is not installed (`rustup target add`); glibc is linked statically");
    }
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--package", "becket-fire", "--bin", "becket-fire"]);
    cargo.args(["--profile", SMALL_PROFILE, "--target", &link.target]).current_dir(root());
    // A variable, so that build scripts of the host are not linked in this way.
    let name = format!("CARGO_TARGET_{}_RUSTFLAGS", link.target.to_uppercase().replace('-', "_"));
    run_step(cargo.env(name, link.flags), "building the small program")?;
    Ok(Some(target.join(link.target).join(SMALL_PROFILE).join("becket-fire")))
}

impl StaticLink {
    /// Returns the way to link on a host; `None` on systems other than Linux.
    fn of(host: &str, libc: Libc) -> Option<Self> {
        let processor = processor(host)?;
        // With a fixed address, no relocation is needed.
        Some(match libc {
            Libc::Musl => StaticLink {
                target: format!("{processor}-unknown-linux-musl"),
                flags: "-C relocation-model=static",
            },
            Libc::Glibc => StaticLink {
                target: format!("{processor}-unknown-linux-gnu"),
                flags: "-C target-feature=+crt-static -C relocation-model=static",
            },
        })
    }
}

fn processor(host: &str) -> Option<&str> {
    host.strip_suffix("-unknown-linux-gnu").or(host.strip_suffix("-unknown-linux-musl"))
}

fn host() -> Result<String, String> {
    let version = output(&["-vV"])?;
    Ok(version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default().to_owned())
}

/// Returns whether the libraries of the musl target are installed for a host.
fn has_musl(host: &str) -> Result<bool, String> {
    let Some(link) = StaticLink::of(host, Libc::Musl) else { return Ok(false) };
    let libraries = output(&["--print", "target-libdir", "--target", &link.target])?;
    Ok(Path::new(libraries.trim()).is_dir())
}

fn output(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("rustc").args(arguments).current_dir(root()).output();
    let output = output.map_err(|error| format!("can't run rustc: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns the commit that is built, if the working tree has no changes.
fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(root()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let is_clean = git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    git(&["rev-parse", "HEAD"]).filter(|_| is_clean)
}

/// Replaces a program atomically, so that a running one is not modified.
fn install(from: &Path, to: &Path) -> Result<(), String> {
    let part = to.with_extension("part");
    let installed = fs::copy(from, &part).and_then(|_| fs::rename(&part, to));
    installed.map_err(|error| format!("`{}` can't be copied to `{}`: {error}", from.display(), to.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linux_host_has_a_static_link_with_either_library() {
        for (host, libc, target, is_crt_static) in [
            ("x86_64-unknown-linux-gnu", Libc::Musl, "x86_64-unknown-linux-musl", false),
            ("aarch64-unknown-linux-musl", Libc::Musl, "aarch64-unknown-linux-musl", false),
            ("aarch64-unknown-linux-gnu", Libc::Glibc, "aarch64-unknown-linux-gnu", true),
        ] {
            let link = StaticLink::of(host, libc).expect(host);
            assert_eq!(link.target, target);
            assert_eq!(link.flags.contains("+crt-static"), is_crt_static, "{host}");
        }
        for other in ["aarch64-apple-darwin", "x86_64-pc-windows-msvc", ""] {
            assert_eq!(StaticLink::of(other, Libc::Musl), None, "{other}");
        }
    }

    #[test]
    fn the_library_can_be_chosen() {
        let read = |line: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            wanted(&words)
        };
        assert_eq!(read(""), Ok(Programs::OfSystem(None)));
        assert_eq!(read("--libc glibc"), Ok(Programs::OfSystem(Some(Libc::Glibc))));
        assert_eq!(read("--libc musl"), Ok(Programs::OfSystem(Some(Libc::Musl))));
        assert_eq!(read("--static"), Ok(Programs::Static));
        for wrong in ["--libc", "--libc other", "--fast", "--libc musl extra", "--static --libc musl"] {
            assert!(read(wrong).is_err_and(|why| why.contains("--libc glibc")), "{wrong}");
        }
    }
}
