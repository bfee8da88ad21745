//! A directory with a program that leaves a trace, and the supervisor as a process.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use becket_testkit::proc::Marker;
use becket_testkit::user::{NOBODY, is_root};
use tempfile::TempDir;

/// A script that forbids the system call of a number with a seccomp filter, and becomes the program of the other
/// arguments.
const FORBID: &str = r#"
import ctypes, os, struct, sys
libc = ctypes.CDLL(None)
number = int(sys.argv[1])
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
libc.prctl(38, 1, 0, 0, 0)
if libc.prctl(22, 2, ctypes.byref(Program(len(steps), ctypes.addressof(code)))) != 0:
    sys.exit("no filter")
os.execvp(sys.argv[2], sys.argv[2:])
"#;

/// A directory in the search path with `tool`, which creates the files that it is given.
pub(crate) struct Scene {
    directory: TempDir,
    pub(crate) marker: Marker,
    supervise: PathBuf,
}

/// The end of a supervised line.
#[derive(Debug)]
pub(crate) struct LineOutput {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
        fs::create_dir(directory.path().join("bin")).unwrap();
        fs::copy("/bin/touch", directory.path().join("bin/tool")).unwrap();
        let scene = Self { supervise: directory.path().join("supervise"), directory, marker: Marker::new() };
        // A hard link would be refused by some systems, and the tests of other users can't reach the target directory.
        fs::copy(example("supervise"), &scene.supervise).unwrap();
        scene
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes an executable file.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Returns whether the trace of `tool "$OUT"` exists, and removes it.
    pub(crate) fn took_effect(&self) -> bool {
        fs::remove_file(self.path("pushed")).is_ok()
    }

    /// Runs a line of bash without a supervisor.
    pub(crate) fn bare(&self, line: &str) -> LineOutput {
        LineOutput::of(self.command("timeout").args(["20", "bash", "-c", line]))
    }

    /// Runs a line of bash with `tool "$OUT"` denied.
    pub(crate) fn denied(&self, line: &str) -> LineOutput {
        self.supervised(&["deny=Bash(tool *pushed*)"], ["bash", "-c", line])
    }

    /// Runs a program under the supervisor with these options.
    pub(crate) fn supervised<A: AsRef<OsStr>>(
        &self,
        options: &[&str],
        program: impl IntoIterator<Item = A>,
    ) -> LineOutput {
        LineOutput::of(self.supervisor(options, program).env("LC_ALL", "C"))
    }

    /// Runs a program under the supervisor in a container whose profile forbids a system call.
    pub(crate) fn without(&self, call: [u32; 2], options: &[&str], program: &[&str]) -> LineOutput {
        let number = call[usize::from(cfg!(target_arch = "aarch64"))].to_string();
        let mut command = self.command("python3");
        command.args(["-c", FORBID, &number]).arg(&self.supervise);
        LineOutput::of(command.args(options).arg("--").args(program))
    }

    /// Runs a program as an ordinary user, if this one may become another.
    pub(crate) fn supervised_as_nobody<A: AsRef<OsStr>>(
        &self,
        options: &[&str],
        program: impl IntoIterator<Item = A>,
    ) -> Option<LineOutput> {
        is_root().then(|| LineOutput::of(self.supervisor(options, program).uid(NOBODY).gid(NOBODY)))
    }

    /// Returns the command of the supervisor.
    pub(crate) fn supervisor<A: AsRef<OsStr>>(
        &self,
        options: &[&str],
        program: impl IntoIterator<Item = A>,
    ) -> Command {
        let mut command = self.command(&self.supervise);
        command.args(options).arg("--").args(program);
        command
    }

    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let (name, value) = self.marker.env();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", self.path("bin").display());
        let mut command = Command::new(program);
        command.env_clear().env("PATH", path).env("HOME", self.path(".")).env(name, value);
        command.env("OUT", self.path("pushed")).env("DIR", self.path("")).current_dir(self.path(""));
        command.stdin(std::process::Stdio::null());
        command
    }
}

impl LineOutput {
    fn of(command: &mut Command) -> Self {
        let Output { status, stdout, stderr } = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
    }

    /// Returns whether Landlock is missing, so that memory can be written.
    pub(crate) fn is_weak(&self) -> bool {
        self.stderr.contains("Landlock")
    }
}

/// Returns the path of an example, which is built with the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let this = std::env::current_exe().unwrap();
    let target = this.ancestors().find(|path| path.join("examples").is_dir()).map(Path::to_owned);
    target.unwrap().join("examples").join(name)
}
