//! The formula of Homebrew: a template, with the archives of a directory and their sums.

use super::{Place, StepError, VERSION, stdout_of, write as write_text};
use crate::installed::debian;
use std::fs;
use std::path::Path;
use std::process::Command;

const TEMPLATE: &str = include_str!("becket.rb.in");

/// The blocks of the formula, with the target of each.
const BLOCKS: [(&str, &str, &str); 3] = [
    ("macos", "arm", "aarch64-apple-darwin"),
    ("linux", "intel", "x86_64-unknown-linux-gnu"),
    ("linux", "arm", "aarch64-unknown-linux-gnu"),
];

/// Writes the formula for the archive of this machine, and checks its syntax.
pub(super) fn run(place: &Place) -> Result<(), StepError> {
    write(&place.out, &place.out)?;
    debian("ruby", "ruby").map_err(StepError::Missing)?;
    stdout_of(Command::new("ruby").arg("-c").arg(place.out.join("becket.rb")))?;
    Ok(())
}

/// Writes `becket.rb` for the archives of a directory.
pub(super) fn write(archives: &Path, to: &Path) -> Result<(), String> {
    let sum = |target: &str| {
        let file = archives.join(format!("becket-{target}.tar.gz.sha256"));
        let text = fs::read_to_string(&file).map_err(|error| format!("`{}`: {error}", file.display()))?;
        sum_of(&text).ok_or_else(|| format!("`{}` has no SHA-256 sum", file.display()))
    };
    let is_there = |target: &str| archives.join(format!("becket-{target}.tar.gz")).is_file();
    let mut found = Vec::new();
    for (system, processor, target) in BLOCKS.into_iter().filter(|(.., target)| is_there(target)) {
        found.push((system, processor, target, sum(target)?));
    }
    if found.is_empty() {
        return Err(format!("there is no archive in `{}`", archives.display()));
    }
    write_text(&to.join("becket.rb"), &text(&found))
}

/// Returns the sum of a file that `sha256sum` has written.
fn sum_of(text: &str) -> Option<String> {
    let sum = text.split_whitespace().next()?;
    (sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| sum.to_owned())
}

/// Returns the formula for these systems, processors, targets and sums.
fn text(found: &[(&str, &str, &str, String)]) -> String {
    let repository = env!("CARGO_PKG_REPOSITORY");
    let mut platforms = String::new();
    for system in ["macos", "linux"] {
        let of_system: Vec<_> = found.iter().filter(|(one, ..)| *one == system).collect();
        if of_system.is_empty() {
            continue;
        }
        platforms.push_str(&format!("\n  on_{system} do\n"));
        for (_, processor, target, sum) in of_system {
            platforms.push_str(&format!(
                "    on_{processor} do\n      url \"{repository}/releases/download/v{VERSION}/becket-{target}.tar.gz\"\n      \
                 sha256 \"{sum}\"\n    end\n"
            ));
        }
        platforms.push_str("  end\n");
    }
    TEMPLATE
        .replace("{repository}", repository)
        .replace("{version}", VERSION)
        .replace("{platforms}", &platforms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_archive_has_its_address_and_its_sum() {
        let all: Vec<_> =
            BLOCKS.map(|(system, processor, target)| (system, processor, target, "0".repeat(64))).into();
        let formula = text(&all);
        assert_eq!(formula.matches("/releases/download/v").count(), 3);
        assert_eq!(formula.matches("sha256 \"000").count(), 3);
        assert_eq!((formula.matches("on_linux").count(), formula.matches("on_macos").count()), (1, 1));
        assert_eq!(formula.matches(" do\n").count(), formula.matches("\n  end").count() + 3 - 1);
        assert!(!formula.contains('{') || formula.contains("#{bin}"), "{formula}");
        assert!(!text(&all[..1]).contains("linux"));
    }

    #[test]
    fn a_sum_is_64_digits() {
        assert_eq!(sum_of(&format!("{}  becket.tar.gz\n", "a".repeat(64))), Some("a".repeat(64)));
        for wrong in ["", "\n", "abc becket", &"g".repeat(64)] {
            assert_eq!(sum_of(wrong), None, "{wrong}");
        }
    }
}
