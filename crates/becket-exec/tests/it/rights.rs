//! Programs with less than every right.

use super::common::Scene;

/// Opens sockets and a ring of system calls.
const SOCKETS: &str = r#"
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX):
    try: socket.socket(family); print("open")
    except OSError as error: print(type(error).__name__)
print(libc.syscall(425, 1, ctypes.create_string_buffer(120)), os.strerror(ctypes.get_errno()))
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
