//! `cargo xtask archive`: the archive of a release, with the output of `dist`, its SHA-256 sum, and the version of the
//! release in a file. `install.sh` and `becket self update` install it.

use crate::{bindings, root, say};
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use tar::{Builder, Header};

/// The programs of a package, and the files next to them.
const PROGRAMS: [&str; 2] = ["becket", "becket-full"];
const TEXTS: [&str; 4] = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// Writes the archive next to the programs.
///
/// # Errors
/// Errors if a program is missing, or if a file can't be written.
pub(crate) fn write(arguments: &[String]) -> Result<(), String> {
    let [target] = arguments else {
        return Err("`archive` takes the target of the programs, such as x86_64-unknown-linux-gnu".to_owned());
    };
    let out = bindings::target(root())?.join("dist-out");
    let archive = pack(&out, target)?;
    let version = out.join("VERSION");
    fs::write(&version, concat!(env!("CARGO_PKG_VERSION"), "\n"))
        .map_err(|error| format!("`{}`: {error}", version.display()))?;
    say(&format!("the archive is {}", archive.display()));
    Ok(())
}

/// Packs the programs of a directory into a reproducible archive there, with the same bytes on every system.
pub(crate) fn pack(out: &Path, target: &str) -> Result<PathBuf, String> {
    let name = format!("becket-{target}");
    let path = out.join(format!("{name}.tar.gz"));
    let failed = |error: io::Error| format!("`{}`: {error}", path.display());
    let file = File::create(&path).map_err(failed)?;
    // The default header has no time and no name of a file.
    let mut archive = Builder::new(GzBuilder::new().write(file, Compression::best()));
    for text in TEXTS {
        append(&mut archive, &name, &root().join(text), 0o644)?;
    }
    let suffix = if target.contains("windows") { ".exe" } else { "" };
    let programs = PROGRAMS.map(|program| out.join(format!("{program}{suffix}")));
    for program in programs.iter().filter(|program| **program == programs[0] || program.exists()) {
        append(&mut archive, &name, program, 0o755)?;
    }
    archive.into_inner().and_then(|gzip| gzip.finish()).map_err(failed)?;
    let sum = Sha256::digest(fs::read(&path).map_err(failed)?);
    let hex: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(out.join(format!("{name}.tar.gz.sha256")), format!("{hex}  {name}.tar.gz\n"))
        .map_err(failed)?;
    Ok(path)
}

/// Adds a file to the folder of an archive, without its owner and its time.
fn append<W: io::Write>(
    archive: &mut Builder<W>,
    folder: &str,
    file: &Path,
    mode: u32,
) -> Result<(), String> {
    let failed = |error: io::Error| format!("`{}`: {error}", file.display());
    let bytes = fs::read(file).map_err(failed)?;
    let mut header = Header::new_ustar();
    header.set_size(bytes.len() as u64);
    header.set_mode(mode);
    header.set_cksum();
    let name = Path::new(folder).join(file.file_name().unwrap_or_default());
    archive.append_data(&mut header, name, bytes.as_slice()).map_err(failed)
}

/// Tests of `install.sh`, with a release in a directory.
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::{Command, Output};
    use tempfile::TempDir;

    /// A directory with a release, and one to install to.
    struct Release(TempDir);

    impl Release {
        fn new() -> Self {
            let release = Release(tempfile::tempdir().unwrap());
            let out = release.path("releases/latest/download");
            fs::create_dir_all(&out).unwrap();
            release.program(&out.join("becket"), "exec \"$(dirname \"$0\")/becket-full\" \"$@\"");
            release.program(&out.join("becket-full"), "echo becket 9.9.9");
            pack(&out, &target()).unwrap();
            release
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn archive(&self) -> PathBuf {
            self.path("releases/latest/download").join(format!("becket-{}.tar.gz", target()))
        }

        fn program(&self, path: &Path, text: &str) {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }

        /// Runs the script with these programs first on its path, or alone.
        fn install(&self, shell: &str, arguments: &[&str], search_path: &str) -> Output {
            let mut sh = Command::new(shell);
            sh.arg(root().join("install.sh")).args(arguments).env_clear().env("PATH", search_path);
            sh.env("HOME", self.path("home"));
            sh.env("BECKET_RELEASES_URL", format!("file://{}", self.path("releases").display()));
            sh.output().unwrap()
        }

        fn usual(&self, arguments: &[&str]) -> Output {
            self.install("/bin/sh", arguments, "/usr/bin:/bin")
        }

        /// Returns the content of the installation directory.
        fn installed(&self) -> Vec<String> {
            let entries = fs::read_dir(self.path("home/.local/bin")).into_iter().flatten();
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
            names.sort();
            names
        }
    }

    fn target() -> String {
        format!(
            "{}-unknown-linux-{}",
            std::env::consts::ARCH,
            if cfg!(target_env = "musl") { "musl" } else { "gnu" }
        )
    }

    fn error(output: &Output) -> String {
        assert!(!output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    #[test]
    fn both_programs_are_installed_and_nothing_else() {
        for shell in ["/bin/sh", "/bin/bash"] {
            let release = Release::new();
            let output = release.install(shell, &[], "/usr/bin:/bin");
            assert!(output.status.success(), "{output:?}");
            let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(stdout.starts_with("installed becket 9.9.9 in ") && stdout.contains("PATH"), "{stdout}");
            assert_eq!(release.installed(), [".becket-install.json", "becket", "becket-full"]);
            let marker = fs::read_to_string(release.path("home/.local/bin/.becket-install.json")).unwrap();
            let marker: serde_json::Value = serde_json::from_str(&marker).unwrap();
            assert_eq!(marker, serde_json::json!({"installer": "install.sh", "target": target()}));
        }
    }

    #[test]
    fn an_archive_has_the_same_bytes_again() {
        let release = Release::new();
        let before = fs::read(release.archive()).unwrap();
        pack(&release.path("releases/latest/download"), &target()).unwrap();
        assert!(before == fs::read(release.archive()).unwrap());
        let mut tar = Command::new("tar");
        let listed = tar.arg("-tvzf").arg(release.archive()).output().unwrap().stdout;
        let listed = String::from_utf8(listed).unwrap();
        assert_eq!(listed.matches("-rwxr-xr-x 0/0").count(), 2, "{listed}");
        assert_eq!(listed.matches("-rw-r--r-- 0/0").count(), TEXTS.len(), "{listed}");
    }

    #[test]
    fn a_failure_leaves_what_was_installed() {
        let release = Release::new();
        release.program(&release.path("home/.local/bin/becket"), "echo old");
        let whole = fs::read(release.archive()).unwrap();
        let sum = release.archive().with_extension("gz.sha256");
        let summed = fs::read(&sum).unwrap();

        fs::write(release.archive(), &whole[..whole.len() / 2]).unwrap();
        assert!(error(&release.usual(&[])).contains("nothing was installed"));
        fs::write(release.archive(), &whole).unwrap();
        fs::write(&sum, "").unwrap();
        assert!(error(&release.usual(&[])).contains("nothing was installed"));
        fs::remove_file(&sum).unwrap();
        assert!(error(&release.usual(&[])).contains("can't be read"));
        fs::write(&sum, summed).unwrap();
        assert!(error(&release.usual(&["--version", "1.2.3"])).contains("/download/v1.2.3/"));
        assert!(error(&release.usual(&["--prefix"])).contains("unknown argument"));
        assert_eq!(release.installed(), ["becket"]);
        let old = fs::read_to_string(release.path("home/.local/bin/becket")).unwrap();
        assert!(old.contains("old"), "{old}");
        assert!(release.usual(&[]).status.success());
    }

    #[test]
    fn a_place_without_encryption_is_refused_unless_it_is_this_machine() {
        let release = Release::new();
        for (url, expected) in [
            ("http://releases.example", "plain HTTP"),
            ("http://127.0.0.1.example", "plain HTTP"),
            ("http://localhost:x@releases.example", "user name"),
            ("http://127.0.0.1:1", "can't be downloaded"),
        ] {
            let mut sh = Command::new("/bin/sh");
            sh.arg(root().join("install.sh")).env_clear().env("PATH", "/usr/bin:/bin");
            sh.env("HOME", release.path("home")).env("BECKET_RELEASES_URL", url);
            assert!(error(&sh.output().unwrap()).contains(expected), "{url}");
        }
        assert_eq!(release.installed(), [""; 0]);
    }

    #[test]
    fn a_directory_in_the_place_of_a_program_is_left_alone() {
        let release = Release::new();
        fs::create_dir_all(release.path("home/.local/bin/becket")).unwrap();
        assert!(error(&release.usual(&[])).contains("is a directory: nothing was installed"));
        assert_eq!(release.installed(), ["becket"]);
    }

    #[test]
    fn a_program_that_does_not_run_here_is_not_installed() {
        let release = Release::new();
        let out = release.path("releases/latest/download");
        release.program(&out.join("becket-full"), "exit 127");
        pack(&out, &target()).unwrap();
        assert!(error(&release.usual(&[])).contains("does not run on this machine"));
        assert_eq!(release.installed(), [""; 0]);
    }

    #[test]
    fn a_machine_without_a_release_or_a_needed_program_is_told() {
        let release = Release::new();
        for (system, expected) in [
            ("Plan9 x86_64", "system `Plan9`"),
            ("Linux riscv64", "processor `riscv64`"),
            ("Darwin x86_64", "Intel"),
        ] {
            let (name, machine) = system.split_once(' ').unwrap();
            let uname = format!("if [ \"$1\" = -m ]; then echo {machine}; else echo {name}; fi");
            release.program(&release.path("fake/uname"), &uname);
            let search = format!("{}:/usr/bin:/bin", release.path("fake").display());
            let message = error(&release.install("/bin/sh", &[], &search));
            assert!(message.contains(expected) && message.contains("build from source"), "{message}");
        }
        // A system with musl gets the static programs.
        release.program(&release.path("musl/ldd"), "echo musl libc >&2; exit 1");
        let search = format!("{}:/usr/bin:/bin", release.path("musl").display());
        let message = error(&release.install("/bin/sh", &[], &search));
        assert!(message.contains("-unknown-linux-musl.tar.gz` can't be read"), "{message}");
        let few = release.path("few");
        fs::create_dir_all(&few).unwrap();
        let link = |name: &str| symlink(Path::new("/usr/bin").join(name), few.join(name)).unwrap();
        ["uname", "mktemp", "mkdir", "rm", "cut", "tar", "gzip", "mv", "grep", "cp"]
            .into_iter()
            .for_each(link);
        let few_alone = few.display().to_string();
        let mut sh = Command::new("/bin/sh");
        sh.arg(root().join("install.sh"))
            .env_clear()
            .env("PATH", &few_alone)
            .env("HOME", release.path("home"));
        assert!(error(&sh.output().unwrap()).contains("neither `curl` nor `wget`"));
        let message = error(&release.install("/bin/sh", &[], &few_alone));
        assert!(message.contains("neither `sha256sum` nor `shasum`"), "{message}");
        assert_eq!(release.installed(), [""; 0]);
        // A release in a directory needs neither of them.
        link("sha256sum");
        link("sh");
        link("dirname");
        let output = release.install("/bin/sh", &[], &few_alone);
        assert!(output.status.success(), "{output:?}");
    }

    #[test]
    fn releases_are_those_of_the_repository() {
        let releases = format!("{}/releases}}", env!("CARGO_PKG_REPOSITORY"));
        assert!(fs::read_to_string(root().join("install.sh")).unwrap().contains(&releases));
    }

    #[test]
    fn pages_name_the_oldest_rust_of_the_manifest() {
        for page in ["README.md", "docs/guide/packages.md"] {
            let text = fs::read_to_string(root().join(page)).unwrap().replace('\n', " ");
            let named: Vec<&str> =
                text.match_indices("Rust 1.").map(|(at, _)| &text[at + 5..at + 9]).collect();
            assert!(
                !named.is_empty() && named.iter().all(|one| *one == env!("CARGO_PKG_RUST_VERSION")),
                "{page}: {named:?}"
            );
        }
    }

    #[test]
    fn public_urls_begin_with_the_repository_of_the_manifest() {
        let path = env!("CARGO_PKG_REPOSITORY").strip_prefix("https://github.com/").unwrap();
        let mut git = Command::new("git");
        let listed =
            git.args(["grep", "-nIi", "github.com/becket"]).current_dir(root()).output().unwrap().stdout;
        let listed = String::from_utf8_lossy(&listed);
        assert!(listed.lines().count() > 10, "{listed}");
        for line in listed.lines().filter(|line| !line.starts_with("xtask/src/archive.rs:")) {
            for (at, _) in line.match_indices("github.com/becket") {
                let named = &line[at + "github.com/".len()..];
                let is_whole = named.strip_prefix(path).is_some_and(|rest| {
                    !rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '-' | '_'))
                });
                assert!(is_whole, "the repository is `{path}`, but: {line}");
            }
        }
    }
}
