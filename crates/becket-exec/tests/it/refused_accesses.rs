//! Reports of what rights have refused: the program, the chain that led to it, the right.

use super::common::{LineOutput, Scene};

/// The reports of refused accesses, in their order.
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
    // By four programs, whose refusals are four.
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
