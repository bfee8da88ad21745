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

/// A script that connects to a supervisor, and sends blanks for two minutes.
const TICKLE: &str = r#"
import socket, sys, time
connection = socket.socket(socket.AF_UNIX)
connection.connect("\0becket-exec-" + sys.argv[1])
print("connected", flush=True)
for _ in range(240):
    try: connection.send(b" ")
    except OSError: break
    time.sleep(0.5)
"#;

// rule: E6
#[test]
fn a_stranger_keeps_no_supervisor_waiting() {
    let scene = Scene::new();
    scene.write("tickle.py", TICKLE);
    let begun = std::time::Instant::now();
    // The stranger belongs to no supervisor.
    let line = "./supervise 'deny=Bash(tool *)' -- sh -c ': > started; while ! test -s connected; do sleep 0.05; done; \
                ./supervise \"deny=Bash(other)\" -- echo inner' & \
                while ! test -e started; do sleep 0.05; done; python3 tickle.py $! > connected & wait %1";
    let ended = scene.bare(line);
    assert_eq!(ended.stdout, "inner\n", "{ended:?}");
    assert!(begun.elapsed() < std::time::Duration::from_secs(60), "{:?}: {ended:?}", begun.elapsed());
}

// rule: E6
#[test]
fn a_program_inside_keeps_no_supervisor_from_ending() {
    let scene = Scene::new();
    scene.write("tickle.py", TICKLE);
    let begun = std::time::Instant::now();
    let line = "python3 tickle.py $PPID > connected & while ! test -s connected; do sleep 0.05; done; \
                ./supervise 'deny=Bash(tool *)' -- echo inner";
    let ended = scene.supervised(&["deny=Bash(other)"], ["bash", "-c", line]);
    assert_eq!(ended.stdout, "inner\n", "{ended:?}");
    assert!(begun.elapsed() < std::time::Duration::from_secs(60), "{:?}: {ended:?}", begun.elapsed());
}
