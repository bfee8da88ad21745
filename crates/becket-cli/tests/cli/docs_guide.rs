//! Tests that type the pages of the guide, one for each page.

use crate::docs_page::{ADMIN, GUIDE, typed, typed_text};
use crate::workspace;

macro_rules! pages {
    ($($test:ident types $page:literal;)*) => {
        /// The pages that are typed.
        const TYPED: &[&str] = &[$($page),*];
        $(
            #[test]
            fn $test() {
                assert!(typed(GUIDE, $page) >= 1, "the page has its steps");
            }
        )*
    };
}

pages! {
    the_first_five_minutes types "first-five-minutes.md";
    force_pushes types "stop-force-pushes.md";
    tests_before_the_end types "tests-before-stop.md";
    a_hook_that_did_not_run types "why-a-hook-did-not-run.md";
    an_engine_in_a_host types "embed.md";
    the_first_hook types "first-hook.md";
    a_policy_server types "http.md";
    a_hook_in_the_background types "background.md";
    a_hook_that_asks types "questions.md";
    a_model_as_a_guard types "prompt.md";
    a_tool_of_an_mcp_server types "mcp-tool.md";
    mcp_servers types "mcp.md";
    an_agent_as_a_guard types "agent.md";
    callbacks types "callbacks.md";
    an_agent_in_a_program types "embedded-agent.md";
    driven_by_a_program types "sdk.md";
    beside_a_program types "serve.md";
    instructions_in_files types "instructions.md";
    an_agent_under_hooks types "run.md";
    files_that_change types "watching.md";
    tasks_and_teams types "teams.md";
    worktrees types "worktrees.md";
    in_claude_code types "claude-code.md";
    exit_codes types "exit-codes.md";
    hooks_of_plugins types "plugins.md";
    rules_at_exec types "exec.md";
    workers types "workers.md";
    hooks_that_are_started_ahead types "warm-hooks.md";
    tests_of_hooks types "test.md";
    a_configuration_that_is_checked types "check.md";
    in_every_agent types "install.md";
    past_sessions types "replay.md";
    the_time_of_hooks types "profile.md";
}

macro_rules! admin_pages {
    ($($test:ident types $page:literal;)*) => {
        /// The administrators' pages that are typed.
        const TYPED_OF_ADMIN: &[&str] = &[$($page),*];
        $(
            #[test]
            fn $test() {
                assert!(typed(ADMIN, $page) >= 1, "the page has its steps");
            }
        )*
    };
}

admin_pages! {
    managed_settings types "managed.md";
    a_staged_rollout types "rollout.md";
    an_audit_log types "audit.md";
    in_ci types "ci.md";
}

/// Files beside the administrators' pages: their index, and a program that a test runs.
const BESIDE: &[&str] = &["README.md", "verify_audit.py"];

/// Pages about things that only a person can type: `tests/cli/run_terminal` covers them.
const WALKED: &[&str] = &["terminal.md"];

/// Pages whose programs are run by the tests of the packages for other languages.
const OF_PACKAGES: &[&str] = &["agent-hooks.md", "node.md", "python-frameworks.md", "python.md"];

/// Pages about features that are off by default: `tests/cli/otlp.rs` covers them.
const OF_FEATURES: &[&str] = &["telemetry.md"];

/// Pages about programs that only packages contain: `tests/cli/small_program.rs` covers them.
const OF_PROGRAMS: &[&str] = &["packages.md"];

/// Pages about programs that other programs talk to: `tests/cli/acp.rs` and `mcp_gateway.rs` cover them.
const OF_PROTOCOLS: &[&str] = &["acp.md", "gateway.md"];

/// Pages that are generated from tables, whose fixtures cover them.
const MADE: &[&str] = &["agents.md", "guards.md"];

#[test]
fn no_page_for_administrators_is_left_out() {
    let directory = std::fs::read_dir(workspace().join(ADMIN)).expect("the pages are there");
    let mut pages: Vec<_> = directory.map(|entry| entry.expect("it can be read").file_name()).collect();
    let mut typed = [TYPED_OF_ADMIN, BESIDE].concat();
    pages.sort_unstable();
    typed.sort_unstable();
    assert_eq!(pages, typed);
}

#[test]
fn no_page_is_left_out() {
    let directory = std::fs::read_dir(workspace().join(GUIDE)).expect("the guide is there");
    let mut pages: Vec<_> = directory.map(|entry| entry.expect("it can be read").file_name()).collect();
    let mut typed = [TYPED, WALKED, OF_PACKAGES, OF_FEATURES, OF_PROGRAMS, OF_PROTOCOLS, MADE].concat();
    pages.sort_unstable();
    typed.sort_unstable();
    assert_eq!(pages, typed);
}

/// Types the picture of the README like a page: its lines are those of `cargo xtask pictures`, and so is their output.
#[test]
fn the_picture_of_the_readme_shows_what_is_printed() {
    let picture = workspace().join("docs/images/demo.svg");
    let picture = std::fs::read_to_string(picture).expect("the picture is there: cargo xtask pictures");
    let (_, body) = picture.split_once("<text").expect("it has a text");
    let words = body.split('<').filter_map(|piece| piece.split_once('>')).map(|(_, text)| text);
    let text = words.collect::<String>().replace("\n\n    ", "\n");
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&");
    let before = "\n```toml title=\"Cargo.toml\"\n[package]\nname = \"till\"\n```\n\n```rust title=\"src/lib.rs\"\n//\n```\n";
    let console = format!("{before}\n```console\n$ git init --quiet -b main .\n{}\n```\n", text.trim());
    assert_eq!(typed_text(&console), 5, "{console}");
}
