use super::*;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

fn place() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("sub/tokens.json");
    (directory, path)
}

#[test]
fn what_is_written_is_read_and_private() {
    let (_directory, path) = place();
    assert_eq!(read(&path).unwrap(), None);
    replace(&path, b"one").unwrap();
    replace(&path, b"two").unwrap();
    assert_eq!(read(&path).unwrap().unwrap(), b"two");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().mode() & 0o777, 0o700);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn nobody_else_can_read_it_for_a_moment_and_nobody_sees_half_of_it() {
    let (_directory, path) = place();
    replace(&path, b"0").unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut seen = 0;
            while !done.load(Ordering::Relaxed) {
                for entry in fs::read_dir(path.parent().unwrap()).unwrap().flatten() {
                    // It may have been renamed since.
                    let Ok(found) = entry.metadata() else { continue };
                    assert_eq!(found.mode() & 0o077, 0, "{:?}", entry.file_name());
                    seen += 1;
                }
                let text = read(&path).unwrap().unwrap();
                assert!(text.iter().all(|byte| *byte == text[0]) && [1, 100_000].contains(&text.len()));
            }
            seen
        });
        for round in 0..100 {
            replace(&path, &vec![b'a' + round % 26; 100_000]).unwrap();
        }
        done.store(true, Ordering::Relaxed);
        assert!(watcher.join().unwrap() > 0);
    });
}

#[test]
fn a_file_that_is_not_ours_alone_is_refused_by_name() {
    let (directory, path) = place();
    replace(&path, b"secret").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("others may read or write `{}` (mode 640): run `chmod 600` on it", path.display())
    );
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let link = directory.path().join("link");
    symlink(&path, &link).unwrap();
    let error = read(&link).unwrap_err().to_string();
    assert_eq!(error, format!("`{}` is a symbolic link: put the file itself there", link.display()));
    let error = read(directory.path()).unwrap_err().to_string();
    assert_eq!(error, format!("`{}` is not a file: move it away", directory.path().display()));
    // Only root can give a file away; other users can't run this part.
    if std::os::unix::fs::chown(&path, Some(12345), None).is_ok() {
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("belongs to the user 12345"), "{error}");
    }
}

#[test]
fn a_file_that_can_not_be_replaced_leaves_the_old_one_and_nothing_else() {
    let (directory, path) = place();
    fs::create_dir_all(path.join("in the way")).unwrap();
    let error = replace(&path, b"new").unwrap_err().to_string();
    assert!(error.contains("can't be written"), "{error}");
    assert_eq!(fs::read_dir(directory.path().join("sub")).unwrap().count(), 1);
}
