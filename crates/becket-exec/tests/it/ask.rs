//! Programs that wait for an approval.

use std::time::Instant;

use super::common::Scene;

const ASK: &str = "ask=Bash(tool *)";

// rule: E4
#[test]
fn a_program_waits_for_its_approval() {
    let scene = Scene::new();
    let ended =
        scene.supervised(&[ASK, "approve"], ["bash", "-c", "tool one two; ls one two; tool \"$OUT\""]);
    assert_eq!((ended.code, &*ended.stdout), (Some(0), "one\ntwo\n"), "{ended:?}");
    assert!(scene.took_effect());
}

// rule: E4
#[test]
fn with_nobody_to_ask_it_is_denied() {
    let scene = Scene::new();
    let ended = scene.supervised(&[ASK], ["bash", "-c", "tool \"$OUT\"; echo $?"]);
    assert_eq!(ended.stdout, "126\n");
    assert!(
        ended.stderr.contains("the rule `Bash(tool *)` of the command line asks first, and"),
        "{ended:?}"
    );
    assert!(!scene.took_effect());
}

// rule: E4
#[test]
fn a_deny_is_not_asked_about() {
    let scene = Scene::new();
    let options = [ASK, "deny=Bash(tool *pushed)", "approve"];
    let ended = scene.supervised(&options, ["bash", "-c", "tool other && ls other; tool \"$OUT\""]);
    assert_eq!((ended.code, &*ended.stdout), (Some(126), "other\n"), "{ended:?}");
    assert!(!scene.took_effect());
}

// rule: E4
#[test]
fn nobody_else_waits() {
    let scene = Scene::new();
    // Each approval takes 100 ms, and all of them are awaited concurrently.
    let line = "for i in {1..10}; do tool $i & done; for i in {1..100}; do /bin/true; done; echo others; wait; ls {1..10} | wc -l";
    let start = Instant::now();
    let ended = scene.supervised(&[ASK, "approve"], ["bash", "-c", line]);
    assert_eq!(ended.stdout, "others\n10\n", "{ended:?} after {:?}", start.elapsed());
}

// rule: E4
#[test]
fn a_program_that_ends_while_it_waits_is_forgotten() {
    let scene = Scene::new();
    let line = "tool \"$OUT\" & sleep 0.02; kill -9 $!; wait $!; echo $?; sleep 0.3";
    let ended = scene.supervised(&[ASK, "approve"], ["bash", "-c", line]);
    assert!(ended.stdout == "137\n" && !scene.took_effect(), "{ended:?}");
    let ended = scene.supervised(&[ASK, "approve"], ["bash", "-c", "tool \"$OUT\" & sleep 0.02"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!scene.took_effect() && scene.marker.alive().is_empty());
}
