//! The `becket` binary from outside: its output, its exit codes, its errors.

#![expect(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[cfg(target_os = "linux")]
mod acp;
#[cfg(unix)]
mod agent_plugins;
#[cfg(target_os = "linux")]
mod allow_once;
#[cfg(unix)]
mod as_hook;
#[cfg(target_os = "linux")]
mod audit;
#[cfg(target_os = "linux")]
mod background;
#[cfg(unix)]
mod bad_input;
#[cfg(target_os = "linux")]
mod call_rights;
mod check_figures;
mod checks;
#[cfg(target_os = "linux")]
mod detached_hooks;
#[cfg(unix)]
mod dialect_calls;
#[cfg(unix)]
mod dialects;
mod docs;
#[cfg(unix)]
mod docs_examples;
#[cfg(unix)]
mod docs_guide;
#[cfg(unix)]
mod docs_page;
#[cfg(target_os = "linux")]
mod embedded_exec;
#[cfg(unix)]
mod events;
#[cfg(unix)]
mod example;
#[cfg(target_os = "linux")]
mod exec;
#[cfg(target_os = "linux")]
mod exec_rewrite;
mod explained_call;
#[cfg(unix)]
mod fire;
#[cfg(unix)]
mod guards;
#[cfg(unix)]
mod help;
#[cfg(unix)]
mod hook_browser;
mod hook_tests;
#[cfg(unix)]
mod init;
#[cfg(unix)]
mod install;
#[cfg(target_os = "linux")]
mod interrupt;
#[cfg(unix)]
mod lent;
#[cfg(unix)]
mod lsp;
mod mcp;
#[cfg(unix)]
mod mcp_approval;
#[cfg(unix)]
mod mcp_call;
#[cfg(unix)]
mod mcp_files;
#[cfg(target_os = "linux")]
mod mcp_gateway;
#[cfg(all(feature = "keyring", target_os = "linux"))]
mod mcp_keyring;
#[cfg(unix)]
mod mcp_login;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod nested;
#[cfg(unix)]
mod nouns;
#[cfg(target_os = "linux")]
mod ordinary_user;
#[cfg(all(feature = "otlp", unix))]
mod otlp;
#[cfg(unix)]
mod plugins;
#[cfg(target_os = "linux")]
mod profile;
mod project;
#[cfg(unix)]
mod prove;
#[cfg(target_os = "linux")]
mod questions;
mod replay;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod run_adversary;
#[cfg(unix)]
mod run_arguments;
#[cfg(target_os = "linux")]
mod run_ends;
#[cfg(unix)]
mod run_instructions;
#[cfg(unix)]
mod run_lines;
#[cfg(unix)]
mod run_money;
#[cfg(target_os = "linux")]
mod run_programs;
#[cfg(unix)]
mod run_scripts;
#[cfg(unix)]
mod run_shapes;
#[cfg(target_os = "linux")]
mod run_terminal;
#[cfg(unix)]
mod run_typed;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(unix)]
mod sdk;
#[cfg(target_os = "linux")]
mod self_update;
#[cfg(unix)]
mod serve;
#[cfg(target_os = "linux")]
mod small_dialects;
mod small_program;
#[cfg(unix)]
mod terminal;
#[cfg(unix)]
mod tmux;
#[cfg(unix)]
mod translate;
#[cfg(target_os = "linux")]
mod trust;

use becket_testkit::env::TestEnv;

/// Creates a place to run the binary in.
fn env() -> TestEnv {
    TestEnv::new(env!("CARGO_BIN_EXE_becket"))
}

/// Creates a place with settings for the project.
fn env_with(settings: &str) -> TestEnv {
    let env = env();
    env.write("project/.claude/settings.json", settings);
    env
}

/// Returns the root of the workspace.
fn workspace() -> &'static std::path::Path {
    let manifest = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).expect("two levels up")
}
