//! The programs that are measured: those of a package, if the caller names them.

use std::path::PathBuf;

/// Returns the full program that `BECKET_BENCH_FULL` names, else the one of this build.
#[expect(clippy::disallowed_methods, reason = "the caller of a bench names the program")]
pub(crate) fn full() -> PathBuf {
    std::env::var_os("BECKET_BENCH_FULL").map_or_else(|| env!("CARGO_BIN_EXE_becket").into(), PathBuf::from)
}
