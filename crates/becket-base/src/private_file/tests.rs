use super::*;

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_replaced_file_has_all_new_bytes_and_leaves_nothing_beside_it() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("file");
    for bytes in [&b"first"[..], b"", b"second"] {
        replace(&path, bytes).unwrap();
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert_eq!(names(root.path()), ["file"]);
    }
    fs::create_dir(root.path().join("directory")).unwrap();
    replace(&root.path().join("directory"), b"x").unwrap_err();
    assert_eq!(names(root.path()).len(), 2, "no temporary file stays");
}

#[test]
fn a_replacement_that_is_not_committed_is_removed() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("new");
    fs::write(&path, "of an ended process").unwrap();
    let mut new = Replacement::create(path.clone(), &options()).unwrap();
    new.write(b"x").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"x");
    drop(new);
    assert!(!path.exists());
}

#[cfg(unix)]
#[test]
fn what_a_killed_process_left_is_removed_and_nothing_else() {
    let root = tempfile::tempdir().unwrap();
    let target = root.path().join("file");
    // No system has as many processes.
    let (ended, running) = (0x7fff_ffff_u32, std::process::id());
    let left = format!(".file.becket-{ended}-1.tmp");
    let kept = [
        format!(".file.becket-{running}-1.tmp"),
        format!(".file.{ended}-1.tmp"),
        format!(".files.becket-{ended}-1.tmp"),
        format!(".file.becket-{ended}.tmp"),
        format!(".file.becket-{ended}-x.tmp"),
        format!("file.becket-{ended}-1.tmp"),
    ];
    for name in kept.iter().chain([&left]) {
        fs::write(root.path().join(name), "").unwrap();
    }
    fs::create_dir(root.path().join(format!(".file.becket-{ended}-2.tmp"))).unwrap();
    remove_left_over(&target);
    assert!(!root.path().join(left).exists());
    assert_eq!(names(root.path()).len(), kept.len() + 1);
    remove_left_over(&root.path().join("none/file"));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().mode() & 0o777
    }

    #[test]
    fn files_and_directories_are_their_owner_s_alone() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a/b/file");
        create_parent(&path).unwrap();
        create_parent(&path).unwrap();
        create_new(&path).unwrap();
        replace(&root.path().join("a/other"), b"x").unwrap();
        assert_eq!(["a", "a/b"].map(|path| mode(&root.path().join(path))), [0o700; 2]);
        assert_eq!(["a/b/file", "a/other"].map(|path| mode(&root.path().join(path))), [0o600; 2]);
        let error = create_new(&path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(create_new_dir(&root.path().join("a")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    }

    #[test]
    fn links_are_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let [victim, link] = ["victim", "link"].map(|name| root.path().join(name));
        fs::write(&victim, "kept").unwrap();
        symlink(&victim, &link).unwrap();
        options().write(true).create(true).truncate(true).open(&link).unwrap_err();
        options().read(true).open(&link).unwrap_err();
        create_new(&link).unwrap_err();
        replace(&link, b"new").unwrap();
        assert_eq!((fs::read(&victim).unwrap(), fs::read(&link).unwrap()), (b"kept".into(), b"new".into()));
        assert!(!link.is_symlink());
    }

    #[test]
    fn a_file_that_others_may_use_is_not_private() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("file");
        fs::write(&path, "x").unwrap();
        for (mode, is_private) in [(0o600, true), (0o400, true), (0o640, false), (0o602, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let checked = check(&File::open(&path).unwrap());
            assert_eq!(checked.is_ok(), is_private, "{mode:o} {checked:?}");
        }
        assert!(matches!(check(&File::open(root.path()).unwrap()), Err(NotPrivate::NotFile)));
        assert!(matches!(check(&File::open("/dev/null").unwrap()), Err(NotPrivate::NotFile)));
    }
}
