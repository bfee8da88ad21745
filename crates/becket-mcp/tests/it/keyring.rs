//! Tokens in a real Secret Service (feature `keyring`): GNOME Keyring on a separate bus, in a separate directory. This
//! program is run again on that bus, as a job.
//!
//! If `dbus-run-session` or `gnome-keyring-daemon` is not installed, the tests report that they are skipped.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests fail by panicking, and say so where they are skipped"
)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use becket_mcp::Secret;
use becket_mcp::auth::{
    Client, FileStore, Key, KeyringStore, Proof, TokenIssuer, TokenLocation, TokenStore, Tokens,
};

/// The file with the task of the test when it is run as a job.
const MARK: &str = "job";

/// Runs a test of this program on a separate bus, if possible.
fn on_a_bus(test: &str) {
    for program in ["dbus-run-session", "gnome-keyring-daemon"] {
        let found =
            Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if let Err(error) = found {
            eprintln!("SKIPPED: {test}: `{program}` can't be run: {error}");
            return;
        }
    }
    let mut command = Command::new("dbus-run-session");
    command.arg("--").arg(std::env::current_exe().unwrap());
    run(command, test);
}

/// Runs a test of this program in a separate place.
fn run(mut command: Command, test: &str) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join(MARK), "").unwrap();
    command.args(["--exact", &format!("keyring::{test}"), "--ignored", "--test-threads=1", "--nocapture"]);
    // Uses neither the user's own keyring, nor a window that asks for a password.
    for name in ["HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        let place = directory.path().join(name);
        std::fs::create_dir(&place).unwrap();
        std::fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
        command.env(name, place);
    }
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").env_remove("DBUS_SESSION_BUS_ADDRESS");
    let ended = command.current_dir(directory.path()).output().unwrap();
    let said =
        [ended.stdout, ended.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(ended.status.success() && said.contains("1 passed"), "{said}");
}

fn is_job() -> bool {
    Path::new(MARK).exists()
}

/// A keyring that is unlocked with a password, or one with an unknown password.
struct Daemon(Child);

impl Daemon {
    fn start(password: Option<&str>) -> Self {
        let mut command = Command::new("gnome-keyring-daemon");
        command.args(["--foreground", "--components=secrets"]);
        if password.is_some() {
            command.arg("--unlock");
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(password.unwrap_or_default().as_bytes()).unwrap();
        // It prints its address when it is ready.
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line)
            .unwrap();
        Self(child)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn tokens(access: &str) -> Tokens {
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_900_000_000);
    Tokens {
        access: Secret::new(access),
        refresh: Some(Secret::new("s3cr3t-r ä".repeat(600))),
        obtained_at: start,
        expires_at: None,
        scopes: vec!["read".into()],
        requested_scopes: Vec::new(),
        client: Client { id: "c".into(), proof: Proof::None },
        issued: TokenIssuer {
            issuer: None,
            token_endpoint: "https://as.example/token".parse().unwrap(),
            revocation_endpoint: None,
            resource: "https://mcp.example/".into(),
        },
    }
}

fn key(server: &str) -> Key {
    Key::new(server, &"https://mcp.example/x".parse().unwrap())
}

fn file() -> PathBuf {
    Path::new("own").join("tokens.json")
}

// rule: X3
#[test]
fn a_real_keyring_keeps_tokens_between_processes_and_says_when_it_is_locked() {
    on_a_bus("keeps_and_locks");
}

#[tokio::test]
#[ignore = "a job of the test above"]
async fn keeps_and_locks() {
    if !is_job() {
        return;
    }
    let unlocked = Daemon::start(Some("pa55"));
    let store = KeyringStore::new(file());
    FileStore::new(file()).save(&key("a"), tokens("s3cr3t-old")).await.unwrap();
    store.ready(&key("a")).await.unwrap();
    for (server, access) in [("a", "s3cr3t-a"), ("b", "s3cr3t-b"), ("a", "s3cr3t-a2")] {
        assert_eq!(store.save(&key(server), tokens(access)).await.unwrap(), TokenLocation::Keyring);
    }
    assert_eq!(FileStore::new(file()).load(&key("a")).await.unwrap(), None);
    // Another store, as in another process; the same file name in another directory is another store.
    let other = KeyringStore::new(file());
    assert_eq!(other.load(&key("a")).await.unwrap(), Some(tokens("s3cr3t-a2")));
    assert_eq!(KeyringStore::new("elsewhere/tokens.json").load(&key("a")).await.unwrap(), None);
    other.remove(&key("b")).await.unwrap();
    assert_eq!(store.load(&key("b")).await.unwrap(), None);
    let kept = std::fs::read("XDG_DATA_HOME/keyrings/login.keyring").unwrap();
    assert!(!kept.windows(6).any(|bytes| bytes == b"s3cr3t"), "the keyring is encrypted");

    // It ends, and restarts locked: there is no one to type a password.
    drop(unlocked);
    let _locked = Daemon::start(None);
    let begun = Instant::now();
    for error in [
        store.load(&key("a")).await.unwrap_err(),
        store.save(&key("a"), tokens("s3cr3t-a3")).await.unwrap_err(),
        store.ready(&key("a")).await.unwrap_err(),
        store.remove(&key("a")).await.unwrap_err(),
        KeyringStore::new(file()).load(&key("a")).await.unwrap_err(),
    ] {
        let said = error.to_string();
        assert!(said.contains("this system's keyring is locked: ") && !said.contains("s3cr3t"), "{said}");
    }
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert_eq!(
        store.load(&key("b")).await.unwrap(),
        None,
        "it is not asked for servers without tokens there"
    );
}

// rule: X3
#[test]
fn where_there_is_no_keyring_it_is_named_and_the_file_goes_on_to_be_used() {
    run(Command::new(std::env::current_exe().unwrap()), "on_no_bus");
}

#[tokio::test]
#[ignore = "a job of the test above"]
async fn on_no_bus() {
    if !is_job() {
        return;
    }
    let store = KeyringStore::new(file());
    FileStore::new(file()).save(&key("a"), tokens("s3cr3t-a")).await.unwrap();
    for error in [
        store.ready(&key("b")).await.unwrap_err(),
        store.save(&key("b"), tokens("s3cr3t-b")).await.unwrap_err(),
    ] {
        let said = error.to_string();
        assert!(said.contains("this system's keyring can't be reached: "), "{said}");
        assert!(said.ends_with("start it, or log in with the tokens kept in a file"), "{said}");
    }
    assert_eq!(store.load(&key("b")).await.unwrap(), None);
    assert_eq!(store.load(&key("a")).await.unwrap(), Some(tokens("s3cr3t-a")));
    store.renew(&key("a"), tokens("s3cr3t-new")).await.unwrap();
    assert_eq!(store.load(&key("a")).await.unwrap(), Some(tokens("s3cr3t-new")));
    store.remove(&key("a")).await.unwrap();
    assert_eq!(store.load(&key("a")).await.unwrap(), None);
}
