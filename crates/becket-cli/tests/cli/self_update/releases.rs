//! Releases of programs that are scripts, in a directory, and a server for it that can stall halfway.

use becket_testkit::env::{ProgramOutput, Run, TestEnv};
use becket_testkit::proc::eventually;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// A copy of becket as `install.sh` creates it, and a directory with a release.
pub(super) struct Installed {
    pub(super) env: TestEnv,
}

pub(super) fn target() -> String {
    let libc = if cfg!(target_env = "musl") { "musl" } else { "gnu" };
    format!("{}-unknown-linux-{libc}", std::env::consts::ARCH)
}

/// Returns a program that reports this version, and answers only `--version`.
pub(super) fn says(version: &str) -> String {
    format!("#!/bin/sh\necho 'becket {version}'\n")
}

/// The small program, which executes the one beside it.
const SMALL: &str = "#!/bin/sh\nexec \"$(dirname \"$0\")/becket-full\" \"$@\"\n";

impl Installed {
    /// Creates a copy, and a release 9.9.9 of programs that work.
    pub(super) fn new() -> Self {
        let installed = Installed { env: TestEnv::new(env!("CARGO_BIN_EXE_becket")) };
        let full = installed.path("bin/becket-full");
        fs::create_dir(installed.path("bin")).expect("a directory can be made");
        // A link if possible: the program has several hundred megabytes.
        let program = env!("CARGO_BIN_EXE_becket");
        fs::hard_link(program, &full)
            .or_else(|_| fs::copy(program, &full).map(drop))
            .expect("it can be put there");
        installed.program("bin/becket", SMALL);
        installed.env.write("bin/.becket-install.json", "{\"installer\": \"install.sh\"}\n");
        installed.release("9.9.9", &[("becket", SMALL), ("becket-full", &says("9.9.9"))]);
        installed
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.env.root().join(name)
    }

    fn program(&self, path: &str, text: &str) {
        let program = self.env.write(path, text);
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("a mode");
    }

    /// Returns the directory of the latest release.
    pub(super) fn latest(&self) -> PathBuf {
        self.path("releases/latest/download")
    }

    pub(super) fn archive(&self) -> PathBuf {
        self.latest().join(format!("becket-{}.tar.gz", target()))
    }

    /// Creates the latest release.
    pub(super) fn release(&self, version: &str, programs: &[(&str, &str)]) {
        let folder = format!("becket-{}", target());
        drop(fs::remove_dir_all(self.path("packed")));
        programs.iter().for_each(|(name, text)| self.program(&format!("packed/{folder}/{name}"), text));
        fs::create_dir_all(self.latest()).expect("a directory can be made");
        let mut tar = Command::new("tar");
        tar.arg("-czf").arg(self.archive()).arg("-C").arg(self.path("packed")).arg(&folder);
        assert!(tar.status().expect("tar runs").success());
        fs::write(self.latest().join("VERSION"), format!("{version}\n")).expect("it can be written");
        self.sum();
    }

    /// Writes the checksum of the archive in its current state.
    pub(super) fn sum(&self) {
        let summed = Command::new("sha256sum").arg(self.archive()).output().expect("it runs").stdout;
        fs::write(self.archive().with_extension("gz.sha256"), summed).expect("it can be written");
    }

    /// Returns a run of the installed copy, with the releases of the directory.
    pub(super) fn becket(&self, arguments: &[&str]) -> Run {
        let releases = format!("file://{}", self.path("releases").display());
        self.env.bare(arguments).of(&self.path("bin/becket-full")).env("BECKET_RELEASES_URL", &releases)
    }

    pub(super) fn update(&self) -> ProgramOutput {
        self.becket(&["self", "update"]).run()
    }

    /// Returns the names of the files beside the programs, including hidden ones.
    pub(super) fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path("bin")).expect("it is there");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("it is there").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Returns the version that the small program reports, which executes the full one.
    pub(super) fn version(&self) -> String {
        let ended = self.env.bare(["--version"]).of(&self.path("bin/becket")).run();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.stdout.trim().to_owned()
    }

    /// Asserts that both programs are the old ones, and that there are no other files.
    pub(super) fn check_unchanged(&self, what: &str) {
        assert_eq!(self.version(), concat!("becket ", env!("CARGO_PKG_VERSION")), "{what}");
        assert_eq!(self.files(), [".becket-install.json", "becket", "becket-full"], "{what}");
    }
}

/// The part of an answer that a server sends before it stalls.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stall {
    Nothing,
    Half,
}

/// A server for a directory. It answers one path in part, reports that, and keeps the connection open.
pub(super) struct Server {
    pub(super) url: String,
    stalled: Receiver<()>,
}

impl Server {
    pub(super) fn start(directory: PathBuf, stalls: Option<(&'static str, Stall)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let (sender, stalled) = channel();
        thread::spawn(move || {
            let mut open = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                open.extend(answer(stream, &directory, stalls, &sender));
            }
        });
        Server { url, stalled }
    }

    pub(super) fn wait_until_stalled(&self) {
        eventually("the server stalls", || self.stalled.try_recv().ok());
    }
}

/// Answers one request; returns the connection if it stays open.
fn answer(
    mut stream: TcpStream,
    directory: &Path,
    stalls: Option<(&str, Stall)>,
    stalled: &Sender<()>,
) -> Option<TcpStream> {
    let mut line = String::new();
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    reader.read_line(&mut line).ok()?;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).ok()?;
        if header.trim().is_empty() {
            break;
        }
    }
    let path = line.split(' ').nth(1)?.trim_start_matches('/');
    let Ok(body) = fs::read(directory.join(path)) else {
        stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").ok()?;
        return None;
    };
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let part = stalls.filter(|(end, _)| path.ends_with(end)).map(|(_, stall)| stall);
    match part {
        None => {
            stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)).ok()?;
            return None;
        }
        Some(Stall::Nothing) => {}
        Some(Stall::Half) => {
            stream
                .write_all(head.as_bytes())
                .and_then(|()| stream.write_all(&body[..body.len() / 2]))
                .ok()?;
        }
    }
    stalled.send(()).ok()?;
    Some(stream)
}
