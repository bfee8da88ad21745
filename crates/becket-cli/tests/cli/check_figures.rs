//! The accuracy of `check` on labelled configurations: the share of faults that it finds, and of findings that are
//! faults.
//!
//! `written.json` contains configurations written after public ones, each with labels; their figures are those of
//! `docs/check-figures.md`. `public.json` and `public-2.json` to `public-10.json` contain the labels of public files,
//! which are not included: put them at `target/public-configs/OWNER/REPOSITORY/PATH` and run the ignored test.

use crate::{env, workspace};
use becket_testkit::env::TestEnv;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const WRITTEN: &str = include_str!("../cases/labels/written.json");
const PUBLIC: &str = include_str!("../cases/labels/public.json");
const PUBLIC_2: &str = include_str!("../cases/labels/public-2.json");
const PUBLIC_3: &str = include_str!("../cases/labels/public-3.json");
const PUBLIC_4: &str = include_str!("../cases/labels/public-4.json");
const PUBLIC_5: &str = include_str!("../cases/labels/public-5.json");
const PUBLIC_6: &str = include_str!("../cases/labels/public-6.json");
const PUBLIC_7: &str = include_str!("../cases/labels/public-7.json");
const PUBLIC_8: &str = include_str!("../cases/labels/public-8.json");
const PUBLIC_9: &str = include_str!("../cases/labels/public-9.json");
const PUBLIC_10: &str = include_str!("../cases/labels/public-10.json");
const PAGE: &str = "docs/check-figures.md";

/// The kind of fault that each finding names. A code that is in no row names no kind of fault.
const KINDS: &[(&str, &[&str])] = &[
    ("answer-does-opposite", &["answer-ends-turn"]),
    ("answer-without-effect", &["answer-without-effect"]),
    ("async-guard", &["async-on-deciding-event"]),
    ("bad-substitution", &["shell-syntax", "unset-variable"]),
    ("bare-name-compare", &["path-is-absolute"]),
    ("bash-only-syntax", &["bash-only-syntax"]),
    ("broken-answer", &["answer-not-understood"]),
    ("broken-quoting", &["jq-syntax", "program-syntax", "shell-syntax"]),
    ("condition-as-exit-code", &["condition-as-exit-code"]),
    ("dangerous-setting", &["dangerous-mode", "setting-without-effect"]),
    ("dead-rule", &["rule-matches-nothing", "rule-on-primary-field", "unanchored-allow-glob"]),
    ("duplicate-key", &["duplicate-key"]),
    ("empty-alternative", &["empty-alternative"]),
    ("env-not-expanded", &["variable-in-env"]),
    ("event-not-in-agent", &["event-not-in-subagent"]),
    ("exit-1-not-feedback", &["checker-tells-nothing"]),
    ("exit-1-not-blocking", &["exit-code-does-not-block"]),
    (
        "expression-in-matcher",
        &["never-matches", "invalid-matcher", "rule-in-matcher", "glob-in-matcher", "unknown-tool"],
    ),
    ("file-not-read", &["file-not-read"]),
    ("foreign-dialect", &["other-dialect"]),
    ("guard-too-late", &["guard-after-the-call"]),
    ("handler-as-group", &["other-dialect", "missing-hooks", "unknown-field"]),
    ("if-misses-tool", &["condition-misses-tool"]),
    ("if-on-group", &["unknown-field"]),
    ("impossible-matcher", &["never-matches", "unknown-tool"]),
    ("invalid-permission-rule", &["invalid-rule"]),
    ("key-without-effect", &["unknown-field"]),
    ("kind-not-allowed", &["kind-not-allowed"]),
    ("loose-rule", &["rule-without-program"]),
    ("machine-path", &["path-of-one-machine"]),
    ("matcher-ignored", &["ignored-matcher"]),
    ("no-such-field", &["unknown-tool-field", "unknown-input-field"]),
    ("message-to-user", &["message-to-user"]),
    ("missing-wrapper", &["missing-hooks-wrapper", "event-outside-hooks"]),
    ("noise-in-context", &["output-in-context"]),
    ("not-json", &["not-json"]),
    ("once-without-effect", &["once-without-effect"]),
    ("path-rule-for-write", &["rule-never-consulted"]),
    ("path-rule-at-settings", &["path-starts-at-settings"]),
    ("placeholder-in-command", &["placeholder-in-command"]),
    ("plugin-without-marketplace", &["missing-plugin"]),
    ("prompt-asks-for-work", &["prompt-asks-for-work"]),
    ("prompt-wrong-reply", &["prompt-asks-for-other-reply"]),
    ("relative-script", &["relative-script"]),
    ("rule-ends-early", &["rule-ends-early"]),
    ("rule-in-matcher", &["rule-in-matcher", "invalid-matcher"]),
    ("rule-on-redirection", &["rule-matches-nothing"]),
    ("rule-spans-commands", &["rule-spans-commands"]),
    ("rule-too-exact", &["rule-without-arguments"]),
    ("secret-in-file", &["secret-in-file"]),
    ("session-end-budget", &["slow-session-end"]),
    ("session-end-timeout", &["timeout-without-effect"]),
    ("slash-command", &["slash-command"]),
    ("stdout-not-read", &["text-not-shown"]),
    ("stop-is-not-session-end", &["stop-ends-a-turn"]),
    ("stray-word", &["misplaced-true"]),
    ("swallowed-failure", &["swallowed-failure"]),
    ("timeout-in-ms", &["timeout-in-milliseconds"]),
    ("tool-in-other-case", &["rule-for-tool-in-other-case"]),
    ("unexpanded-path", &["unexpanded-path"]),
    ("unknown-event", &["unknown-event"]),
    ("unknown-key", &["unknown-field"]),
    ("unknown-mode", &["unknown-mode"]),
    ("unknown-setting", &["unknown-setting", "unknown-field", "setting-without-effect"]),
    ("unknown-tool-in-rule", &["unknown-tool"]),
    ("unknown-type", &["unknown-type"]),
    ("unpinned-package", &["unpinned-package"]),
    ("unquoted-variable", &["unquoted-variable"]),
    ("unreachable-branch", &["fallback-never-runs"]),
    ("unset-variable", &["unset-variable"]),
    ("worktree-without-path", &["no-worktree-path", "replaces-worktree"]),
    ("wrong-shape", &["wrong-type", "missing-field", "missing-type"]),
    ("xargs-without-0", &["xargs-splits-names"]),
];

/// Kinds of faults of a file as a whole: it is another agent's, no program reads it, or it lacks the key around its
/// events.
const OF_WHOLE_FILE: [&str; 3] = ["foreign-dialect", "file-not-read", "missing-wrapper"];

/// A fault at one line, as labelled by a person.
struct Label {
    kind: String,
    is_error: bool,
    line: u64,
}

/// A line in the output of `check`.
struct Finding {
    code: String,
    is_error: bool,
    line: u64,
}

/// A labelled file and the findings of `check`.
struct Labelled {
    name: String,
    labels: Vec<Label>,
    findings: Vec<Finding>,
}

impl Label {
    /// Returns true if a finding names this fault.
    fn is_named_by(&self, finding: &Finding) -> bool {
        let row = KINDS.iter().find(|(kind, _)| *kind == self.kind);
        let (_, codes) = row.unwrap_or_else(|| panic!("`{}` is in no row", self.kind));
        codes.contains(&finding.code.as_str())
            && (self.line == finding.line || OF_WHOLE_FILE.contains(&self.kind.as_str()))
    }

    /// Returns true if the fault is found; if it is an error, it must be found as one.
    fn is_found(&self, findings: &[Finding]) -> bool {
        findings.iter().any(|finding| self.is_named_by(finding) && (!self.is_error || finding.is_error))
    }
}

/// A share as a pair of counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Share {
    part: usize,
    whole: usize,
}

impl Share {
    fn of(cases: impl Iterator<Item = bool>) -> Self {
        cases.fold(Share::default(), |share, holds| Share {
            part: share.part + usize::from(holds),
            whole: share.whole + 1,
        })
    }

    fn is_at_least(self, percent: usize) -> bool {
        self.part * 100 >= self.whole * percent
    }
}

impl std::fmt::Display for Share {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Share { part, whole } = *self;
        // Tenths of a percent, rounded down.
        let tenths = (part * 1000).checked_div(whole).unwrap_or(1000);
        write!(f, "{part} of {whole} | {}.{} %", tenths / 10, tenths % 10)
    }
}

/// The figures for a set of files.
struct Figures {
    kinds: Share,
    errors: Share,
    places: Share,
    precision: Share,
    quiet: Share,
    by_kind: BTreeMap<String, Share>,
    /// The labels that were missed, and the findings without a label.
    faults: Vec<String>,
}

fn figures(files: &[Labelled]) -> Figures {
    let mut faults = Vec::new();
    let mut by_kind: BTreeMap<String, Share> = BTreeMap::new();
    let mut kinds = Vec::new();
    for file in files {
        let mut found: BTreeMap<&str, bool> = BTreeMap::new();
        for label in &file.labels {
            let is_found = label.is_found(&file.findings);
            *found.entry(&label.kind).or_default() |= is_found;
            let share = by_kind.entry(label.kind.clone()).or_default();
            (share.part, share.whole) = (share.part + usize::from(is_found), share.whole + 1);
            if !is_found {
                faults.push(format!("{}:{} missed {}", file.name, label.line, label.kind));
            }
        }
        kinds.extend(found.into_values());
        for finding in &file.findings {
            if !file.labels.iter().any(|label| label.is_named_by(finding)) {
                faults.push(format!("{}:{} unlabelled {}", file.name, finding.line, finding.code));
            }
        }
    }
    let labels = || files.iter().flat_map(|file| file.labels.iter().map(move |label| (file, label)));
    let findings = files.iter().flat_map(|file| file.findings.iter().map(move |finding| (file, finding)));
    let clean = files.iter().filter(|file| file.labels.is_empty());
    Figures {
        kinds: Share::of(kinds.into_iter()),
        errors: Share::of(
            labels().filter(|(_, label)| label.is_error).map(|(file, label)| label.is_found(&file.findings)),
        ),
        places: Share::of(labels().map(|(file, label)| label.is_found(&file.findings))),
        precision: Share::of(
            findings.map(|(file, finding)| file.labels.iter().any(|label| label.is_named_by(finding))),
        ),
        quiet: Share::of(clean.map(|file| file.findings.is_empty())),
        by_kind,
        faults,
    }
}

impl Figures {
    /// Returns the tables of the page.
    fn tables(&self) -> String {
        let mut text = String::from("| figure | counted | share |\n|---|---|---|\n");
        for (name, share) in [
            ("kinds of faults that are found, per file", self.kinds),
            ("errors that are found as errors", self.errors),
            ("places that are found", self.places),
            ("findings that are labelled faults", self.precision),
            ("clean files without a finding", self.quiet),
        ] {
            writeln!(text, "| {name} | {share} |").expect("a text can be written to");
        }
        text.push_str("\n| kind | places found | share |\n|---|---|---|\n");
        for (kind, share) in &self.by_kind {
            writeln!(text, "| {kind} | {share} |").expect("a text can be written to");
        }
        text
    }

    /// Asserts that the page contains these tables.
    fn are_published(&self) {
        let (tables, faults) = (self.tables(), self.faults.join("\n"));
        let page = fs::read_to_string(workspace().join(PAGE)).expect("the page is there");
        assert!(page.contains(&tables), "{PAGE} has other figures than these:\n{tables}\n{faults}");
    }

    /// Asserts that the targets are met, and that the page contains these tables.
    fn meet_targets(&self) {
        self.are_published();
        let (tables, faults) = (self.tables(), self.faults.join("\n"));
        assert!(self.kinds.is_at_least(90), "{tables}\n{faults}");
        assert!(self.errors.is_at_least(97), "{tables}\n{faults}");
        assert!(self.precision.is_at_least(97), "{tables}\n{faults}");
        assert!(self.quiet.is_at_least(100), "{tables}\n{faults}");
    }
}

/// Checks one file without its scripts and programs, which are not part of it, and without what only follows from
/// another finding.
fn checked(env: &TestEnv, file: &Path) -> Vec<Finding> {
    let mut arguments = vec!["check".to_owned(), "--json".to_owned()];
    for code in ["missing-script", "missing-program", "withheld-broken-guard"] {
        arguments.extend(["--severity".to_owned(), format!("{code}=off")]);
    }
    arguments.push(file.display().to_string());
    let ended = env.becket(arguments).run();
    let output: Value =
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let findings = output["findings"].as_array().unwrap_or_else(|| panic!("{ended:?}"));
    let finding = |value: &Value| Finding {
        code: value["code"].as_str().unwrap_or_default().to_owned(),
        is_error: value["severity"] == "error",
        line: value["at"]["line"].as_u64().unwrap_or_default(),
    };
    findings.iter().map(finding).collect()
}

/// Writes a file into a separate repository: into a plugin, if it is the hooks file of one.
fn placed(env: &TestEnv, repository: &str, path: &str, text: &str) -> std::path::PathBuf {
    if let Some(plugin) = path.strip_suffix("hooks/hooks.json").filter(|plugin| {
        ![".github", ".claude", ".cursor"].iter().any(|of_agent| plugin.starts_with(of_agent))
    }) {
        let manifest = format!("{repository}/{plugin}.claude-plugin/plugin.json");
        env.write(&manifest, r#"{"name": "labelled"}"#);
    }
    env.write(&format!("{repository}/{path}"), text)
}

fn label(fault: &Value, line: &Value) -> Label {
    Label {
        kind: fault["kind"].as_str().expect("a kind").to_owned(),
        is_error: fault["severity"] == "error",
        line: line.as_u64().expect("a line"),
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().expect("a list").iter()
}

#[test]
fn the_figures_on_labelled_configurations_are_those_that_are_published() {
    let env = env();
    let cases: Value = serde_json::from_str(WRITTEN).expect("JSON");
    let labelled = list(&cases).enumerate().map(|(number, case)| {
        let text: Vec<&str> = list(&case["text"]).map(|line| line.as_str().expect("a line")).collect();
        let path = case["path"].as_str().expect("a path");
        let file = placed(&env, &format!("repositories/{number}"), path, &text.join("\n"));
        Labelled {
            name: case["after"].as_str().expect("a name").to_owned(),
            labels: list(&case["faults"]).map(|fault| label(fault, &fault["line"])).collect(),
            findings: checked(&env, &file),
        }
    });
    figures(&labelled.collect::<Vec<_>>()).meet_targets();
}

#[test]
fn every_public_configuration_with_a_kind_of_fault_has_one_that_is_written_after_it() {
    let kinds = |text: &str| -> BTreeSet<String> {
        let cases: Value = serde_json::from_str(text).expect("JSON");
        let faults = list(&cases).flat_map(|case| list(&case["faults"]).cloned().collect::<Vec<_>>());
        faults.map(|fault| fault["kind"].as_str().expect("a kind").to_owned()).collect()
    };
    let files = |text: &str| serde_json::from_str::<Vec<Value>>(text).expect("JSON").len();
    let public: BTreeSet<String> =
        [PUBLIC, PUBLIC_2, PUBLIC_3, PUBLIC_4, PUBLIC_5, PUBLIC_6, PUBLIC_7, PUBLIC_8, PUBLIC_9, PUBLIC_10]
            .into_iter()
            .flat_map(kinds)
            .collect();
    assert_eq!(kinds(WRITTEN), public);
    assert!(files(WRITTEN) > files(PUBLIC));
}

#[test]
#[ignore = "needs the public files in target/public-configs, which are not part of this repository"]
fn the_figures_on_the_public_files_are_those_that_are_published() {
    for labels in [PUBLIC, PUBLIC_2, PUBLIC_3, PUBLIC_4, PUBLIC_5, PUBLIC_6] {
        public_figures(labels).meet_targets();
    }
    // Not all causes of the mistakes in the latest sets are corrected.
    for labels in [PUBLIC_7, PUBLIC_8, PUBLIC_9, PUBLIC_10] {
        public_figures(labels).are_published();
    }
}

/// Returns the figures for the public files of a set.
fn public_figures(labels: &str) -> Figures {
    let env = env();
    let cases: Value = serde_json::from_str(labels).expect("JSON");
    let labelled = list(&cases).enumerate().map(|(number, case)| {
        let (repository, path) =
            (case["repository"].as_str().expect("one"), case["path"].as_str().expect("one"));
        let file = workspace().join("target/public-configs").join(repository).join(path);
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let digest =
            Sha256::digest(&text).iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        assert_eq!(case["sha256"], digest, "{repository}/{path} is another version");
        let file = placed(&env, &format!("repositories/{number}"), path, &text);
        let labels = list(&case["faults"]);
        Labelled {
            name: format!("{repository}/{path}"),
            labels: labels.flat_map(|fault| list(&fault["lines"]).map(|line| label(fault, line))).collect(),
            findings: checked(&env, &file),
        }
    });
    figures(&labelled.collect::<Vec<_>>())
}
