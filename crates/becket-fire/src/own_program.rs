//! The names of Becket's own programs.

/// The names: the program that packages install first on `PATH`, the full program beside it, and the small program by
/// the name of its crate.
const NAMES: [&str; 3] = ["becket", "becket-full", "becket-fire"];

/// The file of the full program, beside the small one.
pub const FULL: &str = if cfg!(windows) { "becket-full.exe" } else { "becket-full" };

/// Returns true if a word of a command line is one of the programs: by its name or by a path, also as a package with a
/// scope or a version (`npx @becket/becket@1`).
pub fn is_own(word: &str) -> bool {
    let file = word.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = file.split_once('@').map_or(file, |(name, _)| name);
    let name = match name.len().checked_sub(EXE.len()).and_then(|at| name.split_at_checked(at)) {
        Some((stem, exe)) if exe.eq_ignore_ascii_case(EXE) => stem,
        Some(_) | None => name,
    };
    NAMES.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Returns true if a word with wildcards may become the name of one of the programs.
pub fn may_be_own(glob: &str) -> bool {
    let file = glob.rsplit('/').next().unwrap_or_default();
    NAMES.iter().any(|own| may_match(file, own))
}

/// Returns true if a name may match a glob: it begins and ends as the glob does.
pub(crate) fn may_match(glob: &str, name: &str) -> bool {
    let head = glob.split(WILDCARDS).next().unwrap_or_default();
    let tail = glob.rsplit(WILDCARDS).next().unwrap_or_default();
    match glob.contains(WILDCARDS) {
        true => name.len() >= head.len().max(tail.len()) && name.starts_with(head) && name.ends_with(tail),
        false => glob == name,
    }
}

const WILDCARDS: [char; 4] = ['*', '?', '[', ']'];
const EXE: &str = ".exe";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_the_programs_is_own_and_no_other() {
        for word in [
            "becket",
            "becket-full",
            "becket-fire",
            "/usr/bin/becket-full",
            r"C:\tools\becket.exe",
            "BECKET-FULL.EXE",
            "@becket/becket",
            "becket@0.1.0",
        ] {
            assert!(is_own(word), "{word}");
        }
        for word in ["", "becket.md", "becket-engine", "becket/", "xbecket", "thomas-becket", ".exe"] {
            assert!(!is_own(word), "{word}");
        }
        assert!(may_be_own("/usr/bin/becke?") && may_be_own("beck*") && may_be_own("[b]ecket-full"));
        assert!(!may_be_own("git*") && !may_be_own("becket.*"));
    }
}
