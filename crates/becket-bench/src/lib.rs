//! The programs that the benches of this crate measure: those of a release package.
//!
//! The benches are not in `becket-cli`, since cargo builds the programs of a package for its benches, and these measure
//! the programs that `cargo xtask dist` has built.

use std::env;
use std::path::PathBuf;

/// Returns the full program, which `BECKET_BENCH_FULL` names.
///
/// # Panics
/// Panics if the variable is not set.
#[must_use]
#[expect(clippy::disallowed_methods, clippy::expect_used, reason = "the caller of a bench names the program")]
pub fn full_program() -> PathBuf {
    env::var_os("BECKET_BENCH_FULL")
        .expect("`BECKET_BENCH_FULL` names no program: run the benches by `cargo xtask bench`")
        .into()
}

/// Returns the small program, which `BECKET_BENCH_SMALL` names, if it is set.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the caller of a bench names the program")]
pub fn small_program() -> Option<PathBuf> {
    env::var_os("BECKET_BENCH_SMALL").map(PathBuf::from)
}
