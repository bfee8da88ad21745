//! The cache of servers that need a login.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use becket_mcp::auth::{AUTH_NEEDED_TTL, AuthNeeded, DiscardedFile, Key};

fn key(server: &str) -> Key {
    Key::new(server, &"https://mcp.example/mcp".parse().unwrap())
}

fn second(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_900_000_000 + seconds)
}

// rule: X3
#[tokio::test]
async fn a_server_is_left_alone_for_a_quarter_of_an_hour_over_restarts() {
    let place = tempfile::tempdir().unwrap();
    let open = || {
        let (memory, warning) = AuthNeeded::open(place.path().join("needed.json"), AUTH_NEEDED_TTL);
        assert!(warning.is_none());
        memory
    };
    assert_eq!(open().is_needed(&key("a"), second(0)), None);
    open().note(&key("a"), second(0)).await.unwrap();
    open().note(&key("b"), second(100)).await.unwrap();
    for (server, at, left) in
        [("a", 0, Some(900)), ("a", 899, Some(1)), ("a", 900, None), ("b", 900, Some(100)), ("c", 0, None)]
    {
        let left = left.map(Duration::from_secs);
        assert_eq!(open().is_needed(&key(server), second(at)), left, "{server} {at}");
    }
    // Another address is another server; a clock that was set back does not lock anybody out.
    let moved = Key::new("a", &"https://mcp.example/other".parse().unwrap());
    assert_eq!(open().is_needed(&moved, second(0)), None);
    assert_eq!(open().is_needed(&key("b"), second(0)), None);
    open().clear(&key("a"), second(1)).await.unwrap();
    open().clear(&key("nobody"), second(1)).await.unwrap();
    assert_eq!(open().is_needed(&key("a"), second(1)), None);
}

// rule: X3
#[tokio::test]
async fn a_damaged_memory_is_a_warning_and_counts_as_empty() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("needed.json");
    for text in ["", "{", "[]", r#"{"needed": {"a": "x"}}"#] {
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let (memory, warning) = AuthNeeded::open(&path, AUTH_NEEDED_TTL);
        assert!(matches!(warning, Some(DiscardedFile::Damaged { .. })), "{text}");
        assert_eq!(memory.is_needed(&key("a"), second(0)), None);
        memory.note(&key("a"), second(0)).await.unwrap();
        assert!(AuthNeeded::open(&path, AUTH_NEEDED_TTL).1.is_none());
        assert!(memory.is_needed(&key("a"), second(1)).is_some());
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    let (memory, warning) = AuthNeeded::open(&path, AUTH_NEEDED_TTL);
    assert!(warning.unwrap().to_string().contains("chmod 600"));
    assert!(memory.note(&key("b"), second(0)).await.is_err());
}

// rule: X3
#[tokio::test]
async fn what_is_over_does_not_stay_in_the_file() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("needed.json");
    let memory = AuthNeeded::open(&path, AUTH_NEEDED_TTL).0;
    memory.note(&key("a"), second(0)).await.unwrap();
    memory.note(&key("b"), second(901)).await.unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains(key("a").id()) && text.contains(key("b").id()));
}
