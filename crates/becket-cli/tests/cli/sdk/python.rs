//! The Agent SDK for Python (PyPI `claude-agent-sdk`), through `cli_path`.

use super::package::{Package, scenario};

#[test]
fn a_query_is_answered() {
    scenario::query(Package::Python);
}

#[test]
fn the_example_of_the_guide_works() {
    scenario::example(Package::Python);
}

#[test]
fn callbacks_deny_let_pass_and_add() {
    scenario::hooks(Package::Python);
}

#[test]
fn callbacks_that_fail_deny() {
    scenario::failing_hooks(Package::Python);
}

#[test]
fn permissions_are_asked_for() {
    scenario::permissions(Package::Python);
}

#[test]
fn a_server_in_its_process_is_called() {
    scenario::server(Package::Python);
}

#[test]
fn a_turn_is_interrupted() {
    scenario::interrupt(Package::Python);
}

#[test]
fn a_session_is_gone_on_with() {
    scenario::resume(Package::Python);
}

#[test]
fn mode_and_model_change() {
    scenario::changes(Package::Python);
}

#[test]
fn servers_are_switched_and_the_window_is_told() {
    scenario::wishes(Package::Python);
}

#[test]
fn a_prompt_that_is_rejected_raises_nothing() {
    scenario::rejected(Package::Python);
}

#[test]
fn an_error_of_the_provider_says_what_it_is() {
    scenario::api_error(Package::Python);
}
