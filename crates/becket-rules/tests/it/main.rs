//! Integration tests of matchers, rules and the shell analysis, in one binary, so that the crate is linked once.

mod line_edits;
mod permission_calls;
mod permission_laws;
mod permission_unread;
mod permission_warnings;
mod rules;
#[cfg(target_os = "linux")]
mod shell_bash;
mod shell_cases;
#[cfg(target_os = "linux")]
mod shell_fuzz;
#[cfg(target_os = "linux")]
mod shell_grammar;
mod shell_laws;
mod shell_powershell;
#[cfg(target_os = "linux")]
mod shell_stage;
mod shell_support;
