//! Reports of refused accesses: the program, the chain that led to it, the right.

use super::common::{LineOutput, Scene};
use std::os::unix::fs::PermissionsExt;

/// Returns the reports of refused accesses, in order.
fn reports(ended: &LineOutput) -> Vec<&str> {
    ended
        .stderr
        .lines()
        .filter(|line| line.starts_with("becket: ") && line.contains("has no right"))
        .collect()
}

fn written(scene: &Scene) -> String {
    std::fs::create_dir_all(scene.path("inside")).unwrap();
    format!("write={}", scene.path("inside").display())
}

// rule: E5
#[test]
fn a_write_is_reported_with_the_program_and_its_chain() {
    let scene = Scene::new();
    let inside = written(&scene);
    std::fs::write(scene.path("kept"), "text").unwrap();
    let line = "touch inside/a; sh -c 'touch out; touch out'; rm kept; mv inside/a kept; mkdir d; ln -s x l; \
                truncate -s 0 kept; echo x > kept; cat kept; touch /dev/null; ls missing; cat /etc/shadow-";
    let ended = scene.supervised(&[&inside], ["bash", "-c", line]);
    let path = |name: &str| {
        scene.path(name).canonicalize().unwrap_or_else(|_| scene.path(name)).display().to_string()
    };
    let reports = reports(&ended);
    let of = |name: &str| {
        reports.iter().filter(|report| report.contains(&format!("write `{}`", path(name)))).count()
    };
    assert_eq!(
        reports.first().copied(),
        Some(
            format!("becket: `touch out` has no right to write `{}`; run by bash → sh → touch", path("out"))
                .as_str()
        ),
        "{ended:?}"
    );
    for name in ["out", "d", "l"] {
        assert_eq!(of(name), 1, "{name}: {ended:?}");
    }
    // Refused to four programs, each of which is reported.
    assert!(of("kept") >= 3, "{ended:?}");
    assert!(reports.iter().all(|report| !report.contains("inside") || report.contains("mv")), "{ended:?}");
    assert!(!reports.iter().any(|report| report.contains(" read ")), "{ended:?}");
    assert!(ended.stdout.contains("text"), "{ended:?}");
}

// rule: E5
#[test]
fn reading_and_executing_is_reported_where_it_is_taken_away() {
    let scene = Scene::new();
    std::fs::create_dir(scene.path("secret")).unwrap();
    std::fs::write(scene.path("secret/key"), "hidden").unwrap();
    std::fs::copy("/bin/true", scene.path("secret/run")).unwrap();
    let denied = format!("deny-read={}", scene.path("secret").display());
    let line =
        "cat secret/key; python3 -c 'open(\"secret/key\")'; ls secret; secret/run; cat bin/tool > /dev/null";
    let ended = scene.supervised(&[&denied], ["bash", "-c", line]);
    let reports = reports(&ended);
    let key = scene.path("secret/key").canonicalize().unwrap().display().to_string();
    let has = |text: &str| reports.iter().any(|report| report.contains(text));
    assert!(has(&format!("`cat secret/key` has no right to read `{key}`; run by bash → cat")), "{ended:?}");
    assert!(has("open(\"secret/key\")` has no right to read"), "{ended:?}");
    assert!(
        !ended.stdout.contains("hidden")
            && !has(&format!("`{}`", scene.path("bin/tool").canonicalize().unwrap().display())),
        "{ended:?}"
    );
}

// rule: E5
#[test]
fn a_change_of_attributes_is_refused_and_reported() {
    let scene = Scene::new();
    std::fs::create_dir(scene.path("kept")).unwrap();
    std::fs::write(scene.path("open"), "").unwrap();
    let calls = [
        ("chmod", "os.chmod(path, 0o600)"),
        ("fchmod", "os.fchmod(os.open(path, os.O_RDONLY), 0o600)"),
        ("chown", "os.chown(path, os.getuid(), os.getgid())"),
        ("lchown", "os.lchown(path, os.getuid(), os.getgid())"),
        ("fchown", "os.fchown(os.open(path, os.O_RDONLY), os.getuid(), os.getgid())"),
        ("utime", "os.utime(path, (1, 1))"),
        ("futimens", "os.utime(os.open(path, os.O_RDONLY), (1, 1))"),
        ("setxattr", "os.setxattr(path, 'user.a', b'b')"),
        ("setflags", "fcntl.ioctl(os.open(path, os.O_RDONLY), 0x40086602, bytes(8))"),
    ];
    for (name, _) in calls {
        std::fs::write(scene.path(&format!("kept/{name}")), "").unwrap();
    }
    let tries = calls.map(|(name, call)| {
        format!("path = 'kept/{name}'\ntry: {call}\nexcept OSError as error: print('{name}', error.errno)\n")
    });
    let program = format!("import fcntl, os\n{}os.chmod('open', 0o600)", tries.concat());
    let denied = format!("deny-write={}", scene.path("kept").display());
    let ended = scene.supervised(&[&denied], ["python3", "-c", &program]);
    let reports = reports(&ended);
    for (name, _) in calls {
        let path = scene.path(&format!("kept/{name}")).canonicalize().unwrap().display().to_string();
        let of_it =
            reports.iter().filter(|report| report.contains(&format!("write `{path}`; run by python3")));
        assert_eq!(of_it.count(), 1, "{name}: {ended:?}");
        assert!(ended.stdout.contains(&format!("{name} {}", libc::EACCES)), "{name}: {ended:?}");
    }
    assert_eq!(reports.len(), calls.len(), "{ended:?}");
}

// rule: E5
#[test]
fn attributes_stay_as_they_are_outside_of_what_can_be_written() {
    let scene = Scene::new();
    let inside = written(&scene);
    for name in ["out", "inside/in", "inside/deleted"] {
        std::fs::write(scene.path(name), "").unwrap();
        std::fs::set_permissions(scene.path(name), std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    std::os::unix::fs::symlink("../out", scene.path("inside/link")).unwrap();
    let program = r#"
import os, sys
out = os.open("out", os.O_RDONLY)
os.dup2(out, 0)
os.symlink("/proc/self/fd/0", "inside/own")
def attempt(name, call):
    try:
        call()
        print(name)
    except OSError as error:
        assert error.errno in (13, 2), error
attempt("path", lambda: os.chmod("out", 0o600))
attempt("above", lambda: os.chmod("inside/../out", 0o600))
attempt("link", lambda: os.chmod("inside/link", 0o600))
attempt("descriptor", lambda: os.chmod(out, 0o600))
attempt("own descriptor", lambda: os.chmod("inside/own", 0o600))
attempt("device", lambda: os.chmod("/dev/stdin", 0o600))
attempt("missing", lambda: os.chmod("inside/missing", 0o600))
attempt("times", lambda: os.utime("out", (1, 1)))
attempt("inside", lambda: os.chmod("inside/in", 0o600))
attempt("link itself", lambda: os.utime("inside/link", (1, 1), follow_symlinks=False))
attempt("owner of the link", lambda: os.chown("inside/link", os.getuid(), os.getgid(), follow_symlinks=False))
pipe = os.pipe()[0]
attempt("pipe", lambda: os.fchmod(pipe, 0o600))
deleted = os.open("inside/deleted", os.O_RDWR)
os.unlink("inside/deleted")
attempt("deleted", lambda: os.fchmod(deleted, 0o600))
"#;
    let ended = scene.supervised(&[&inside], ["python3", "-B", "-c", program]);
    assert_eq!(ended.stdout, "inside\nlink itself\nowner of the link\npipe\ndeleted\n", "{ended:?}");
    let mode = |name: &str| std::fs::metadata(scene.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("out"), mode("inside/in")), (0o644, 0o600));
    let out = scene.path("out").canonicalize().unwrap().display().to_string();
    assert!(
        reports(&ended).iter().any(|report| report.contains(&format!("write `{out}`; run by python3"))),
        "{ended:?}"
    );
}

/// A script that changes its root to a directory of its own, in which the path of a writable directory leads
/// elsewhere, and the threads of a process with descriptors of their own.
const ROOTS: &str = r#"
import ctypes, os, threading
libc = ctypes.CDLL(None, use_errno=True)
inside, jail = os.environ["DIR"] + "inside", os.environ["DIR"] + "jail"
out = os.open("out", os.O_RDONLY)
def attempt(name, call):
    try: call(); print(name)
    except OSError as error: print(error.errno)
def in_a_thread():
    libc.unshare(0x400)
    os.dup2(os.open("inside/in", os.O_RDONLY), out)
    attempt("own table", lambda: os.chmod(f"/proc/self/fd/{out}", 0o600))
    attempt("thread", lambda: os.chmod(f"/proc/thread-self/fd/{out}", 0o600))
thread = threading.Thread(target=in_a_thread)
thread.start()
thread.join()
if os.getuid() != 0 and libc.unshare(0x10000000) != 0:
    raise SystemExit("no namespace")
os.chroot(jail)
attempt("jail", lambda: os.chmod(inside + "/out", 0o600))
attempt("absolute link", lambda: os.chmod("/link", 0o600))
os.chdir("/")
attempt("above", lambda: os.chmod("../../../.." + inside + "/out", 0o600))
"#;

// rule: E5
#[test]
fn another_root_and_another_thread_change_nothing_outside() {
    let scene = Scene::new();
    let inside = written(&scene);
    let jail = scene.path("jail").join(scene.path("inside").strip_prefix("/").unwrap());
    std::fs::create_dir_all(&jail).unwrap();
    std::os::unix::fs::symlink(scene.path("inside/out"), scene.path("jail/link")).unwrap();
    for file in [jail.join("out"), scene.path("out"), scene.path("inside/in"), scene.path("inside/out")] {
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    let ended = scene.supervised(&[&inside], ["python3", "-B", "-c", ROOTS]);
    if ended.stderr.contains("no namespace") {
        eprintln!("SKIPPED: there are no user namespaces here");
        return;
    }
    assert_eq!(ended.stdout, "13\nthread\n13\n13\n13\n", "{ended:?}");
    for file in [jail.join("out"), scene.path("out")] {
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644, "{file:?}");
    }
}

// rule: E5
#[test]
fn openat2_is_reported_by_its_flags() {
    let scene = Scene::new();
    let inside = written(&scene);
    std::fs::create_dir(scene.path("secret")).unwrap();
    std::fs::write(scene.path("secret/key"), "hidden").unwrap();
    let program = "import ctypes, struct\n\
        system = ctypes.CDLL(None, use_errno=True)\n\
        def openat2(path, flags, mode):\n\
        \x20 how = struct.pack('QQQ', flags, mode, 0)\n\
        \x20 print(system.syscall(437, -100, path.encode(), how, len(how)) >= 0)\n\
        openat2('inside/a', 0o101, 0o600)\n\
        openat2('out', 0o101, 0o600)\n\
        openat2('secret/key', 0, 0)\n";
    let denied = format!("deny-read={}", scene.path("secret").display());
    let ended = scene.supervised(&[&inside, &denied], ["python3", "-B", "-c", program]);
    assert_eq!(ended.stdout, "True\nFalse\nFalse\n", "{ended:?}");
    let reports = reports(&ended);
    let has = |right: &str, path: &str| {
        let ending = format!("/{path}`; run by python3");
        reports
            .iter()
            .any(|report| report.contains(&format!("has no right to {right} `")) && report.ends_with(&ending))
    };
    assert!(has("write", "out") && has("read", "secret/key") && !has("write", "inside/a"), "{ended:?}");
}

// rule: E5
#[test]
fn a_socket_is_refused_and_reported_once() {
    let scene = Scene::new();
    let connect =
        "import socket\nfor _ in range(3):\n  try: socket.socket()\n  except OSError as e: print(e.errno)";
    let ended = scene.supervised(&["no-network"], ["sh", "-c", &format!("python3 -c '{connect}'; true")]);
    assert_eq!(ended.stdout, "13\n13\n13\n", "{ended:?}");
    let reports = reports(&ended);
    assert_eq!(reports.len(), 1, "{ended:?}");
    assert!(
        reports[0].contains("has no right to open a socket") && reports[0].ends_with("run by sh → python3"),
        "{reports:?}"
    );
}

// rules: E2, E5
#[test]
fn threads_that_are_refused_are_not_lost() {
    let scene = Scene::new();
    let inside = written(&scene);
    let threads = r#"
import os, socket, threading
def work(number):
    for at in range(50):
        try: open(f"out-{number}-{at}", "w")
        except OSError: pass
        try: socket.socket()
        except OSError: pass
        open(f"inside/{number}-{at}", "w").close()
all = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for t in all: t.start()
for t in all: t.join()
print(len(os.listdir("inside")))
"#;
    let ended = scene.supervised(&[&inside, "no-network"], ["python3", "-c", threads]);
    assert_eq!((ended.stdout.as_str(), ended.code), ("400\n", Some(0)), "{ended:?}");
    assert!(reports(&ended).len() <= 21, "{ended:?}");
    assert!(ended.stderr.contains("more accesses were refused"), "{ended:?}");
}
