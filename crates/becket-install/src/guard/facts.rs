//! Facts of a repository, read from its files. Nothing is run.

use crate::guard::git_directory::{is_repository, shared_branches};
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// The facts of a repository that can answer a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Detection {
    /// The command that runs the tests.
    Tests,
    /// The branches that several people push to.
    Branches,
    /// The formatters: a pattern of file names and a command each.
    Formatters,
}

/// The facts of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepositoryFacts {
    /// True if it is the root of a git repository.
    pub is_repository: bool,
    /// Its languages.
    pub languages: Vec<&'static str>,
    /// The command that runs the tests.
    pub tests: Option<String>,
    /// The branches that several people push to.
    pub branches: Vec<String>,
    /// The formatters.
    pub formatters: Vec<String>,
}

impl RepositoryFacts {
    /// Reads the facts of the repository in `root`.
    pub fn read(root: &Path) -> Self {
        let mut facts = RepositoryFacts {
            is_repository: is_repository(root),
            branches: shared_branches(root),
            ..RepositoryFacts::default()
        };
        for language in [rust, node, python, go, ruby, java, elixir] {
            if let Some(found) = language(root) {
                facts.languages.push(found.name);
                facts.tests = facts.tests.or(found.tests);
                facts.formatters.extend(found.formatters);
            }
        }
        facts.tests = facts.tests.or_else(|| make(root));
        facts
    }

    /// Returns the answer to a question as values; empty if it is not known.
    pub(super) fn answer(&self, what: Detection) -> Vec<String> {
        match what {
            Detection::Tests => self.tests.iter().cloned().collect(),
            Detection::Branches => self.branches.clone(),
            Detection::Formatters => self.formatters.clone(),
        }
    }
}

/// One language of a repository.
struct Language {
    name: &'static str,
    tests: Option<String>,
    formatters: Vec<String>,
}

fn language(name: &'static str, tests: Option<&str>, formatters: &[&str]) -> Language {
    let formatters = formatters.iter().map(|line| (*line).to_owned()).collect();
    Language { name, tests: tests.map(str::to_owned), formatters }
}

fn read(root: &Path, name: &str) -> Option<String> {
    becket_base::text_file::read(&root.join(name)).ok()
}

fn has(root: &Path, name: &str) -> bool {
    root.join(name).exists()
}

fn rust(root: &Path) -> Option<Language> {
    let manifest: toml_edit::DocumentMut = read(root, "Cargo.toml")?.parse().ok()?;
    let package = manifest.get("package").or_else(|| manifest.get("workspace")?.get("package"));
    let edition = package.and_then(|package| package.get("edition")?.as_str());
    let edition = edition.or_else(|| manifest.get("workspace")?.get("package")?.get("edition")?.as_str());
    // It becomes a part of a command.
    let edition = edition.filter(|edition| edition.chars().all(|c| c.is_ascii_digit()));
    let formatter = format!("*.rs rustfmt --edition {}", edition.unwrap_or("2021"));
    Some(language("Rust", Some("cargo test"), &[&formatter]))
}

fn node(root: &Path) -> Option<Language> {
    let manifest: Value = serde_json::from_str(&read(root, "package.json")?).ok()?;
    let script = manifest["scripts"]["test"].as_str().filter(|script| !script.contains("no test specified"));
    let runner = [("pnpm-lock.yaml", "pnpm test"), ("yarn.lock", "yarn test"), ("bun.lock", "bun run test")];
    let runner =
        runner.into_iter().find(|(lock, _)| has(root, lock)).map_or("npm test", |(_, runner)| runner);
    let has_prettier =
        ["dependencies", "devDependencies"].iter().any(|key| manifest[key].get("prettier").is_some());
    let formatters: &[&str] = match has_prettier {
        true => &[
            "*.js npx prettier --write",
            "*.jsx npx prettier --write",
            "*.ts npx prettier --write",
            "*.tsx npx prettier --write",
            "*.css npx prettier --write",
        ],
        false => &[],
    };
    Some(language("JavaScript", script.map(|_| runner), formatters))
}

fn python(root: &Path) -> Option<Language> {
    let project = read(root, "pyproject.toml");
    if project.is_none()
        && !["setup.py", "setup.cfg", "requirements.txt", "pytest.ini", "tox.ini"]
            .iter()
            .any(|name| has(root, name))
    {
        return None;
    }
    let project = project.unwrap_or_default();
    let pytest = has(root, "pytest.ini") || project.contains("pytest");
    let tests = match (pytest, has(root, "uv.lock")) {
        (true, true) => Some("uv run pytest -q"),
        (true, false) => Some("python3 -m pytest -q"),
        (false, _) => has(root, "tests").then_some("python3 -m unittest discover -q -s tests"),
    };
    let formatters: &[&str] = if project.contains("[tool.black]") {
        &["*.py black --quiet"]
    } else {
        &["*.py ruff format --quiet"]
    };
    Some(language("Python", tests, formatters))
}

fn go(root: &Path) -> Option<Language> {
    has(root, "go.mod").then(|| language("Go", Some("go test ./..."), &["*.go gofmt -w"]))
}

fn ruby(root: &Path) -> Option<Language> {
    let tests = if has(root, "spec") { "bundle exec rspec" } else { "bundle exec rake test" };
    has(root, "Gemfile").then(|| language("Ruby", Some(tests), &[]))
}

fn java(root: &Path) -> Option<Language> {
    if has(root, "gradlew") {
        return Some(language("Java", Some("./gradlew test"), &[]));
    }
    has(root, "pom.xml").then(|| language("Java", Some("mvn -q test"), &[]))
}

fn elixir(root: &Path) -> Option<Language> {
    has(root, "mix.exs")
        .then(|| language("Elixir", Some("mix test"), &["*.ex mix format", "*.exs mix format"]))
}

/// Returns the target of a Makefile that runs tests.
fn make(root: &Path) -> Option<String> {
    let text = read(root, "Makefile")?;
    let target = |name: &str| {
        text.lines().any(|line| {
            line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':') && !rest.starts_with(":="))
        })
    };
    ["test", "check"].into_iter().find(|name| target(name)).map(|name| format!("make {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(files: &[(&str, &str)]) -> RepositoryFacts {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = directory.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        RepositoryFacts::read(directory.path())
    }

    #[test]
    fn tests_and_formatters_are_those_of_the_language() {
        let rust = facts(&[("Cargo.toml", "[package]\nname = \"a\"\nedition = \"2024\"\n")]);
        assert_eq!((rust.languages, rust.tests.as_deref()), (vec!["Rust"], Some("cargo test")));
        assert_eq!(rust.formatters, ["*.rs rustfmt --edition 2024"]);
        let workspace = facts(&[("Cargo.toml", "[workspace.package]\nedition = \"2018\"\n")]);
        assert_eq!(workspace.formatters, ["*.rs rustfmt --edition 2018"]);
        let hostile = facts(&[("Cargo.toml", "[package]\nedition = \"2021 --config-path=/x\"\n")]);
        assert_eq!(hostile.formatters, ["*.rs rustfmt --edition 2021"]);
        let node = facts(&[
            ("package.json", r#"{"scripts": {"test": "vitest"}, "devDependencies": {"prettier": "3"}}"#),
            ("pnpm-lock.yaml", ""),
        ]);
        assert_eq!((node.tests.as_deref(), node.formatters.len()), (Some("pnpm test"), 5));
        let none = facts(&[(
            "package.json",
            r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#,
        )]);
        assert_eq!(none.tests, None);
        let python = facts(&[("pyproject.toml", "[tool.pytest.ini_options]\n"), ("uv.lock", "")]);
        assert_eq!(python.tests.as_deref(), Some("uv run pytest -q"));
        let make = facts(&[("Makefile", "test := x\ncheck: all\n\tls\n")]);
        assert_eq!(make.tests.as_deref(), Some("make check"));
        assert_eq!(facts(&[]), RepositoryFacts::default());
    }

    #[test]
    fn shared_branches_are_those_of_git() {
        let of_origin = facts(&[
            (".git/HEAD", "ref: refs/heads/topic\n"),
            (".git/refs/remotes/origin/HEAD", "ref: refs/remotes/origin/stable\n"),
            (".git/refs/heads/main", "0"),
            (".git/packed-refs", "# pack-refs\n0 refs/heads/develop\n0 refs/remotes/origin/master\n"),
        ]);
        assert!(of_origin.is_repository);
        assert_eq!(of_origin.branches, ["stable", "main", "develop"]);
        assert_eq!(facts(&[(".git/HEAD", "ref: refs/heads/master\n")]).branches, ["master"]);
        let worktree = facts(&[
            (".git", "gitdir: repository/worktrees/w\n"),
            ("repository/worktrees/w/commondir", "../..\n"),
            ("repository/refs/heads/trunk", "0"),
        ]);
        assert_eq!(worktree.branches, ["trunk"]);
    }
}
