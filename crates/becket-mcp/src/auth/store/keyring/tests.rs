//! Tokens, markers and the file, with a keyring in memory and one that fails in every way.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use keyring_core::api::CredentialStoreApi;
use keyring_core::{CredentialStore, Entry, Error, mock};
use tempfile::TempDir;

use super::access::{Access, Open};
use super::name::{Name, SERVICE};
use super::store::KeyringStore;
use super::worker::Worker;
use crate::auth::key::Key;
use crate::auth::store::{FileStore, StoreError, TokenLocation, TokenStore};
use crate::auth::tokens::{Client, Proof, TokenIssuer, Tokens};

/// A store, its directory, and its keyring.
struct Scene {
    directory: TempDir,
    store: KeyringStore,
    keyring: Arc<mock::Store>,
    /// The number of times the keyring was opened.
    opened: Arc<AtomicUsize>,
}

fn tokens(access: &str) -> Tokens {
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
    Tokens {
        access: access.into(),
        refresh: Some("s3cr3t-r".into()),
        obtained_at: start,
        expires_at: Some(start + Duration::from_secs(60)),
        scopes: vec!["read".into()],
        requested_scopes: vec!["read".into(), "write".into()],
        client: Client { id: "c".into(), proof: Proof::Basic("s3cr3t-x".into()) },
        issued: TokenIssuer {
            issuer: Some("https://as.example".into()),
            token_endpoint: "https://as.example/token".parse().unwrap(),
            revocation_endpoint: None,
            resource: "https://mcp.example/".into(),
        },
    }
}

fn key(server: &str) -> Key {
    Key::new(server, &"https://mcp.example/x?key=s3cr3t-q".parse().unwrap())
}

impl Scene {
    fn new() -> Self {
        let (keyring, opened) = (mock::Store::new().unwrap(), Arc::<AtomicUsize>::default());
        let (there, count) = (Arc::clone(&keyring), Arc::clone(&opened));
        Self::with(keyring, opened, move || {
            count.fetch_add(1, Ordering::SeqCst);
            let there: Arc<CredentialStore> = there.clone();
            Ok(there)
        })
    }

    fn with(
        keyring: Arc<mock::Store>,
        opened: Arc<AtomicUsize>,
        open: impl Fn() -> keyring_core::Result<Arc<CredentialStore>> + Send + Sync + 'static,
    ) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let open: Open = Arc::new(open);
        let worker = Worker::new(Duration::from_secs(20), move || Access::new(open.clone(), false));
        let store = KeyringStore::over(directory.path().join("tokens.json"), worker);
        Self { directory, store, keyring, opened }
    }

    fn file(&self) -> FileStore {
        FileStore::new(self.directory.path().join("tokens.json"))
    }

    /// Returns the entry of a server.
    fn entry(&self, server: &str) -> Entry {
        let name = Name::of(&self.directory.path().join("tokens.json"), &key(server));
        self.keyring.build(SERVICE, &name.id, None).unwrap()
    }

    /// Makes the next operation on the entry of a server fail.
    fn fails(&self, server: &str, error: Error) {
        let entry = self.entry(server);
        entry.as_any().downcast_ref::<mock::Cred>().unwrap().set_error(error);
    }
}

// rule: X3
#[tokio::test]
async fn what_is_kept_comes_back_and_what_is_removed_does_not() {
    let scene = Scene::new();
    for server in ["a", "b"] {
        scene.store.ready(&key(server)).await.unwrap();
        let kept = scene.store.save(&key(server), tokens(server)).await.unwrap();
        assert_eq!(kept, TokenLocation::Keyring);
    }
    for server in ["a", "b"] {
        assert_eq!(scene.store.load(&key(server)).await.unwrap(), Some(tokens(server)));
        assert_eq!(scene.file().load(&key(server)).await.unwrap(), None);
    }
    scene.store.renew(&key("a"), tokens("a2")).await.unwrap();
    assert_eq!(scene.store.load(&key("a")).await.unwrap(), Some(tokens("a2")));
    scene.store.remove(&key("a")).await.unwrap();
    assert_eq!(scene.store.load(&key("a")).await.unwrap(), None);
    assert!(matches!(scene.entry("a").get_secret(), Err(Error::NoEntry)));
    assert_eq!(scene.store.load(&key("b")).await.unwrap(), Some(tokens("b")));
    for file in std::fs::read_dir(scene.directory.path()).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        assert!(!text.contains("s3cr3t"), "{text}");
    }
    assert!(!format!("{:?}", scene.store).contains("s3cr3t"));
}

// rule: X3
#[tokio::test]
async fn a_keyring_is_asked_only_for_servers_whose_tokens_it_has() {
    let scene = Scene::new();
    scene.file().save(&key("a"), tokens("a")).await.unwrap();
    assert_eq!(scene.store.load(&key("a")).await.unwrap(), Some(tokens("a")));
    assert_eq!(scene.store.load(&key("b")).await.unwrap(), None);
    scene.store.remove(&key("a")).await.unwrap();
    scene.store.remove(&key("b")).await.unwrap();
    assert_eq!(scene.file().load(&key("a")).await.unwrap(), None);
    assert_eq!(scene.opened.load(Ordering::SeqCst), 0);
}

// rule: X3
#[tokio::test]
async fn tokens_of_the_file_are_renewed_there_until_the_next_login_and_a_logout_clears_both() {
    let scene = Scene::new();
    scene.file().save(&key("a"), tokens("old")).await.unwrap();
    let kept = scene.store.renew(&key("a"), tokens("new")).await.unwrap();
    assert!(matches!(kept, TokenLocation::File(path) if path.ends_with("tokens.json")));
    assert_eq!(scene.file().load(&key("a")).await.unwrap(), Some(tokens("new")));
    assert_eq!(scene.store.save(&key("a"), tokens("login")).await.unwrap(), TokenLocation::Keyring);
    assert_eq!(scene.file().load(&key("a")).await.unwrap(), None);
    assert_eq!(scene.store.load(&key("a")).await.unwrap(), Some(tokens("login")));
    // A program without the feature has written there since.
    scene.file().save(&key("a"), tokens("newest")).await.unwrap();
    assert_eq!(scene.store.load(&key("a")).await.unwrap(), Some(tokens("newest")));
    scene.store.remove(&key("a")).await.unwrap();
    assert_eq!(scene.store.load(&key("a")).await.unwrap(), None);
    assert!(matches!(scene.entry("a").get_secret(), Err(Error::NoEntry)));
}

fn cause(text: &str) -> Box<dyn std::error::Error + Send + Sync> {
    text.into()
}

// rule: X3
#[tokio::test]
async fn each_refusal_is_named_nothing_is_lost_and_no_secret_is_told() {
    type Case = (fn() -> Error, &'static str);
    let cases: [Case; 7] = [
        (
            || Error::NoStorageAccess(cause("prompt dismissed")),
            "keyring is locked: prompt dismissed; unlock it and",
        ),
        (|| Error::Invalid("s".into(), "no".into()), "keyring refuses: Value of 's' is invalid: no"),
        (
            || Error::TooLong("secret".into(), 2560),
            "takes no more than 2560 bytes, and the tokens have more: log in with",
        ),
        (
            || Error::BadEncoding(b"s3cr3t".to_vec()),
            "Becket: login of the MCP server a (https://mcp.example/x)` is damaged",
        ),
        (
            || Error::BadDataFormat(b"s3cr3t".to_vec(), cause("s3cr3t")),
            "is damaged (line 0, column 0): remove it there",
        ),
        (
            || Error::Ambiguous(Vec::new()),
            "has 0 entries `Becket: login of the MCP server a (https://mcp.example/x)`",
        ),
        (|| Error::NotSupportedByStore("not here".into()), "keyring refuses: Unsupported: not here"),
    ];
    for (again, expected) in cases {
        let scene = Scene::new();
        scene.store.save(&key("a"), tokens("s3cr3t-a")).await.unwrap();
        let mut errors: Vec<StoreError> = Vec::new();
        scene.fails("a", again());
        errors.push(scene.store.load(&key("a")).await.unwrap_err());
        scene.fails("a", again());
        errors.push(scene.store.save(&key("a"), tokens("s3cr3t-b")).await.unwrap_err());
        scene.fails("a", again());
        errors.push(scene.store.remove(&key("a")).await.unwrap_err());
        for error in errors {
            let shown = format!("{error}");
            assert!(shown.starts_with("the tokens can't be used: ") && shown.contains(expected), "{shown}");
            assert!(!format!("{shown}{error:?}").contains("s3cr3t"), "{error:?}");
        }
        assert_eq!(scene.store.load(&key("a")).await.unwrap(), Some(tokens("s3cr3t-a")));
        // A failed save leaves no marker: the keyring is not accessed for it.
        scene.fails("b", again());
        scene.store.save(&key("b"), tokens("s3cr3t-b")).await.unwrap_err();
        scene.fails("b", again());
        assert_eq!(scene.store.load(&key("b")).await.unwrap(), None);
    }
}

// rule: X3
#[tokio::test]
async fn what_makes_no_sense_is_an_error_and_not_no_tokens() {
    let scene = Scene::new();
    scene.store.save(&key("a"), tokens("s3cr3t-a")).await.unwrap();
    scene.store.save(&key("b"), tokens("s3cr3t-b")).await.unwrap();
    let good = scene.entry("b").get_secret().unwrap();
    for (bytes, expected) in [
        (&b""[..], "is damaged (line 1, column 0): remove it there and log in again"),
        (b"s3cr3t", "is damaged (line 1, column 1)"),
        (br#"{"format": 1, "servers": [{"access_token": "s3cr3t"}]}"#, "is damaged (line 1"),
        (br#"{"format": 1, "servers": []}"#, "is damaged (line 0, column 0)"),
        (&good, "is damaged (line 0, column 0)"),
        (br#"{"format": 2, "tokens": "s3cr3t"}"#, "has the format 2, and 1 is the newest known here"),
    ] {
        scene.entry("a").set_secret(bytes).unwrap();
        let error = scene.store.load(&key("a")).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!format!("{error}{error:?}").contains("s3cr3t"), "{error:?}");
    }
    scene.store.save(&key("a"), tokens("s3cr3t-a")).await.unwrap();
    assert_eq!(scene.store.load(&key("a")).await.unwrap(), Some(tokens("s3cr3t-a")));
}

// rule: X3
#[tokio::test]
async fn a_keyring_that_is_gone_is_opened_anew_and_is_an_error_where_that_fails() {
    let keyring = mock::Store::new().unwrap();
    let (is_gone, there) = (Arc::new(Mutex::new(false)), Arc::clone(&keyring));
    let gone = Arc::clone(&is_gone);
    let scene = Scene::with(keyring, Arc::default(), move || {
        if *gone.lock().unwrap() {
            return Err(Error::PlatformFailure(cause("nobody is on the bus")));
        }
        let there: Arc<CredentialStore> = there.clone();
        Ok(there)
    });
    scene.store.save(&key("a"), tokens("s3cr3t-a")).await.unwrap();
    // The connection breaks once.
    scene.fails("a", Error::PlatformFailure(cause("the connection is closed")));
    assert_eq!(scene.store.load(&key("a")).await.unwrap(), Some(tokens("s3cr3t-a")));
    // The connection breaks, and the keyring disappears.
    *is_gone.lock().unwrap() = true;
    scene.fails("a", Error::PlatformFailure(cause("the connection is closed")));
    for _ in 0..2 {
        let error = scene.store.load(&key("a")).await.unwrap_err().to_string();
        let expected = "keyring can't be reached: nobody is on the bus; start it, or log in with the tokens kept in a file";
        assert!(error.contains(expected), "{error}");
    }
    scene.store.ready(&key("b")).await.unwrap_err();
    scene.store.save(&key("b"), tokens("s3cr3t-b")).await.unwrap_err();
    scene.store.remove(&key("a")).await.unwrap_err();
    assert_eq!(scene.store.load(&key("b")).await.unwrap(), None);
    *is_gone.lock().unwrap() = false;
    assert_eq!(scene.store.load(&key("a")).await.unwrap(), Some(tokens("s3cr3t-a")));
}

// rule: X3
#[tokio::test]
async fn a_keyring_that_never_answers_is_waited_for_no_longer_than_the_limit() {
    let (gate, closed) = std::sync::mpsc::channel::<()>();
    let (keyring, way) = (mock::Store::new().unwrap(), Mutex::new(closed));
    let there = Arc::clone(&keyring);
    let mut scene = Scene::with(Arc::clone(&keyring), Arc::default(), || Err(Error::NoEntry));
    let open: Open = Arc::new(move || {
        let _ = way.lock().unwrap().recv();
        let there: Arc<CredentialStore> = there.clone();
        Ok(there)
    });
    let worker = Worker::new(Duration::from_millis(50), move || Access::new(open.clone(), false));
    scene.store = KeyringStore::over(scene.directory.path().join("tokens.json"), worker);
    let store = &scene.store;
    for _ in 0..2 {
        let error = store.ready(&key("a")).await.unwrap_err().to_string();
        assert!(
            error.contains("has not answered within 0.05 s: see whether it asks for its password"),
            "{error}"
        );
    }
    store.save(&key("b"), tokens("s3cr3t-b")).await.unwrap_err();
    drop(gate);
    while store.ready(&key("a")).await.is_err() {}
    assert!(matches!(scene.entry("b").get_secret(), Err(Error::NoEntry)), "nobody waited for it any longer");
    store.save(&key("b"), tokens("s3cr3t-b")).await.unwrap();
}
