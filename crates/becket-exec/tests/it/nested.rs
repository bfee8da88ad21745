//! A supervisor inside of another one.

use super::common::Scene;

// rule: E6
#[test]
fn an_inner_supervisor_adds_its_rules_to_the_outer_one() {
    let scene = Scene::new();
    let line = "./supervise 'deny=Bash(tool inner)' -- \
                bash -c 'tool inner; echo $?; tool outer; echo $?; tool free && echo free; exit 3'; echo $?; \
                tool inner && echo later";
    let ended = scene.supervised(&["deny=Bash(tool outer)"], ["bash", "-c", line]);
    assert_eq!(ended.stdout, "126\n126\nfree\n3\nlater\n", "{ended:?}");
}

// rule: E6
#[test]
fn rules_of_an_inner_supervisor_hold_for_processes_that_outlive_it() {
    let scene = Scene::new();
    let line = "./supervise 'deny=Bash(tool *)' -- bash -c 'setsid bash -c \"sleep 30; tool x\" & exec sleep 0'; \
                test -e x || echo none";
    let ended = scene.supervised(&["deny=Bash(other)"], ["bash", "-c", line]);
    assert_eq!(ended.stdout, "none\n", "{ended:?}");
    assert!(scene.marker.alive().is_empty());
}

// rule: E6
#[test]
fn a_third_supervisor_adds_its_rules_too() {
    let scene = Scene::new();
    let line = "./supervise 'deny=Bash(tool a)' -- ./supervise 'deny=Bash(tool b)' -- \
                bash -c 'for name in a b c d; do tool $name && echo $name; done'";
    let ended = scene.supervised(&["deny=Bash(tool c)"], ["bash", "-c", line]);
    assert_eq!(ended.stdout, "d\n", "{ended:?}");
}
