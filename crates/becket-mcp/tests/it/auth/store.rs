//! The file of tokens.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::time::{Duration, SystemTime};

use becket_mcp::Secret;
use becket_mcp::auth::{Client, FileStore, Key, Proof, TokenIssuer, TokenStore, Tokens};
use futures_util::future::join_all;

use crate::auth::place::Place;

fn tokens(access: &str, proof: Proof) -> Tokens {
    let second = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    Tokens {
        access: Secret::new(access),
        refresh: Some("s3cr3t-r".into()),
        obtained_at: second(1000),
        expires_at: Some(second(4600)),
        scopes: vec!["read".into()],
        requested_scopes: vec!["read".into(), "admin".into()],
        client: Client { id: "c".into(), proof },
        issued: TokenIssuer {
            issuer: Some("https://as.example".into()),
            token_endpoint: "https://as.example/token".parse().unwrap(),
            revocation_endpoint: Some("https://as.example/revoke".parse().unwrap()),
            resource: "https://mcp.example/mcp".into(),
        },
    }
}

fn key(server: &str) -> Key {
    Key::new(server, &"https://mcp.example/mcp?key=s3cr3t-q".parse().unwrap())
}

// rule: X3
#[tokio::test]
async fn what_is_kept_comes_back_and_what_is_removed_does_not() {
    let place = Place::new();
    let (store, path) = (FileStore::new(place.file()), place.file());
    let kept = [
        ("a", tokens("s3cr3t-a", Proof::None)),
        ("b", tokens("s3cr3t-b", Proof::Basic("s3cr3t-x".into()))),
        ("c", tokens("s3cr3t-c", Proof::Post("s3cr3t-y".into()))),
    ];
    for (server, tokens) in &kept {
        assert_eq!(store.load(&key(server)).await.unwrap(), None);
        store.save(&key(server), tokens.clone()).await.unwrap();
    }
    let other = FileStore::new(&path);
    for (server, tokens) in &kept {
        assert_eq!(other.load(&key(server)).await.unwrap().as_ref(), Some(tokens));
    }
    assert!(
        !fs::read_to_string(&path).unwrap().contains("s3cr3t-q"),
        "the query of an address is in the file"
    );
    store.remove(&key("b")).await.unwrap();
    store.remove(&key("nobody")).await.unwrap();
    assert_eq!(other.load(&key("b")).await.unwrap(), None);
    assert_eq!(other.load(&key("c")).await.unwrap().as_ref(), Some(&kept[2].1));
    for entry in fs::read_dir(place.directory.path()).unwrap() {
        assert_eq!(entry.unwrap().metadata().unwrap().mode() & 0o077, 0);
    }
}

// rule: X3
#[tokio::test]
async fn many_who_write_at_once_lose_nothing() {
    let place = Place::new();
    let save = |number: usize| {
        // A separate handle: the file keeps them apart.
        let store = FileStore::new(place.file());
        async move {
            let server = format!("server-{number}");
            store.save(&key(&server), tokens(&server, Proof::None)).await.unwrap();
        }
    };
    join_all((0..30).map(save)).await;
    for number in 0..30 {
        let server = format!("server-{number}");
        let kept = place.options.store.load(&key(&server)).await.unwrap().unwrap();
        assert_eq!(kept.access.expose(), server);
    }
}

// rule: X3
#[tokio::test]
async fn a_file_that_makes_no_sense_is_an_error_and_is_never_written_over() {
    let place = Place::new();
    let (store, path) = (FileStore::new(place.file()), place.file());
    let newer = format!("`{}` has the format 7, and 1 is the newest known here", path.display());
    let damaged = format!("the file of tokens `{}` is damaged (line ", path.display());
    for (text, error) in [
        ("", &damaged),
        ("{", &damaged),
        ("[]", &damaged),
        (r#"{"format": 1}"#, &damaged),
        (r#"{"format": 1, "servers": [{"access_token": "s3cr3t-1"}]}"#, &damaged),
        (r#"{"format": 1, "servers": ["s3cr3t-1"]}"#, &damaged),
        (r#"{"format": "s3cr3t-1", "servers": []}"#, &damaged),
        (r#"{"format": 7, "tokens": "s3cr3t-1"}"#, &newer),
    ] {
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let errors = [
            store.load(&key("a")).await.unwrap_err(),
            store.save(&key("a"), tokens("s3cr3t-2", Proof::None)).await.unwrap_err(),
            store.remove(&key("a")).await.unwrap_err(),
        ];
        for said in errors {
            assert!(said.to_string().contains(error.as_str()), "{said}");
            assert!(!format!("{said}{said:?}").contains("s3cr3t"), "{said:?}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
}

// rule: X3
#[tokio::test]
async fn a_file_of_others_is_neither_read_nor_written() {
    let place = Place::new();
    let (store, path) = (FileStore::new(place.file()), place.file());
    store.save(&key("a"), tokens("s3cr3t-a", Proof::None)).await.unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o604)).unwrap();
    let before = fs::read(&path).unwrap();
    let error = store.load(&key("a")).await.unwrap_err().to_string();
    assert!(error.contains("(mode 604): run `chmod 600` on it"), "{error}");
    assert!(store.save(&key("b"), tokens("s3cr3t-b", Proof::None)).await.is_err());
    assert_eq!(fs::read(&path).unwrap(), before);

    let moved = place.directory.path().join("elsewhere.json");
    fs::rename(&path, &moved).unwrap();
    fs::set_permissions(&moved, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&moved, &path).unwrap();
    assert!(store.load(&key("a")).await.unwrap_err().to_string().contains("is a symbolic link"));
    assert!(store.save(&key("b"), tokens("s3cr3t-b", Proof::None)).await.is_err());
    assert_eq!(fs::read(&moved).unwrap(), before);
    fs::remove_file(&path).unwrap();

    let lock = place.directory.path().join("tokens.json.lock");
    fs::remove_file(&lock).unwrap();
    symlink(place.directory.path().join("made by a link"), &lock).unwrap();
    let error = store.save(&key("b"), tokens("s3cr3t-b", Proof::None)).await.unwrap_err().to_string();
    assert!(error.contains("is a symbolic link") && !place.directory.path().join("made by a link").exists());
}
