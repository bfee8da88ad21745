//! The Agent SDK for Node (npm `@anthropic-ai/claude-agent-sdk`), through `pathToClaudeCodeExecutable`.

use super::package::{Package, scenario};

#[test]
fn a_query_is_answered() {
    scenario::query(Package::Node);
}

#[test]
fn the_example_of_the_guide_works() {
    scenario::example(Package::Node);
}

#[test]
fn callbacks_deny_let_pass_and_add() {
    scenario::hooks(Package::Node);
}

#[test]
fn callbacks_that_fail_deny() {
    scenario::failing_hooks(Package::Node);
}

#[test]
fn permissions_are_asked_for() {
    scenario::permissions(Package::Node);
}

#[test]
fn a_server_in_its_process_is_called() {
    scenario::server(Package::Node);
}

#[test]
fn a_turn_is_interrupted() {
    scenario::interrupt(Package::Node);
}

#[test]
fn a_session_is_gone_on_with() {
    scenario::resume(Package::Node);
}

#[test]
fn mode_and_model_change() {
    scenario::changes(Package::Node);
}

#[test]
fn servers_are_switched_and_the_window_is_told() {
    scenario::wishes(Package::Node);
}

#[test]
fn a_prompt_that_is_rejected_raises_nothing() {
    scenario::rejected(Package::Node);
}

#[test]
fn an_error_of_the_provider_says_what_it_is() {
    scenario::api_error(Package::Node);
}
