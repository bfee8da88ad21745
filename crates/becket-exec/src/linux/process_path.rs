//! Paths as a process sees them.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

/// The maximum number of links on the way to a file, as in the kernel.
const MOST_LINKS: usize = 40;

/// A file that a process names.
struct FoundFile {
    /// Its absolute path without links, as this process sees it.
    path: PathBuf,
    /// The link of the process file system that leads to it without its path, such as `/proc/PID/fd/3`.
    shortcut: Option<PathBuf>,
}

/// Returns the absolute path without links of the file that a process finds at a path, from its own root and with its
/// own `/proc/self`. A relative path starts in the directory `start`. That and the result are paths of this process.
/// The last component need not exist; a link there is followed if `follows` is set.
///
/// # Errors
/// Errors if a component on the way is missing or can't be read.
pub(super) fn without_links(
    process: libc::pid_t,
    start: &Path,
    path: &Path,
    follows: bool,
) -> io::Result<PathBuf> {
    find(process, start, path, follows).map(|found| found.path)
}

/// Returns a path at which this process can open the file that a process finds at a path, even if the file has no
/// name. A relative path starts in the directory `start`.
///
/// # Errors
/// Errors if a component on the way is missing or can't be read.
pub(super) fn openable(process: libc::pid_t, start: &Path, path: &Path) -> io::Result<PathBuf> {
    let found = find(process, start, path, true)?;
    if let Some(shortcut) = found.shortcut {
        return Ok(shortcut);
    }
    // Its mounts may be others.
    let root = format!("/proc/{process}/root");
    let below = found.path.strip_prefix(fs::read_link(&root)?).map(|below| Path::new(&root).join(below));
    Ok(below.unwrap_or(found.path))
}

fn find(process: libc::pid_t, start: &Path, path: &Path, follows: bool) -> io::Result<FoundFile> {
    let root = fs::read_link(format!("/proc/{process}/root"))?;
    let mut real = if path.is_absolute() { root.clone() } else { start.to_owned() };
    let mut pending: VecDeque<OsString> = parts(path).collect();
    let mut links = 0;
    while let Some(part) = pending.pop_front() {
        if part == ".." {
            if real != root {
                real.pop();
            }
            continue;
        }
        let next = of_process(process, &real, &part);
        if pending.is_empty() && !follows {
            return Ok(FoundFile { path: next, shortcut: None });
        }
        match fs::read_link(&next) {
            Ok(_) if links == MOST_LINKS => return Err(io::Error::from_raw_os_error(libc::ELOOP)),
            Ok(target) if target.is_absolute() && pending.is_empty() && is_of_proc(&real) => {
                // The kernel writes such a target from this process's root, and without links. The file may have no
                // name any more.
                return Ok(FoundFile { path: target, shortcut: Some(next) });
            }
            Ok(target) => {
                links += 1;
                if target.is_absolute() {
                    real = if is_of_proc(&real) { PathBuf::from("/") } else { root.clone() };
                }
                for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
                    pending.push_front(part);
                }
            }
            Err(why) if why.raw_os_error() == Some(libc::EINVAL) => real = next,
            Err(why) if why.kind() == io::ErrorKind::NotFound && pending.is_empty() => {
                return Ok(FoundFile { path: next, shortcut: None });
            }
            Err(why) => return Err(why),
        }
    }
    Ok(FoundFile { path: real, shortcut: None })
}

/// Returns the components of a path below its root.
fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|component| match component {
        Component::Normal(part) => Some(part.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    })
}

/// Returns the path of an entry of a directory, where a link whose target is the reading process is replaced.
fn of_process(process: libc::pid_t, directory: &Path, entry: &OsStr) -> PathBuf {
    const ROOT: u64 = 1;
    let is_root = || is_of_proc(directory) && fs::metadata(directory).is_ok_and(|found| found.ino() == ROOT);
    match entry.to_str() {
        Some("self") if is_root() => directory.join(group(process).to_string()),
        Some("thread-self") if is_root() => {
            directory.join(group(process).to_string()).join("task").join(process.to_string())
        }
        Some(_) | None => directory.join(entry),
    }
}

fn is_of_proc(directory: &Path) -> bool {
    rustix::fs::statfs(directory).is_ok_and(|found| found.f_type == rustix::fs::PROC_SUPER_MAGIC)
}

/// Returns the link to the directory in which a relative path of a system call starts; `AT_FDCWD` is the working
/// directory.
pub(super) fn start_link(process: libc::pid_t, directory: libc::c_int) -> PathBuf {
    PathBuf::from(match directory {
        libc::AT_FDCWD => format!("/proc/{process}/cwd"),
        descriptor => format!("/proc/{process}/fd/{descriptor}"),
    })
}

/// Returns the process of a thread, whose descriptors may be others.
pub(super) fn group(thread: libc::pid_t) -> libc::pid_t {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).unwrap_or_default();
    let group = status.lines().find_map(|line| line.strip_prefix("Tgid:")?.trim().parse().ok());
    group.unwrap_or(thread)
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
        let real = |path: &str, follows| without_links(own, Path::new("/"), &root.join(path), follows).ok();
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
        let relative = without_links(own, &root.join("a"), Path::new("../to-a/to-file"), true);
        assert_eq!(relative.ok(), Some(root.join("a/file")));
        assert_eq!(real("own/cwd", true), std::env::current_dir().unwrap().canonicalize().ok());
        assert_eq!(real("own", true), Some(format!("/proc/{own}").into()));
        for path in ["missing/file", "a/file/b", "loop"] {
            assert_eq!(real(path, true), None, "{path}");
        }
        let mut child = std::process::Command::new("sleep").arg("9").spawn().unwrap();
        let id = libc::pid_t::try_from(child.id()).unwrap();
        let other = without_links(id, Path::new("/"), Path::new("/proc/thread-self/fd"), false);
        child.kill().and_then(|()| child.wait()).unwrap();
        assert_eq!(other.ok(), Some(format!("/proc/{id}/task/{id}/fd").into()));
    }

    // rule: E1
    #[test]
    fn a_file_without_a_name_can_be_opened() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let own = libc::pid_t::try_from(std::process::id()).unwrap();
        fs::create_dir(root.join("directory")).unwrap();
        fs::write(root.join("directory/file"), "text").unwrap();
        let open = fs::File::open(root.join("directory/file")).unwrap();
        let descriptor = format!("fd/{}", std::os::fd::AsRawFd::as_raw_fd(&open));
        symlink(format!("/dev/{descriptor}"), root.join("link")).unwrap();
        fs::remove_dir_all(root.join("directory")).unwrap();
        let expected = PathBuf::from(format!("/proc/{own}/{descriptor}"));
        for path in [root.join("link"), Path::new("/proc/self").join(&descriptor), expected.clone()] {
            assert_eq!(openable(own, Path::new("/"), &path).ok(), Some(expected.clone()), "{path:?}");
        }
        assert_eq!(fs::read_to_string(expected).unwrap(), "text");
    }
}
