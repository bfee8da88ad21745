//! The program that entries start, at a path that lasts.

use std::path::{Path, PathBuf};

/// The reason why a program is not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// The path is not absolute.
    #[error("`{}` is not an absolute path", .0.display())]
    Relative(PathBuf),
    /// The program is missing, or can't be executed.
    #[error("`{}` can't be executed: {why}", path.display())]
    NotExecutable {
        /// The path.
        path: PathBuf,
        /// The cause.
        why: String,
    },
    /// The program is in a directory that gets emptied or rebuilt.
    #[error(
        "`{}` is in a {kind}, and hooks would fail once it is gone: install becket elsewhere, such as in `~/.local/bin`, and \
         name it with `--program`",
        path.display()
    )]
    Unstable {
        /// The path.
        path: PathBuf,
        /// The kind of the directory.
        kind: &'static str,
    },
}

/// Names of directories that package managers and tools empty.
const CACHES: [&str; 10] = [
    ".cache",
    "Caches",
    "_npx",
    "_cacache",
    ".npm",
    "dlx",
    "node_modules",
    "archive-v0",
    "__pycache__",
    ".pnpm-store",
];

/// Checks that a program can be registered. `temporary` are the directories for temporary files.
///
/// # Errors
/// See [`ProgramError`].
pub fn check_program(path: &Path, temporary: &[PathBuf]) -> Result<(), ProgramError> {
    if !path.is_absolute() {
        return Err(ProgramError::Relative(path.to_owned()));
    }
    let refused = |why: String| ProgramError::NotExecutable { path: path.to_owned(), why };
    let real = path.canonicalize().map_err(|error| refused(error.to_string()))?;
    executable(&real).map_err(refused)?;
    for path in [path, &real] {
        if let Some(kind) = unstable(path, temporary) {
            return Err(ProgramError::Unstable { path: path.to_owned(), kind });
        }
    }
    Ok(())
}

fn executable(path: &Path) -> Result<(), String> {
    let metadata = path.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 == 0 {
        return Err("it is not executable (run `chmod +x` on it)".to_owned());
    }
    Ok(())
}

fn unstable(path: &Path, temporary: &[PathBuf]) -> Option<&'static str> {
    if temporary.iter().any(|directory| path.starts_with(directory)) {
        return Some("directory for temporary files");
    }
    for directory in path.ancestors().skip(1) {
        // Cargo and other tools mark their output in this way.
        let is_marked = directory.join("CACHEDIR.TAG").is_file();
        let name = directory.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let below = path.strip_prefix(directory).ok().and_then(|rest| rest.components().next());
        let is_build = name == "target"
            && below
                .is_some_and(|below| ["debug", "release"].iter().any(|build| below.as_os_str() == *build));
        if is_marked || is_build {
            return Some("directory of build output");
        }
        if CACHES.contains(&name) {
            return Some("cache");
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_in_caches_build_and_temporary_directories_are_not_accepted() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let program = |path: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "#!/bin/sh\n").unwrap();
            #[cfg(unix)]
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
            path
        };
        std::fs::create_dir(root.join("built")).unwrap();
        std::fs::write(root.join("built/CACHEDIR.TAG"), "").unwrap();
        let temporary = [root.join("tmp")];
        for (path, kind) in [
            ("bin/becket", None),
            ("tmp/becket", Some("directory for temporary files")),
            ("target/debug/becket", Some("directory of build output")),
            ("target/becket", None),
            ("built/x/becket", Some("directory of build output")),
            (".npm/_npx/1/becket", Some("cache")),
            (".cache/uv/becket", Some("cache")),
        ] {
            let path = program(path);
            let found = check_program(&path, &temporary);
            let expected = kind.map_or(Ok(()), |kind| Err(ProgramError::Unstable { path, kind }));
            assert_eq!(found, expected);
        }
        #[cfg(unix)]
        {
            let link = root.join("bin/link");
            std::os::unix::fs::symlink(root.join("tmp/becket"), &link).unwrap();
            assert!(matches!(check_program(&link, &temporary), Err(ProgramError::Unstable { .. })));
        }
        assert!(matches!(check_program(Path::new("becket"), &[]), Err(ProgramError::Relative(_))));
        let text = root.join("bin/text");
        std::fs::write(&text, "").unwrap();
        for path in [text, root.join("bin/gone"), root.join("bin")] {
            assert!(matches!(check_program(&path, &[]), Err(ProgramError::NotExecutable { .. })), "{path:?}");
        }
    }
}
