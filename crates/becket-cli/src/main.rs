//! The `becket` binary.
fn main() {}
