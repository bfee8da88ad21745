//! The language of comments and names: docs open with a noun or a verb, and types are nouns.

use std::fs;
use std::path::{Path, PathBuf};

/// Words that no doc comment opens with: they start a clause, which is less clear than a noun or a verb.
const OPENERS: [&str; 13] = [
    "What", "Whether", "Who", "Whom", "Whose", "Which", "How", "Where", "When", "Why", "Of", "Whatever",
    "Whoever",
];

/// Returns the Rust files of the workspace.
fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<PathBuf> =
        ["crates", "bindings", "xtask", "fuzz"].iter().map(|folder| root.join(folder)).collect();
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                // Build output, and packages from elsewhere.
                if name != "target" && name != "node_modules" && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

/// Returns the text of a doc comment's line.
fn doc(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!"))
}

/// Returns the first words of the doc comments in a file, each with its line.
fn openings(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<&str> = source.lines().collect();
    (0..lines.len()).filter_map(move |at| {
        let opens = at == 0 || doc(lines[at - 1]).is_none();
        Some((at + 1, doc(lines[at]).filter(|_| opens)?.split_whitespace().next()?))
    })
}

#[test]
fn no_doc_comment_opens_with_a_question_word() {
    let mut wrong = Vec::new();
    for path in sources() {
        let source = fs::read_to_string(&path).unwrap();
        let bad = openings(&source).filter(|(_, word)| OPENERS.contains(word));
        wrong.extend(bad.map(|(line, word)| format!("{}:{line}: `{word}`", path.display())));
    }
    assert!(wrong.is_empty(), "open these with a noun or a third-person verb: {wrong:#?}");
}

/// Returns the first negation of the form "is no dialect" in a line, which reads as "is not a dialect".
fn negated_noun(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(4).find_map(|window| {
        let [subject, verb, no, noun] = window else { return None };
        let is_verb = ["is", "are", "was", "were"].contains(verb) && *no == "no";
        let is_existence = subject.to_lowercase().ends_with("there");
        let is_degree = ["longer", "more", "less", "fewer"].iter().any(|degree| noun.starts_with(degree));
        (is_verb && !is_existence && !is_degree).then(|| window.join(" "))
    })
}

#[test]
fn no_line_says_that_a_thing_is_no_other_thing() {
    let mut wrong = Vec::new();
    for path in sources().into_iter().filter(|path| !path.ends_with(file!())) {
        let source = fs::read_to_string(&path).unwrap();
        let found = source.lines().zip(1..).filter_map(|(line, at)| Some((at, negated_noun(line)?)));
        wrong.extend(found.map(|(at, words)| format!("{}:{at}: `{words}`", path.display())));
    }
    assert!(wrong.is_empty(), "write \"is not a …\": {wrong:#?}");
}

#[test]
fn negated_nouns_are_found() {
    assert_eq!(negated_noun("    /// Where `x` is no dialect.").as_deref(), Some("`x` is no dialect."));
    for good in ["if there is no dialect", "// There are no more", "it is no longer needed", "`no`, or is no"]
    {
        assert_eq!(negated_noun(good), None, "{good}");
    }
}

#[test]
fn openings_are_found() {
    let source = "//! Who asks\n//! Where\n\n/// Returns it\n/// What else\nfn f() {}\n/// Whether\nfn g() {}\n// Why\n";
    let found: Vec<_> = openings(source).collect();
    assert_eq!(found, [(1, "Who"), (4, "Returns"), (7, "Whether")]);
}
