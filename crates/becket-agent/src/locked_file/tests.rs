#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use becket_engine::CancellationToken;
use becket_tools::blocking::blocking;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use tempfile::TempDir;

const MOST: u64 = 2048;

fn place() -> (TempDir, LockedFile) {
    let directory = TempDir::new().unwrap();
    let file = LockedFile::new(directory.path().join("deep/a.txt"), MOST);
    (directory, file)
}

/// Appends a text, on a thread that may block.
async fn append(file: &LockedFile, text: &'static str) -> Result<(), String> {
    let (file, never) = (file.clone(), CancellationToken::new());
    let changed = blocking(&never, move |stop| {
        Ok(file.change(stop, |content| {
            let mut content = content.unwrap_or_default();
            content.extend(text.as_bytes());
            Ok::<_, LockedError>((Some(content), ()))
        }))
    });
    changed.await.unwrap().map_err(|error| error.to_string())
}

#[tokio::test]
async fn what_is_written_is_read_and_private() {
    let (_directory, file) = place();
    assert_eq!(file.read().unwrap(), None);
    append(&file, "a").await.unwrap();
    append(&file, "b").await.unwrap();
    assert_eq!(file.read().unwrap().unwrap(), b"ab");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(file.path()), mode(file.path().parent().unwrap())), (0o600, 0o700));
}

// A file that was written but could never be read again would be lost.
#[tokio::test]
async fn what_could_not_be_read_again_is_not_written() {
    let (_directory, file) = place();
    let full = "x".repeat(MOST as usize).leak();
    append(&file, full).await.unwrap();
    let why = append(&file, "y").await.unwrap_err();
    assert!(why.contains("larger than 2 KiB"), "{why}");
    assert_eq!(file.read().unwrap().unwrap().len(), full.len());
    fs::write(file.path(), "z".repeat(MOST as usize + 1)).unwrap();
    assert!(matches!(file.read(), Err(LockedError::TooLarge(2))));
}

/// Replaces a path with a pipe.
fn pipe(path: &Path) {
    drop(fs::remove_file(path));
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

#[tokio::test]
async fn links_and_pipes_in_the_way_are_neither_followed_nor_waited_for() {
    let (directory, file) = place();
    append(&file, "a").await.unwrap();
    let other = directory.path().join("other");
    fs::write(&other, "somebody else's").unwrap();
    symlink(&other, file.path().with_extension("new")).unwrap();
    append(&file, "b").await.unwrap();
    assert_eq!(fs::read_to_string(&other).unwrap(), "somebody else's");
    assert_eq!(file.read().unwrap().unwrap(), b"ab");
    pipe(&file.path().with_extension("new"));
    append(&file, "c").await.unwrap();
    let lock = file.path().with_extension("lock");
    let links: fn(&Path, &Path) = |other, lock| symlink(other, lock).unwrap();
    for in_the_way in [links, |_, lock| pipe(lock)] {
        drop(fs::remove_file(&lock));
        in_the_way(&other, &lock);
        let why = append(&file, "d").await.unwrap_err();
        assert!(why.contains("locked"), "{why}");
    }
    assert_eq!(file.read().unwrap().unwrap(), b"abc");
    pipe(file.path());
    assert!(file.read().is_err());
}

#[tokio::test]
async fn a_change_that_nobody_waits_for_is_not_made() {
    let (_directory, file) = place();
    append(&file, "a").await.unwrap();
    let (cancel, slow) = (CancellationToken::new(), file.clone());
    let (told, hears) = std::sync::mpsc::channel();
    let canceller = cancel.clone();
    let changed = blocking(&cancel, move |stop| {
        let changed = slow.change(stop, |_| {
            canceller.cancel();
            while stop.check().is_ok() {
                std::thread::yield_now();
            }
            Ok::<_, LockedError>((Some(b"late".to_vec()), ()))
        });
        told.send(changed.is_err()).unwrap();
        Ok(())
    });
    assert_eq!(changed.await, Err(BlockingError::Cancelled));
    assert!(hears.recv_timeout(Duration::from_secs(30)).unwrap());
    assert_eq!(file.read().unwrap().unwrap(), b"a");
}
