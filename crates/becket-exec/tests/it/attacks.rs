//! Programs that attack the supervisor.

use super::common::Scene;

/// A script in which a child executes `tool` with an argument in shared memory, which its parent changes meanwhile.
const RACE: &str = r#"
import ctypes, mmap, os
libc = ctypes.CDLL(None)
directory = os.environ["DIR"]
good, bad = (directory + name for name in ("pulled", "pushed"))
shared = mmap.mmap(-1, 4096)
buffer = (ctypes.c_char * 4096).from_buffer(shared)
def put(text): ctypes.memmove(buffer, text.encode() + b"\0", len(text) + 1)
argv = (ctypes.c_void_p * 3)(ctypes.cast(ctypes.c_char_p(b"tool"), ctypes.c_void_p).value, ctypes.addressof(buffer), None)
for _ in range(200):
    put(good)
    child = os.fork()
    if child == 0:
        libc.execv((directory + "bin/tool").encode(), argv)
        os._exit(1)
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        put(bad); put(good)
print(os.path.exists(bad))
"#;

/// A script that writes to the memory of another process in three ways.
const MEMORY: &str = r#"
import ctypes, os, subprocess
libc = ctypes.CDLL(None, use_errno=True)
child = subprocess.Popen(["sleep", "5"])
try: open(f"/proc/{child.pid}/mem", "r+b"); print("open")
except OSError as error: print(type(error).__name__)
number = {"x86_64": (101, 311), "aarch64": (117, 271)}[os.uname().machine]
print(libc.syscall(number[0], 16, child.pid, 0, 0), os.strerror(ctypes.get_errno()))
print(libc.syscall(number[1], child.pid, 0, 0, 0, 0, 0), os.strerror(ctypes.get_errno()))
child.kill()
"#;

/// A script with clones that hide their child from a tracer: with flags that a filter sees, and with a structure that
/// it can't read.
const UNTRACED: &str = r#"
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
flag, signal = 0x00800000, 17
number = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
def run(result):
    if result == 0:
        os.execvp("tool", ["tool", os.environ["OUT"]])
    print(result, os.strerror(ctypes.get_errno()))
    if result > 0: os.waitpid(result, 0)
run(libc.syscall(number, flag | signal, 0, 0, 0, 0))
run(libc.syscall(435, struct.pack("8Q", flag, 0, 0, 0, signal, 0, 0, 0), 64))
"#;

// rule: E1
#[test]
fn an_argument_that_changes_during_the_exec_decides_nothing() {
    let scene = Scene::new();
    let ended = scene.supervised(&["deny=Bash(tool *pushed)"], ["python3", "-c", RACE]);
    assert_eq!(ended.stdout, "False\n", "{ended:?}");
}

// rule: E1
#[test]
fn the_memory_of_other_programs_is_not_written() {
    let scene = Scene::new();
    let ended = scene.supervised(&["deny=Bash(tool *)"], ["python3", "-c", MEMORY]);
    let opened = if ended.is_weak() { "open" } else { "PermissionError" };
    let refused = "-1 Operation not permitted\n";
    assert_eq!(ended.stdout, format!("{opened}\n{refused}{refused}"), "{ended:?}");
}

// rule: E1
#[test]
fn a_clone_does_not_hide_from_the_supervisor() {
    let scene = Scene::new();
    let ended = scene.supervised(&["deny=Bash(tool *)"], ["python3", "-c", UNTRACED]);
    assert!(!scene.took_effect(), "{ended:?}");
    assert_eq!(ended.stdout, "-1 Operation not permitted\n-1 Function not implemented\n", "{ended:?}");
}

// rule: E1
#[test]
fn a_library_that_is_loaded_first_is_left_out_of_a_program_with_rules() {
    let scene = Scene::new();
    // The loader complains about a missing library, if it looks for it.
    let line = "LD_PRELOAD=/missing.so tool other; LD_PRELOAD=/missing.so /bin/true";
    let ended = scene.denied(line);
    assert_eq!(ended.stderr.matches("/missing.so").count(), 1, "{ended:?}");
    assert!(scene.path("other").exists());
}

// rule: E1
#[test]
fn arguments_of_any_size_are_read() {
    let scene = Scene::new();
    for line in [
        "tool $(seq 1 20000) \"$OUT\"",
        "for i in {1..300}; do export V$i=$(printf '%01000d' 0); done; tool \"$OUT\"",
        "tool \"$(printf '%0100000d' 0)\" \"$OUT\"",
        "env -i \"$(command -v tool)\" \"$OUT\"",
        "tool '' $'\\xff' \"$OUT\"",
    ] {
        let ended = scene.denied(line);
        assert_eq!(ended.code, Some(126), "`{line}`: {ended:?}");
        assert!(!scene.took_effect(), "`{line}`: {ended:?}");
    }
}
