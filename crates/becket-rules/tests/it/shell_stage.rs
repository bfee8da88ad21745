//! A test environment for comparisons with real shells: the shells, and a directory of programs that log their
//! arguments.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails in the set-up fails the test")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Programs that can only start others, or print.
const REAL: [&str; 19] = [
    "env", "timeout", "nice", "nohup", "stdbuf", "xargs", "find", "cat", "tee", "bash", "sh", "dash",
    "ionice", "setsid", "flock", "sleep", "taskset", "setarch", "linux64",
];

/// The user and the group `nobody`.
const NOBODY: u32 = 65_534;

/// A shell to compare with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shell {
    Bash,
    Dash,
}

impl Shell {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Dash => "dash",
        }
    }

    /// Returns a command that runs the shell in a new process group, with only `bin` on its PATH. It never runs as
    /// root, since a line may write to any path that it has put together.
    pub(crate) fn command(self, bin: &Path) -> Command {
        let mut command = Command::new(real(self.name()));
        command.arg0(self.name());
        if self == Self::Bash {
            command.args(["--norc", "--noprofile"]);
        }
        command.env_clear().env("PATH", bin).env("HOME", "$HOME").env("FUNCNEST", "8").process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// Lets shells write a file or a directory.
pub(crate) fn lend(path: &Path) {
    if is_root() {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

/// Returns an empty directory that shells can reach and write. A build directory may be closed to other users.
pub(crate) fn directory(name: &str) -> PathBuf {
    let root = std::env::temp_dir().join(format!("becket-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(&root).unwrap();
    lend(&root);
    root
}

/// Replaces the working directory of a line by an empty one.
pub(crate) fn empty(cwd: &Path) {
    let _ = fs::remove_dir_all(cwd);
    fs::create_dir_all(cwd).unwrap();
    lend(cwd);
}

/// Returns the path of a shell. These tests prove nothing without it, so they fail if it is missing.
pub(crate) fn real(name: &str) -> PathBuf {
    found(name)
        .unwrap_or_else(|| panic!("this test asks the real `{name}`, which is not installed: install it"))
}

fn found(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin"].iter().map(|directory| Path::new(directory).join(name)).find(|path| path.exists())
}

/// Puts links to real programs into `bin`, as far as they are installed.
pub(crate) fn put_links(bin: &Path) {
    for name in REAL {
        if let Some(path) = found(name) {
            symlink(path, bin.join(name)).unwrap();
        }
    }
}

/// Puts a program into `bin` that appends its words to a log, as one line. If a shell reads it as a file, it does
/// nothing: it was not run.
pub(crate) fn put_fake(bin: &Path, name: &str, log: &Path) {
    let dash = real("dash");
    let script = format!(
        "#!{0}\nread -r own < /proc/$$/comm\n[ \"$own\" = '{name}' ] || exit 0\nprintf '%s\\0' \"{name}${{*:+ $*}}\" >> '{1}'\n",
        dash.display(),
        log.display()
    );
    fs::write(bin.join(name), script).unwrap();
    fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
}

/// Ends a shell with everything that still runs in its group.
pub(crate) fn end_group(child: &mut Child) {
    let group = format!("-{}", child.id());
    let killed = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
    assert!(killed.is_ok(), "`kill` can't be started");
    let _ = child.wait();
}
