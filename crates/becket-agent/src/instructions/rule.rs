//! A rule: a Markdown file whose frontmatter may name the files that it applies to.

use super::globs::Globs;
use super::loaded::Memory;
use crate::definitions::Fields;
use becket_engine::config::Diagnostic;
use std::path::Path;

/// The frontmatter field with the patterns.
const PATHS: &str = "paths";

/// A rule, as read from its file.
#[derive(Debug)]
pub(super) struct Rule {
    /// The files that the rule applies to; `None` means all.
    pub(super) globs: Option<Globs>,
    /// The text after the frontmatter.
    pub(super) body: String,
}

/// Returns the rule in a text, unless its frontmatter is invalid, which makes its scope unknown.
pub(super) fn rule(text: &str, file: &Path, memory: Memory) -> (Option<Rule>, Vec<Diagnostic>) {
    let mut fields = Fields::of(text, file, &memory.source());
    let globs = match fields.has(PATHS) {
        false => Some(None),
        true => match fields.patterns(PATHS).map(Globs::new) {
            Some(Ok(globs)) => Some(Some(globs)),
            Some(Err(why)) => {
                fields.error(PATHS, "bad-paths", why);
                None
            }
            None => None,
        },
    };
    let body = fields.body.to_owned();
    let rule = globs.filter(|_| !fields.is_broken()).map(|globs| Rule { globs, body });
    (rule, fields.diagnostics)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<Rule>, Vec<String>) {
        let (rule, found) = rule(text, Path::new("r.md"), Memory::Project);
        (rule, found.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn paths_are_a_list_or_a_text_with_commas() {
        let of = |text: &str| read(text).0.unwrap().globs.map(|globs| globs.written).unwrap_or_default();
        for (text, paths) in [
            (
                "---\npaths:\n  - \"src/**/*.{ts,tsx}\"\n  - lib/**\n---\nbody",
                vec!["src/**/*.{ts,tsx}", "lib/**"],
            ),
            (
                "---\npaths: src/**/*.{ts,tsx}, docs/My Notes/*\n---\nbody",
                vec!["src/**/*.{ts,tsx}", "docs/My Notes/*"],
            ),
            ("---\npaths: \"**/*.ts\"\n---\nbody", vec!["**/*.ts"]),
            ("---\npaths: **/*.ts\n---\nbody", vec!["**/*.ts"]),
            ("---\ndescription: x\n---\nbody", vec![]),
            ("body", vec![]),
        ] {
            assert_eq!(of(text), paths, "{text}");
            assert_eq!(read(text).0.unwrap().body, "body", "{text}");
        }
    }

    // rule: C7
    #[test]
    fn a_rule_that_can_t_be_read_is_a_finding_with_its_place() {
        for (text, said) in [
            ("---\npaths: []\n---\nbody", "r.md:2:8: error: `paths` names no file"),
            ("---\npaths: [\"a{b\"]\n---\nbody", "`a{b` can't be read"),
            ("---\npaths: 7\n---\nbody", "`paths` has to be"),
            ("---\npaths: [7]\n---\nbody", "`paths` has to be"),
            ("---\na: [\n---\nbody", "not YAML"),
        ] {
            let (rule, found) = read(text);
            assert!(rule.is_none() && found.join("\n").contains(said), "{text}: {found:?}");
        }
    }
}
