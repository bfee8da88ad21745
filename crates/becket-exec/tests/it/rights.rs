//! Programs with restricted rights.

use super::common::Scene;

/// A script that opens sockets and a ring of system calls.
const SOCKETS: &str = r#"
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
    try: socket.socket(family); print("open")
    except OSError as error: print(type(error).__name__)
print(libc.syscall(425, 1, ctypes.create_string_buffer(120)), os.strerror(ctypes.get_errno()))
"#;

/// A script that opens a socket and a ring by their numbers in the x32 ABI of x86-64. A kernel without that ABI knows
/// neither.
#[cfg(target_arch = "x86_64")]
const X32: &str = r#"
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for number, first in ((41, 2), (425, 1)):
    print(libc.syscall(0x40000000 | number, first, ctypes.create_string_buffer(120)), os.strerror(ctypes.get_errno()))
"#;

// rule: E5
#[test]
fn only_what_is_allowed_is_written() {
    let scene = Scene::new();
    std::fs::create_dir(scene.path("inside")).unwrap();
    std::fs::write(scene.path("kept"), "text").unwrap();
    let inside = format!("write={}", scene.path("inside").display());
    let line = "touch inside/a && echo a; echo x > inside/b && mv inside/b inside/c && echo c; \
                for attempt in 'touch pushed' ': > kept' 'rm kept' 'mv inside/a out' 'ln kept inside/k && echo y > inside/k' \
                'mkdir d' 'echo z > /proc/self/comm'; do sh -c \"$attempt\" 2>/dev/null && echo \"$attempt\"; done; \
                echo n > /dev/null && echo null";
    let ended = scene.supervised(&[&inside], ["bash", "-c", line]);
    assert_eq!(ended.stdout, "a\nc\nnull\n", "{ended:?}");
    assert_eq!(std::fs::read_to_string(scene.path("kept")).unwrap(), "text");
}

// rule: E5
#[test]
fn without_the_network_no_socket_is_opened() {
    let scene = Scene::new();
    let ended = scene.supervised(&["no-network"], ["python3", "-c", SOCKETS]);
    let refused = "PermissionError\n".repeat(3);
    assert_eq!(ended.stdout, format!("{refused}-1 Function not implemented\n"), "{ended:?}");
}

// rule: E5
#[cfg(target_arch = "x86_64")]
#[test]
fn without_the_network_no_socket_is_opened_by_another_number() {
    let scene = Scene::new();
    let ended = scene.supervised(&["no-network"], ["python3", "-c", X32]);
    assert_eq!(ended.stdout, "-1 Operation not permitted\n".repeat(2), "{ended:?}");
}

// rule: E5
#[test]
fn what_lies_inside_an_allowed_directory_can_be_denied() {
    let scene = Scene::new();
    let at = |name: &str| scene.path(name).display().to_string();
    std::fs::create_dir_all(scene.path("work/.git/hooks")).unwrap();
    std::fs::create_dir(scene.path("work/secret")).unwrap();
    for (file, text) in
        [("hooks/pre-push", "kept"), ("../secret/key", "hidden"), ("../.env", "hidden"), ("HEAD", "ref")]
    {
        std::fs::write(scene.path("work/.git").join(file), text).unwrap();
    }
    let arguments = [
        format!("write={}", at("work")),
        format!("deny-write={}", at("work/.git/hooks")),
        format!("deny-read={}", at("work/secret")),
        format!("deny-read={}", at("work/.env")),
        format!("in={}", at("work")),
    ];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let line = "cat .git/hooks/pre-push; echo; echo new > .git/HEAD && echo head; touch other && echo other; \
                for attempt in 'echo x > .git/hooks/pre-push' 'touch .git/hooks/post-merge' 'rm .git/hooks/pre-push' \
                'mv .git .moved' 'mv .git/hooks .git/moved' 'rm -rf .git/hooks' 'cat secret/key' 'ls secret/key' 'cat .env' \
                'echo x > .env' 'mv secret elsewhere' 'cp secret/key key' 'umount secret' 'umount -l .git/hooks' \
                'unshare -Urm umount -l .git/hooks' 'cat /proc/1/root$PWD/secret/key' \
                'nsenter -t 1 -m cat $PWD/secret/key' 'mount --bind .git .git/hooks' 'cd .git/hooks && touch y' \
                'ln .git/hooks/pre-push linked && echo z > linked'; \
                do sh -c \"$attempt\" >/dev/null 2>&1 && echo \"passed: $attempt\"; done; true";
    let ended = scene.supervised(&arguments, ["bash", "-c", line]);
    assert_eq!((ended.stdout.as_str(), ended.code), ("kept\nhead\nother\n", Some(0)), "{ended:?}");
    let now = |name: &str| std::fs::read_to_string(scene.path("work").join(name)).unwrap();
    assert_eq!((now(".git/hooks/pre-push"), now(".git/HEAD")), ("kept".to_owned(), "new\n".to_owned()));
    assert_eq!((now("secret/key"), now(".env")), ("hidden".to_owned(), "hidden".to_owned()));
}

// rules: E1, E5
#[test]
fn a_rule_holds_for_a_program_that_is_denied_paths() {
    let scene = Scene::new();
    std::fs::create_dir(scene.path("secret")).unwrap();
    let denied = format!("deny-read={}", scene.path("secret").display());
    let ended = scene.supervised(&[&denied, "deny=Bash(tool *)"], ["sh", "-c", "tool pushed; echo $?; tool"]);
    assert!(ended.stdout.starts_with("126\n") && !scene.path("pushed").exists(), "{ended:?}");
}
