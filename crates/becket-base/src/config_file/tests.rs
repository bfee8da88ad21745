use super::*;
use std::convert::Infallible;
use std::thread;

fn update(path: &Path, edit: impl FnMut(&str) -> String) -> Result<(), FileError> {
    let mut edit = edit;
    ConfigFile::update(path, Access::Private, |text| Ok::<_, Infallible>(edit(text))).map_err(|error| {
        match error {
            UpdateError::File(why) => why,
            UpdateError::Edit(never) => match never {},
        }
    })
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn no_edit_of_several_writers_is_lost() {
    let root = tempfile::tempdir().unwrap();
    // The first of them creates the directory.
    let path = root.path().join("new/file");
    thread::scope(|scope| {
        for number in 0..8 {
            let path = &path;
            scope.spawn(move || update(path, |text| format!("{text}{number}\n")).unwrap());
        }
    });
    let mut lines: Vec<u32> =
        fs::read_to_string(&path).unwrap().lines().map(|line| line.parse().unwrap()).collect();
    lines.sort_unstable();
    assert_eq!(lines, (0..8).collect::<Vec<u32>>());
    assert_eq!(names(path.parent().unwrap()), ["file"]);
}

#[test]
fn an_edit_is_made_again_if_another_program_writes_the_file_meanwhile() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("file");
    fs::write(&path, "a").unwrap();
    let mut others = ["b", "c"].into_iter();
    update(&path, |text| {
        if let Some(other) = others.next() {
            fs::write(&path, format!("{text}{other}")).unwrap();
        }
        format!("{text}!")
    })
    .unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "abc!");
    // A program that never stops writing wins.
    let mut count = 0;
    let ended = update(&path, |text| {
        count += 1;
        fs::write(&path, count.to_string()).unwrap();
        format!("{text}!")
    });
    assert!(matches!(ended, Err(FileError::Changed)), "{ended:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), count.to_string());
    assert_eq!(names(root.path()), ["file"]);
}

#[test]
fn an_edit_that_fails_or_changes_nothing_writes_nothing() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("new/file");
    update(&path, str::to_owned).unwrap();
    let refused = ConfigFile::update(&path, Access::AsUsual, |_| Err("no"));
    assert!(matches!(refused, Err(UpdateError::Edit("no"))), "{refused:?}");
    assert!(!path.parent().unwrap().exists());
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    fn with_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_link_stays_a_link_and_a_mode_stays() {
        let root = tempfile::tempdir().unwrap();
        let [path, link, new] = ["file", "link", "new"].map(|name| root.path().join(name));
        fs::write(&path, "a").unwrap();
        with_mode(&path, 0o640);
        symlink(&path, &link).unwrap();
        update(&link, |text| format!("{text}b")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "ab");
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o640);
        update(&new, |_| "x".to_owned()).unwrap();
        assert_eq!(new.metadata().unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn an_owner_stays() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("file");
        fs::write(&path, "a").unwrap();
        with_mode(&path, 0o600);
        std::os::unix::fs::chown(&path, Some(65534), Some(65534)).unwrap();
        update(&path, |text| format!("{text}b")).unwrap();
        let found = path.metadata().unwrap();
        assert_eq!((found.uid(), found.gid(), found.mode() & 0o777), (65534, 65534, 0o600));
    }

    #[test]
    fn what_may_not_be_changed_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let [path, name, link] = ["file", "name", "link"].map(|name| root.path().join(name));
        fs::write(&path, "a").unwrap();
        let refused = |path: &Path| update(path, |_| "b".to_owned()).unwrap_err();
        with_mode(&path, 0o444);
        assert!(matches!(refused(&path), FileError::ReadOnly(0o444)));
        with_mode(&path, 0o644);
        fs::hard_link(&path, &name).unwrap();
        assert!(matches!(refused(&path), FileError::HardLinks(2)));
        assert_eq!(fs::read_to_string(&name).unwrap(), "a");
        symlink("nowhere", &link).unwrap();
        assert!(matches!(refused(&link), FileError::Dangling(_)));
        assert!(matches!(refused(root.path()), FileError::NotFile));
        assert_eq!(names(root.path()).len(), 3);
    }

    #[test]
    fn a_replaced_or_removed_file_has_no_copies_of_killed_processes() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(".file.json");
        // No system has as many processes.
        let left = root.path().join("..file.json.becket-2147483647-0.tmp");
        fs::write(&left, "a secret").unwrap();
        update(&path, |_| "a".to_owned()).unwrap();
        assert_eq!(names(root.path()), [".file.json"]);
        fs::write(&left, "a secret").unwrap();
        ConfigFile::read(&path).unwrap().replace(None, Access::AsUsual).unwrap();
        assert!(names(root.path()).is_empty());
    }
}
