//! Where `cargo xtask test` has put the servers that other people wrote.

use std::ffi::OsString;

use becket_mcp::config::ServerConfig;

/// The command line that a variable holds, with more arguments; none where there is a reason that it is missing.
pub(crate) fn command(variable: &str, args: &[&str]) -> Option<Vec<OsString>> {
    let Some(command) = variable_of_test(variable) else {
        let reason = variable_of_test("BECKET_TEST_MCP_SKIP").unwrap_or_else(|| {
            panic!("`{variable}` is not set: run `cargo xtask test`, which installs the servers")
        });
        skipped(&reason);
        return None;
    };
    let words = serde_json::from_str::<Vec<String>>(&command).unwrap();
    Some(words.iter().map(String::as_str).chain(args.iter().copied()).map(OsString::from).collect())
}

/// The same as a server over stdio.
pub(crate) fn program(variable: &str, args: &[&str]) -> Option<ServerConfig> {
    let mut words = command(variable, args)?.into_iter();
    Some(super::program(words.next().unwrap(), words.collect()))
}

#[expect(clippy::disallowed_methods, reason = "what was installed is known to who started the tests")]
fn variable_of_test(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[expect(clippy::print_stdout, reason = "who started the tests is told what was skipped")]
fn skipped(reason: &str) {
    println!("SKIPPED: {reason}");
}
