//! Packs the relative relocations of `becket` if the C library supports packed ones.
//!
//! The program has about 90,000, of which `becket fire` uses few; packed, they are read from a few pages. glibc
//! supports this format since 2.36, and older versions refuse the program, so it is only used in a build for the
//! machine that builds it.

#![expect(clippy::disallowed_methods, reason = "cargo tells a build script everything in variables")]

use std::env;
use std::process::Command;

/// The first glibc that reads packed relocations, as major and minor.
const FIRST_GLIBC: (u32, u32) = (2, 36);

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of = |name: &str| env::var(name).unwrap_or_default();
    let native = of("HOST") == of("TARGET");
    let glibc = of("CARGO_CFG_TARGET_OS") == "linux" && of("CARGO_CFG_TARGET_ENV") == "gnu";
    if native && glibc && installed_glibc().is_some_and(|version| version >= FIRST_GLIBC) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Returns the version of glibc on this machine; `None` if it is unknown.
fn installed_glibc() -> Option<(u32, u32)> {
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
}
