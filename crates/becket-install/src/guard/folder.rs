//! The folder of a guard, as it was delivered.

use crate::guard::error::GuardError;
use crate::guard::manifest::GuardManifest;
use becket_base::text::hex;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// The file with the manifest.
const MANIFEST: &str = "guard.toml";
/// The file with the cases.
pub(super) const CASES: &str = "cases.toml";
/// Files that document a guard at its source.
const UNUSED: [&str; 3] = ["README.md", "LICENSE", ".gitignore"];

/// The maximum number of files of a guard, and of bytes of one file.
const MOST_FILES: usize = 64;
const MOST_BYTES: u64 = 1 << 20;

/// A guard as it was delivered.
#[derive(Debug, Clone)]
pub struct Guard {
    /// Its manifest.
    pub manifest: GuardManifest,
    /// Its other files, in the order of their paths.
    pub files: Vec<GuardFile>,
    /// The digest of all its files: `sha256:` and 64 digits.
    pub hash: String,
}

/// A file of a guard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardFile {
    /// Its path in the folder, with slashes.
    pub path: String,
    /// Its content.
    pub bytes: Vec<u8>,
    /// Set if it can be executed.
    pub executable: bool,
}

impl Guard {
    /// Reads the folder of a guard.
    ///
    /// # Errors
    /// Errors if a file can't be read or is a link, or if the manifest is wrong.
    pub fn read(folder: &Path) -> Result<Self, GuardError> {
        let mut files = Vec::new();
        collect(folder, "", &mut files)?;
        Self::of(files, folder)
    }

    /// Creates a guard from its files; `folder` is named in errors.
    ///
    /// # Errors
    /// Errors if there are too many files, if one is too large, or if the manifest is wrong.
    pub fn of(mut files: Vec<GuardFile>, folder: &Path) -> Result<Self, GuardError> {
        check_size(&files, folder)?;
        check_paths(&files, folder)?;
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let hash = hash(&files);
        let path = folder.join(MANIFEST);
        let unread = |why: &str| GuardError::Unread { path: path.clone(), why: why.to_owned() };
        let manifest = files.iter().find(|file| file.path == MANIFEST);
        let manifest = manifest.ok_or_else(|| unread("a guard has this file, and it is missing"))?;
        let text = std::str::from_utf8(&manifest.bytes).map_err(|_| unread("it is not UTF-8"))?;
        let manifest =
            GuardManifest::parse(text).map_err(|why| GuardError::Manifest { path: path.clone(), why })?;
        files.retain(|file| file.path != MANIFEST && !UNUSED.contains(&file.path.as_str()));
        Ok(Guard { manifest, files, hash })
    }
}

/// Collects the files below a directory; `prefix` is its path in the folder of the guard.
fn collect(directory: &Path, prefix: &str, files: &mut Vec<GuardFile>) -> Result<(), GuardError> {
    let unread =
        |path: &Path, why: std::io::Error| GuardError::Unread { path: path.to_owned(), why: why.to_string() };
    for entry in fs::read_dir(directory).map_err(|why| unread(directory, why))? {
        let entry = entry.map_err(|why| unread(directory, why))?;
        let path = entry.path();
        let Ok(name) = entry.file_name().into_string() else {
            return Err(GuardError::NotRegular { path, what: "not named in UTF-8".to_owned() });
        };
        if name == ".git" {
            continue;
        }
        let kind = entry.file_type().map_err(|why| unread(&path, why))?;
        let inside = format!("{prefix}{name}");
        if kind.is_dir() {
            collect(&path, &format!("{inside}/"), files)?;
        } else if kind.is_file() {
            files.push(file(&path, inside).map_err(|why| unread(&path, why))?);
        } else {
            return Err(GuardError::NotRegular { what: kind_of(&path), path });
        }
        check_size(files, directory)?;
    }
    Ok(())
}

fn file(path: &Path, inside: String) -> std::io::Result<GuardFile> {
    let file = fs::File::open(path)?;
    let executable = is_executable(&file.metadata()?);
    let mut bytes = Vec::new();
    // One byte more than allowed is enough to reject it.
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(GuardFile { path: inside, bytes, executable })
}

fn check_size(files: &[GuardFile], folder: &Path) -> Result<(), GuardError> {
    let too_large = |why: String| GuardError::TooLarge { path: folder.to_owned(), why };
    if files.len() > MOST_FILES {
        return Err(too_large(format!("it has more than {MOST_FILES} files")));
    }
    match files.iter().find(|file| file.bytes.len() as u64 > MOST_BYTES) {
        Some(file) => Err(too_large(format!("`{}` is larger than {} MiB", file.path, MOST_BYTES >> 20))),
        None => Ok(()),
    }
}

/// Checks that files are written only to the folders of the guard.
fn check_paths(files: &[GuardFile], folder: &Path) -> Result<(), GuardError> {
    let is_inside = |file: &&GuardFile| {
        let mut components = Path::new(&file.path).components();
        !file.path.is_empty() && components.all(|part| matches!(part, Component::Normal(_)))
    };
    let refused = |file: &GuardFile, what: &str| GuardError::NotRegular {
        path: folder.join(&file.path),
        what: what.to_owned(),
    };
    if let Some(file) = files.iter().find(|file| !is_inside(file)) {
        return Err(refused(file, "not in the folder of the guard"));
    }
    // A line feed in a name would be read as a line of the changes that are shown.
    match files.iter().find(|file| file.path.contains(char::is_control)) {
        Some(file) => Err(refused(file, "named with a control character")),
        None => Ok(()),
    }
}

fn kind_of(path: &Path) -> String {
    match path.read_link() {
        Ok(target) => format!("a link to `{}`", target.display()),
        Err(_) => "a pipe, a socket or a device".to_owned(),
    }
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    false
}

/// Returns the digest of files: of path, mode, length and content of each.
fn hash(files: &[GuardFile]) -> String {
    let mut digest = Sha256::new();
    for file in files {
        let mode = if file.executable { "x" } else { "-" };
        digest.update(format!("{}\0{mode}\0{}\0", file.path, file.bytes.len()));
        digest.update(&file.bytes);
    }
    format!("sha256:{}", hex(&digest.finalize()))
}

/// Returns the path of a file of a guard in a project, from the root.
pub(super) fn place(guard: &str, path: &str) -> PathBuf {
    match path {
        CASES => PathBuf::from(format!(".claude/tests/{guard}.toml")),
        path => PathBuf::from(format!(".claude/hooks/{guard}/{path}")),
    }
}
