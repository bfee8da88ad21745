//! Git Bash on Windows: where it is installed (H2), and how it writes paths (H3).
//!
//! Both depend on their arguments alone, so that they are compiled and tested on every platform. Paths are texts here,
//! since only Windows itself splits `C:\a\b`.
//!
//! INVARIANT: the `bash.exe` of WSL or of Cygwin is never mistaken for Git Bash: they see other files under other
//! names.

/// The variables and the files of a machine.
pub(crate) struct Machine<'a> {
    /// Returns the value of a variable, if it is set.
    pub(crate) variable: &'a dyn Fn(&str) -> Option<String>,
    /// Returns whether a file exists.
    pub(crate) is_file: &'a dyn Fn(&str) -> bool,
}

/// A variable names a Git Bash that does not exist: the choice of a user is not replaced by another one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{variable}` names `{path}`, which does not exist: correct it, or unset it")]
pub(crate) struct NoSuchBash {
    pub(crate) variable: String,
    pub(crate) path: String,
}

/// The variable that every profile reads, in addition to the profile's own.
const VARIABLE: &str = "CLAUDE_CODE_GIT_BASH_PATH";

/// Folders in which installers put Git, below the variable that names their parent.
const USUAL: [(&str, &str); 6] = [
    ("ProgramFiles", "Git"),
    ("ProgramW6432", "Git"),
    ("ProgramFiles(x86)", "Git"),
    ("LOCALAPPDATA", r"Programs\Git"),
    ("USERPROFILE", r"scoop\apps\git\current"),
    ("SystemDrive", r"\Program Files\Git"),
];

/// Folders of an installation that may be on `PATH`.
const FOLDERS: [&str; 6] = ["cmd", r"mingw64\bin", r"mingw32\bin", r"clangarm64\bin", r"usr\bin", "bin"];

/// Finds Git Bash: by its variable (`own` is the profile's name for it), then by `PATH`, then in the usual places.
///
/// # Errors
/// Errors if the variable names a file that does not exist.
pub(crate) fn find(machine: &Machine<'_>, own: &str) -> Result<Option<String>, NoSuchBash> {
    let set = |name: &str| (machine.variable)(name).filter(|value| !value.is_empty());
    for name in [own, VARIABLE] {
        let Some(path) = set(name) else { continue };
        if !(machine.is_file)(&path) {
            return Err(NoSuchBash { variable: name.to_owned(), path });
        }
        return Ok(Some(path));
    }
    let on_path = set("PATH").or_else(|| set("Path")).unwrap_or_default();
    let named = on_path.split(';').filter_map(|folder| root_of(folder.trim().trim_matches('"')));
    let usual = USUAL.iter().filter_map(|(name, folder)| Some(joined(&set(name)?, folder)));
    Ok(named.chain(usual).find_map(|root| bash_of(&root, machine)))
}

/// Returns the root of the Git installation that contains `folder`, if the folder is named like a part of one.
fn root_of(folder: &str) -> Option<String> {
    let folder = folder.replace('/', r"\");
    let folder = folder.trim_end_matches('\\');
    let is_part = |part: &str| {
        let at = folder.len().checked_sub(part.len());
        at.is_some_and(|at| folder.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(part)))
    };
    let part = FOLDERS.into_iter().find(|part| is_part(part))?;
    folder[..folder.len() - part.len()].strip_suffix('\\').map(str::to_owned)
}

/// Returns the Bash of an installation; `cmd\git.exe` distinguishes it from others that include a `bash.exe`.
fn bash_of(root: &str, machine: &Machine<'_>) -> Option<String> {
    if !(machine.is_file)(&joined(root, r"cmd\git.exe")) {
        return None;
    }
    [r"bin\bash.exe", r"usr\bin\bash.exe"]
        .iter()
        .map(|bash| joined(root, bash))
        .find(|bash| (machine.is_file)(bash))
}

fn joined(folder: &str, name: &str) -> String {
    format!(r"{}\{}", folder.trim_end_matches('\\'), name.trim_start_matches('\\'))
}

/// Converts a native path to the form of Git Bash: `C:\Users\ada` becomes `/c/Users/ada`.
pub(crate) fn path(native: &str) -> String {
    let plain = match native.strip_prefix(r"\\?\UNC\") {
        Some(share) => format!(r"\\{share}"),
        None => native.strip_prefix(r"\\?\").unwrap_or(native).to_owned(),
    };
    let slashes = plain.replace('\\', "/");
    match slashes.as_bytes() {
        [drive, b':'] if drive.is_ascii_alphabetic() => format!("/{}", drive.to_ascii_lowercase() as char),
        [drive, b':', b'/', ..] if drive.is_ascii_alphabetic() => {
            format!("/{}{}", drive.to_ascii_lowercase() as char, &slashes[2..])
        }
        _ => slashes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "BECKET_GIT_BASH_PATH";

    fn found(variables: &[(&str, &str)], files: &[&str]) -> Result<Option<String>, NoSuchBash> {
        let variable =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into());
        let is_file = |path: &str| files.contains(&path);
        find(&Machine { variable: &variable, is_file: &is_file }, OWN)
    }

    const GIT: [&str; 2] = [r"C:\Program Files\Git\cmd\git.exe", r"C:\Program Files\Git\bin\bash.exe"];

    // rule: H2
    #[test]
    fn the_variable_comes_first_then_path_then_the_usual_places() {
        let elsewhere = [r"D:\git\cmd\git.exe", r"D:\git\bin\bash.exe", r"E:\b.exe"];
        let files: Vec<&str> = GIT.into_iter().chain(elsewhere).collect();
        let system = ("ProgramFiles", r"C:\Program Files");
        let path = ("PATH", r"C:\Windows\System32;D:\git\cmd");
        for (variables, expected) in [
            (&[system, path, (VARIABLE, r"E:\b.exe")][..], r"E:\b.exe"),
            (&[system, path, (VARIABLE, r"X:\none.exe"), (OWN, r"E:\b.exe")], r"E:\b.exe"),
            (&[system, path, (VARIABLE, "")], r"D:\git\bin\bash.exe"),
            (&[system, ("Path", r"D:\git\cmd")], r"D:\git\bin\bash.exe"),
            (&[system, ("PATH", r"C:\Windows\System32")], GIT[1]),
            (&[("SystemDrive", "C:")], GIT[1]),
        ] {
            assert_eq!(found(variables, &files), Ok(Some(expected.to_owned())), "{variables:?}");
        }
        assert_eq!(found(&[system], &[]), Ok(None));
    }

    // rule: H2
    #[test]
    fn a_variable_that_names_nothing_is_an_error_that_says_so() {
        let error = found(&[(VARIABLE, r"C:\x\bash.exe"), ("ProgramFiles", r"C:\Program Files")], &GIT)
            .expect_err("it is not replaced by another one");
        assert_eq!(
            error.to_string(),
            r"`CLAUDE_CODE_GIT_BASH_PATH` names `C:\x\bash.exe`, which does not exist: correct it, or unset it"
        );
    }

    // rule: H2
    #[test]
    fn every_folder_of_git_on_path_leads_to_its_bash_and_no_other_bash_is_taken() {
        for folder in [
            r"C:\Program Files\Git\cmd",
            r"C:\Program Files\Git\bin\",
            r"C:\Program Files\Git\usr\bin",
            r#""C:\Program Files\Git\mingw64\bin""#,
            "C:/Program Files/Git/CMD",
        ] {
            assert_eq!(found(&[("PATH", folder)], &GIT).map(|bash| bash.is_some()), Ok(true), "{folder}");
        }
        let others = [
            r"C:\Windows\System32\bash.exe",
            r"C:\cygwin64\bin\bash.exe",
            r"C:\Users\ada\AppData\Local\Microsoft\WindowsApps\bash.exe",
        ];
        for folder in [
            r"C:\Windows\System32",
            r"C:\cygwin64\bin",
            r"C:\Users\ada\AppData\Local\Microsoft\WindowsApps",
            "bin",
            "",
            "é\\bin",
        ] {
            assert_eq!(found(&[("PATH", folder)], &others), Ok(None), "{folder}");
        }
    }

    // rule: H3
    #[test]
    fn paths_are_written_as_git_bash_reads_them() {
        for (native, written) in [
            (r"C:\Users\ada\my project", "/c/Users/ada/my project"),
            ("D:/work", "/d/work"),
            (r"C:\", "/c/"),
            ("C:", "/c"),
            (r"\\?\C:\long", "/c/long"),
            (r"\\server\share\x", "//server/share/x"),
            (r"\\?\UNC\server\share", "//server/share"),
            (r"a\b", "a/b"),
            ("/c/already", "/c/already"),
            ("é:\\x", "é:/x"),
        ] {
            assert_eq!(path(native), written, "{native}");
        }
    }
}
