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

/// A script that opens a socket and changes a mode before and after it has installed filters that send calls to a
/// tracer with the message of an exec, and that asks for a filter with a listener.
const FILTERS: &str = r#"
import ctypes, os, socket, struct
libc = ctypes.CDLL(None, use_errno=True)
numbers = {"x86_64": (317, 41, 102, 90, 91, 268), "aarch64": (277, 198, 174, 52, 53)}
seccomp, socket_call, getuid, *modes = numbers[os.uname().machine]
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
def install(flags, action, *numbers):
    steps = [(0x20, 0, 0, 0)] + [(0x15, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    steps += [(0x06, 0, 0, 0x7fff0000), (0x06, 0, 0, action)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = Program(len(steps), ctypes.addressof(code))
    print(libc.syscall(seccomp, 1, flags, ctypes.byref(program)), end=" ")
def attempt(call):
    try: call(); print("passed", end=" ")
    except OSError as error: print(error.errno, end=" ")
def attempts():
    for family in (socket.AF_INET, socket.AF_UNIX):
        attempt(lambda: socket.socket(family))
    attempt(lambda: os.chmod("out", 0o600))
attempts()
for message in (0, 1, 2, 0xffff):
    install(0, 0x7ff00000 | message, socket_call, *modes)
    attempts()
install(8, 0x7fc00000, socket_call)
install(8 | 1, 0x7fc00000, socket_call)
print(ctypes.get_errno(), end=" ")
# Calls that the supervisor does not trace have no tracer.
install(0, 0x7ff00000, getuid)
print(libc.syscall(getuid), ctypes.get_errno())
"#;

/// A script that types into its terminal, with the upper half of the request set as well.
const TYPING: &str = r#"
import ctypes, os, pty
libc = ctypes.CDLL(None, use_errno=True)
number = {"x86_64": 16, "aarch64": 29}[os.uname().machine]
controller, terminal = pty.openpty()
for request in (0x5412, 0x541c, 0x100005412):
    result = libc.syscall(number, terminal, ctypes.c_ulong(request), ctypes.create_string_buffer(b"\2y"))
    print(result, os.strerror(ctypes.get_errno()))
print(os.get_terminal_size(terminal).columns)
"#;

// rules: E1, E5
#[test]
fn a_filter_of_a_program_gives_it_no_rights() {
    let scene = Scene::new();
    std::fs::create_dir(scene.path("inside")).unwrap();
    std::fs::write(scene.path("out"), "").unwrap();
    let inside = format!("write={}", scene.path("inside").display());
    let ended = scene.supervised(&["no-network", &inside], ["python3", "-c", FILTERS]);
    let refused = "13 13 13 ";
    let expected = format!("{refused}{}-1 -1 1 0 -1 38\n", format!("0 {refused}").repeat(4));
    assert_eq!(ended.stdout, expected, "{ended:?}");
    // With rights, the filters of the program change nothing but its own calls.
    let ended = scene.supervised(&["deny=Bash(other)"], ["python3", "-c", FILTERS]);
    assert!(ended.stdout.starts_with("passed passed passed "), "{ended:?}");
    assert!(ended.stdout.ends_with("-1 -1 1 0 -1 38\n"), "{ended:?}");
}

// rules: E4, E5
#[test]
fn nothing_is_typed_into_a_terminal() {
    let scene = Scene::new();
    let ended = scene.supervised(&["deny=Bash(other)"], ["python3", "-c", TYPING]);
    assert_eq!(ended.stdout, format!("{}0\n", "-1 Operation not permitted\n".repeat(3)), "{ended:?}");
}

// rule: E1
#[test]
fn a_script_is_known_by_a_descriptor_an_option_and_a_copy() {
    let scene = Scene::new();
    scene.write("bin/deploy", "#!/bin/sh\ntool \"$1\"\n");
    for line in [
        "sh /dev/fd/3 \"$OUT\" 3<bin/deploy",
        "exec 3<bin/deploy; /dev/fd/3 \"$OUT\"",
        "exec 3<bin/deploy; sh /proc/self/fd/3 \"$OUT\"",
        "exec 3<bin; /proc/thread-self/fd/3/deploy \"$OUT\"",
        "sh /dev/stdin \"$OUT\" <bin/deploy",
        "python3 -c 'import os; f = os.open(\"bin/deploy\", 0); os.set_inheritable(f, True); \
         os.execve(f, [\"x\", os.environ[\"OUT\"]], os.environ)'",
        "cp bin/deploy x; exec 3<x; rm x; sh /dev/fd/3 \"$OUT\"",
        "mkdir d; cp bin/deploy d/x; exec 3<d/x; rm -r d; sh /dev/fd/3 \"$OUT\"",
        "mkdir gone; cd gone; rmdir ../gone; sh ../bin/deploy \"$OUT\"",
        "bash -o errexit bin/deploy \"$OUT\"",
        "bash +O extglob bin/deploy \"$OUT\"",
        "cp bin/deploy x; mv bin/deploy y; echo '#' >> y; ./x \"$OUT\"",
        "cp bin/deploy x; : > bin/deploy; ./x \"$OUT\"",
    ] {
        scene.write("bin/deploy", "#!/bin/sh\ntool \"$1\"\n");
        assert!(scene.bare(line).code == Some(0) && scene.took_effect(), "`{line}` has no effect");
        scene.write("bin/deploy", "#!/bin/sh\ntool \"$1\"\n");
        let ended = scene.supervised(&["deny=Bash(deploy *)"], ["bash", "-c", line]);
        assert!(!scene.took_effect() && ended.code != Some(0), "`{line}`: {ended:?}");
    }
}

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
