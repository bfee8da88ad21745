//! Denials that do not end the line, exit codes, and the end of everything that a program leaves running.

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use becket_testkit::proc::wait_until;

use super::common::Scene;

// rule: E3
#[test]
fn a_denied_program_ends_with_126_and_a_line_and_the_rest_goes_on() {
    let scene = Scene::new();
    let ended = scene.denied("printf 'all:\\n\\ttool $$OUT; echo then\\n' > Makefile; make; echo $?");
    assert!(ended.stdout.ends_with("then\n0\n"), "{ended:?}");
    let line = ended.stderr.lines().find(|line| line.starts_with("becket: ")).unwrap();
    assert!(line.starts_with("becket: `tool /"), "{line}");
    let end = "was not run: denied by the rule `Bash(tool *pushed*)` of the command line; run by bash → make → sh → tool";
    assert!(line.ends_with(end), "{line}");
    assert_eq!(scene.denied("tool \"$OUT\"; echo $?").stdout, "126\n");
    assert_eq!(scene.supervised(&["deny=Bash"], ["bash", "-c", "echo x"]).code, Some(126));
}

// rule: E3
#[test]
fn a_denied_program_without_stderr_ends_all_the_same() {
    let scene = Scene::new();
    for redirection in ["2>&-", "2>/dev/null", "2>&1 | true", "2</etc/passwd"] {
        let ended = scene.denied(&format!("tool \"$OUT\" {redirection}; echo ended"));
        assert!(!scene.took_effect() && ended.stdout.contains("ended"), "{redirection}: {ended:?}");
    }
}

// rule: E3
#[test]
fn the_exit_code_is_that_of_the_program() {
    let scene = Scene::new();
    for (line, code) in [("true", 0), ("exit 3", 3), ("exit 255", 255), ("kill -9 $$", 137), ("kill $$", 143)]
    {
        assert_eq!(scene.denied(line).code, Some(code), "{line}");
    }
}

// rule: E7
#[test]
fn nothing_outlives_the_program() {
    for line in [
        "sleep 1000 & sleep 1000 & exit 0",
        "setsid sleep 1000 & exit 0",
        "(setsid sh -c 'trap \"\" TERM HUP; sleep 1000' &) ; exit 0",
        "setsid -f sh -c 'while :; do sleep 1; done'",
        "python3 -c 'import os, signal; [os.fork() for _ in range(6)]; os.setsid; signal.pause()' & sleep 0.3",
        "sh -c 'kill -STOP $$' & sleep 0.1",
        ":(){ :|:& };: 2>/dev/null; read -t 0.3 <> <(:)",
    ] {
        let scene = Scene::new();
        let ended = scene.denied(line);
        assert!(scene.marker.alive().is_empty(), "`{line}`: {ended:?}");
    }
}

// rule: E2
#[test]
fn the_end_of_the_supervisor_lets_nothing_through() {
    let scene = Scene::new();
    let line = "while :; do (tool \"$OUT\"; bin/tool \"$OUT\") 2>/dev/null & tool other; done";
    for milliseconds in (0..200).step_by(13) {
        let mut command = scene.supervisor(&["deny=Bash(tool *pushed*)"], ["bash", "-c", line]);
        let mut supervisor = command.stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(milliseconds));
        supervisor.kill().unwrap();
        supervisor.wait().unwrap();
        assert!(wait_until(|| scene.marker.alive().is_empty()), "{:?}", scene.marker.alive());
        assert!(!scene.took_effect(), "after {milliseconds} ms");
    }
    // The line itself may try it.
    let ended = scene.denied("kill -9 $PPID; sleep 0.2; tool \"$OUT\"");
    assert!(!scene.took_effect(), "{ended:?}");
    assert!(wait_until(|| scene.marker.alive().is_empty()));
}

// rule: E7
#[test]
fn a_signal_that_ends_the_supervisor_reaches_the_program_first() {
    let scene = Scene::new();
    let line = "trap 'echo caught; exit 7' TERM; tool ready; while :; do sleep 0.05; done";
    let mut command = scene.supervisor(&["deny=Bash(tool *pushed*)"], ["bash", "-c", line]);
    let supervisor = command.stdout(Stdio::piped()).spawn().unwrap();
    assert!(wait_until(|| scene.path("ready").exists()));
    let id = supervisor.id().to_string();
    assert!(std::process::Command::new("kill").arg(&id).status().unwrap().success());
    let output = supervisor.wait_with_output().unwrap();
    assert_eq!((output.status.code(), &*output.stdout), (Some(7), &b"caught\n"[..]));
}

// rule: E1
#[test]
fn a_thousand_programs_and_as_many_threads_run() {
    let scene = Scene::new();
    let ended = scene.denied("for i in {1..1000}; do /bin/true || exit 1; done; echo done");
    assert_eq!((ended.code, &*ended.stdout), (Some(0), "done\n"), "{ended:?}");
    let threads = "import threading as t
a = [t.Thread(target=lambda: None) for _ in range(1000)]
[x.start() for x in a]; [x.join() for x in a]; print(len(a))";
    let ended = scene.supervised(&["deny=Bash(tool *)"], ["python3", "-c", threads]);
    assert_eq!((ended.code, &*ended.stdout), (Some(0), "1000\n"), "{ended:?}");
}
