//! The socket: its access, an earlier file at its path, and its removal.

use super::client::on_socket;
use super::{BECKET, command, with_hook};
use becket_testkit::env::TestEnv;
use becket_testkit::proc::wait_until;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).expect("it is there").mode() & 0o777
}

fn refused(env: &TestEnv, path: &str) -> String {
    let ended = env.becket(["serve", "--socket", path]).run();
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
    ended.stderr
}

#[test]
fn nobody_else_reaches_the_socket() {
    let env = with_hook("Stop", command("true"));
    let serving = on_socket(&env, &[]);
    assert_eq!((mode(&serving.path), mode(serving.path.parent().expect("it has one"))), (0o600, 0o700));
    let open = env.root().join("open");
    fs::create_dir(&open).expect("it can be made");
    for (bits, is_refused) in [(0o755, true), (0o710, true), (0o701, true), (0o777, true)] {
        fs::set_permissions(&open, Permissions::from_mode(bits)).expect("it is ours");
        let told = refused(&env, "../open/b.sock");
        assert_eq!(told.contains("other users can enter this directory"), is_refused, "{bits:o} {told}");
        assert!(!open.join("b.sock").exists());
    }
}

#[test]
fn what_stands_there_is_kept_unless_it_is_a_socket_that_nobody_has() {
    let env = with_hook("Stop", command("true"));
    let mut serving = on_socket(&env, &[]);
    let path = serving.path.clone();
    assert!(refused(&env, "../run/becket.sock").contains("another process listens there already"));
    assert!(serving.client().fails("nothing", serde_json::json!({})).1.contains("no method"));
    serving.child.kill().expect("it lives");
    serving.child.wait().expect("it ends");
    assert!(path.exists(), "a killed process removes nothing");
    drop(on_socket(&env, &[]));
    env.write("run/file", "mine");
    assert!(refused(&env, "../run/file").contains("is not a socket"));
    assert_eq!(fs::read_to_string(env.root().join("run/file")).expect("it is there"), "mine");
    let long = format!("../run/{}", "x".repeat(120));
    assert!(refused(&env, &long).contains("xxx"));
    assert!(refused(&env, "../none/at/all.sock").contains("none/at"));
}

#[test]
fn a_socket_that_somebody_else_has_put_there_meanwhile_is_not_removed() {
    let env = with_hook("Stop", command("true"));
    let mut serving = on_socket(&env, &[]);
    fs::remove_file(&serving.path).expect("it is there");
    env.write("run/becket.sock", "not a socket");
    let term = std::process::Command::new("kill").arg(serving.child.id().to_string()).status();
    assert!(term.is_ok_and(|sent| sent.success()));
    assert_eq!(serving.child.wait().expect("it ends").code(), Some(0));
    assert!(wait_until(|| serving.path.exists()));
}

#[test]
fn two_ways_in_at_once_are_none() {
    let ended = TestEnv::new(BECKET).becket(["serve", "--stdio", "--socket", "x"]).run();
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
}
