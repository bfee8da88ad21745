//! Paths as a process sees them.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The maximum number of links on the way to a file, as in the kernel.
const MOST_LINKS: usize = 40;

/// Returns an absolute path without links, as a process sees it: its `/proc/self` is its own. The last component need
/// not exist; a link there is followed if `follows` is set.
///
/// # Errors
/// Errors if a component on the way is missing or can't be read.
pub(super) fn without_links(process: libc::pid_t, path: &Path, follows: bool) -> io::Result<PathBuf> {
    let mut real = PathBuf::from("/");
    let mut pending: VecDeque<OsString> = parts(path).collect();
    let mut links = 0;
    while let Some(part) = pending.pop_front() {
        if part == ".." {
            real.pop();
            continue;
        }
        let next = of_process(process, real.join(part));
        if pending.is_empty() && !follows {
            return Ok(next);
        }
        match fs::read_link(&next) {
            Ok(_) if links == MOST_LINKS => return Err(io::Error::from_raw_os_error(libc::ELOOP)),
            Ok(target) => {
                links += 1;
                if target.is_absolute() {
                    real = PathBuf::from("/");
                }
                for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
                    pending.push_front(part);
                }
            }
            Err(why) if why.raw_os_error() == Some(libc::EINVAL) => real = next,
            Err(why) if why.kind() == io::ErrorKind::NotFound && pending.is_empty() => return Ok(next),
            Err(why) => return Err(why),
        }
    }
    Ok(real)
}

/// Returns the components of a path below its root.
fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|component| match component {
        Component::Normal(part) => Some(part.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}

/// Replaces a link whose target is the reading process.
fn of_process(process: libc::pid_t, path: PathBuf) -> PathBuf {
    match path.to_str() {
        Some("/proc/self") => format!("/proc/{process}").into(),
        Some("/proc/thread-self") => format!("/proc/{process}/task/{process}").into(),
        Some(_) | None => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    // rule: E5
    #[test]
    fn links_lead_where_the_process_finds_them() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let own = libc::pid_t::try_from(std::process::id()).unwrap();
        fs::create_dir(root.join("a")).unwrap();
        fs::write(root.join("a/file"), "").unwrap();
        for (target, link) in [
            ("a", "to-a"),
            ("../to-a/./file", "a/to-file"),
            ("/proc/self", "own"),
            ("missing", "dangling"),
            ("loop", "loop"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let real = |path: &str, follows| without_links(own, &root.join(path), follows).ok();
        for (path, expected) in [
            ("to-a/file", "a/file"),
            ("a/to-file", "a/file"),
            ("a/../a/new", "a/new"),
            ("to-a/../to-a", "a"),
            ("dangling", "missing"),
        ] {
            assert_eq!(real(path, true), Some(root.join(expected)), "{path}");
        }
        assert_eq!(real("to-a/to-file", false), Some(root.join("a/to-file")));
        assert_eq!(real("own/cwd", true), std::env::current_dir().unwrap().canonicalize().ok());
        assert_eq!(real("own", true), Some(format!("/proc/{own}").into()));
        for path in ["missing/file", "a/file/b", "loop"] {
            assert_eq!(real(path, true), None, "{path}");
        }
        let other = without_links(1, Path::new("/proc/thread-self/fd"), false);
        assert_eq!(other.ok(), Some("/proc/1/task/1/fd".into()));
    }
}
