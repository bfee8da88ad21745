//! Failures: nothing is run, or the program in question is not.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::common::Scene;

/// The numbers of system calls, on x86_64 and aarch64.
const PTRACE: [u32; 2] = [101, 117];
const LANDLOCK: [u32; 2] = [444, 444];

const DENY: &[&str] = &["deny=Bash(tool *pushed*)"];

/// A static 32-bit program of the x86 family that ends with 0.
const THIRTY_TWO_BIT: &[u8] =
    b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0\x01\0\0\0\x54\x80\x04\x08\x34\0\0\0\
    \0\0\0\0\0\0\0\0\x34\0\x20\0\x01\0\0\0\0\0\0\0\
    \x01\0\0\0\0\0\0\0\0\x80\x04\x08\0\x80\x04\x08\x60\0\0\0\x60\0\0\0\x05\0\0\0\0\x10\0\0\
    \xb8\x01\0\0\0\x31\xdb\xcd\x80\0\0\0";

// rule: E2
#[test]
fn a_program_that_can_not_be_executed_is_named() {
    let scene = Scene::new();
    scene.write("plain", "no program");
    for (program, why) in [
        ("missing", "there is no program `missing` in the search path"),
        ("", "there is no program `` in the search path"),
        ("./missing", "No such file or directory"),
        ("./plain", "Exec format error"),
        ("/", "Permission denied"),
    ] {
        let ended = scene.supervised(DENY, [program]);
        assert_eq!(ended.code, Some(125), "{program}: {ended:?}");
        assert!(
            ended.stderr.contains("nothing was run") && ended.stderr.contains(why),
            "{program}: {ended:?}"
        );
    }
}

// rule: E2
#[test]
fn a_directory_that_can_not_be_entered_is_named() {
    let scene = Scene::new();
    let ended = scene.supervised(&["in=/missing"], ["/bin/touch", "pushed"]);
    assert_eq!(ended.code, Some(125), "{ended:?}");
    assert!(ended.stderr.contains("nothing was run: `/missing` can't be entered"), "{ended:?}");
}

// rule: E2
#[test]
fn without_ptrace_nothing_is_run() {
    let scene = Scene::new();
    let ended = scene.without(PTRACE, DENY, &["touch", "pushed"]);
    assert_eq!(ended.code, Some(125), "{ended:?}");
    assert!(ended.stderr.contains("ptrace is not permitted here"), "{ended:?}");
    assert!(!scene.took_effect());
}

// rule: E2
#[test]
fn without_landlock_it_runs_and_says_that_rules_can_be_raced() {
    let scene = Scene::new();
    let ended = scene.without(LANDLOCK, DENY, &["bash", "-c", "tool \"$OUT\"; echo $?"]);
    assert_eq!(ended.stdout, "126\n", "{ended:?}");
    assert!(ended.is_weak() && !scene.took_effect(), "{ended:?}");
}

// rule: E5
#[test]
fn a_right_that_can_not_be_taken_away_refuses_the_program() {
    let scene = Scene::new();
    let writable = format!("write={}", scene.path("bin").display());
    let ended = scene.without(LANDLOCK, &[&writable], &["touch", "pushed"]);
    assert_eq!(ended.code, Some(125), "{ended:?}");
    assert!(ended.stderr.contains("the rights of the program can't be restricted here"), "{ended:?}");
    let ended = scene.supervised(&["write=/missing"], ["touch", "pushed"]);
    assert_eq!(ended.code, Some(125), "{ended:?}");
    assert!(ended.stderr.contains("`/missing` can't be among the rights"), "{ended:?}");
    assert!(!scene.took_effect());
}

// rule: E2
#[test]
fn a_program_that_can_not_be_read_does_not_run() {
    let scene = Scene::new();
    let program = scene.path("bin/closed");
    fs::copy("/bin/touch", &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o111)).unwrap();
    let line = "bin/closed other; echo $?";
    let Some(ended) = scene.supervised_as_nobody(DENY, ["bash", "-c", line]) else { return };
    assert_eq!(ended.stdout, "137\n", "{ended:?}");
    assert!(ended.stderr.contains("was not run: it can't be examined"), "{ended:?}");
    assert!(!scene.path("other").exists());
}

// rule: E1
#[test]
fn rules_hold_for_an_ordinary_user_too() {
    let scene = Scene::new();
    let line = "tool \"$OUT\"; tool other && echo other";
    let denied = format!("deny-read={}", scene.write("secret", "").display());
    // The supervisor may be closed to tracers, as the program `becket` is.
    for options in [&[][..], &["untraced"], &["untraced", "domain=a.test"], &["untraced", &denied]] {
        let options = [DENY, options].concat();
        let Some(ended) = scene.supervised_as_nobody(&options, ["bash", "-c", line]) else { return };
        assert_eq!(ended.stdout, "other\n", "{options:?}: {ended:?}");
        assert!(!scene.took_effect(), "{options:?}: {ended:?}");
    }
}

// rule: E1
#[test]
fn a_program_that_needs_its_setuid_bit_is_refused_with_the_reason() {
    let scene = Scene::new();
    let sudo = scene.path("bin/sudo");
    fs::copy("/bin/true", &sudo).unwrap();
    fs::set_permissions(&sudo, fs::Permissions::from_mode(0o4755)).unwrap();
    let Some(ended) = scene.supervised_as_nobody(DENY, ["sudo", "x"]) else { return };
    assert_eq!(ended.code, Some(126), "{ended:?}");
    assert!(ended.stderr.contains("it needs its setuid bit, which has no effect here"), "{ended:?}");
    // Root needs no setuid bit.
    assert_eq!(scene.supervised(DENY, ["sudo", "x"]).code, Some(0));
}

// rule: E2
#[cfg(target_arch = "x86_64")]
#[test]
fn a_32_bit_program_is_refused() {
    let scene = Scene::new();
    scene.write("small", THIRTY_TWO_BIT);
    if scene.bare("./small").code != Some(0) {
        return;
    }
    let ended = scene.denied("./small; echo $?");
    assert_eq!(ended.stdout, "137\n", "{ended:?}");
    assert!(ended.stderr.contains("it is a 32-bit program"), "{ended:?}");
}
