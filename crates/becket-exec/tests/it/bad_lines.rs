//! Lines that attack their supervisor, or merely overload it.

use super::common::Scene;

// rules: E1, E7
#[test]
fn a_line_that_forks_without_end_ends_with_its_first_program() {
    let scene = Scene::new();
    let ended = scene.denied("( while :; do ( : ) & done ) & tool other; tool \"$OUT\"; exit 3");
    assert_eq!(ended.code, Some(3), "{ended:?}");
    assert!(!scene.took_effect() && scene.path("other").exists());
    assert!(scene.marker.alive().is_empty());
}

// rule: E1
#[test]
fn thousands_of_programs_are_decided_about() {
    let scene = Scene::new();
    let line = "for i in {1..2000}; do /bin/true; done; echo all; tool \"$OUT\"";
    let ended = scene.denied(line);
    assert_eq!((ended.code, &*ended.stdout), (Some(126), "all\n"), "{ended:?}");
    assert!(!scene.took_effect());
}

// rules: E2, E3
#[test]
fn closed_and_full_streams_change_no_decision() {
    let scene = Scene::new();
    for line in [
        "exec 0<&- 1>&- 2>&-; tool \"$OUT\"",
        "for fd in {0..255}; do eval \"exec $fd<&-\"; done; tool \"$OUT\"",
        "tool \"$OUT\" 2>/dev/full",
        "ulimit -f 0; tool \"$OUT\"",
        "ulimit -n 3; tool \"$OUT\"",
    ] {
        let ended = scene.denied(line);
        assert_eq!(ended.code, Some(126), "`{line}`: {ended:?}");
        assert!(!scene.took_effect(), "`{line}`: {ended:?}");
    }
}

// rule: E2
#[test]
fn a_line_that_kills_its_supervisor_ends_with_it() {
    let scene = Scene::new();
    for line in ["kill -9 $PPID; tool \"$OUT\"", "setsid bash -c 'kill -9 '$PPID'; tool \"$OUT\"' & wait"] {
        let ended = scene.denied(line);
        assert_eq!(ended.code, None, "`{line}`: {ended:?}");
        assert!(!scene.took_effect(), "`{line}`: {ended:?}");
        assert!(becket_testkit::proc::wait_until(|| scene.marker.alive().is_empty()), "`{line}`");
    }
}

// rule: E1
#[test]
fn a_descriptor_of_another_process_is_not_taken() {
    let scene = Scene::new();
    let program = r#"
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
pidfd = os.pidfd_open(os.getppid())
print(libc.syscall(438, pidfd, 0, 0), os.strerror(ctypes.get_errno()))
"#;
    let ended = scene.supervised(&["deny=Bash(tool *)"], ["python3", "-c", program]);
    assert_eq!(ended.stdout, "-1 Operation not permitted\n", "{ended:?}");
}

// rule: E1
#[test]
fn the_configuration_of_a_repository_hides_no_push() {
    let scene = Scene::new();
    let setup = "git init -q -b main r && cd r && git config user.email a@b && git config user.name a && \
                 git commit -q --allow-empty -m x && git init -q --bare ../remote && git remote add origin ../remote";
    if scene.bare(setup).code != Some(0) {
        return;
    }
    let aliases = [
        "git config alias.p push; git p -q origin main",
        "git config alias.a b; git config alias.b 'push -q'; git a origin main",
        "git config alias.s '!git push -q origin main'; git s",
        "git config alias.s '!f() { git \"$1\" -q origin main; }; f'; git s push",
        "printf '[alias]\\n p = push -q\\n' > more; git config include.path ../more; git p origin main",
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.p GIT_CONFIG_VALUE_0=push git p -q origin main",
        "git -c alias.p=push p -q origin main",
    ];
    for alias in aliases {
        let line = format!("cd r && {alias}; git -C ../remote rev-parse -q --verify main");
        let ended = scene.supervised(&["deny=Bash(git push *)"], ["bash", "-c", &line]);
        assert_eq!((ended.code, &*ended.stdout), (Some(1), ""), "`{alias}`: {ended:?}");
        assert!(ended.stderr.contains("was not run"), "`{alias}`: {ended:?}");
    }
}

// rule: E3
#[test]
fn a_denial_ends_everything_if_it_is_to() {
    let scene = Scene::new();
    let line = "sleep 60 & tool \"$OUT\"; tool later";
    let ended = scene.supervised(&["deny=Bash(tool *pushed*)", "end-line"], ["bash", "-c", line]);
    assert_eq!(ended.code, Some(126), "{ended:?}");
    assert!(ended.stderr.contains("was not run"), "{ended:?}");
    assert!(!scene.path("later").exists() && scene.marker.alive().is_empty());
}
