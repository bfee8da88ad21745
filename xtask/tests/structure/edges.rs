//! Dependencies between crates: the table of `docs/architecture.md`, enforced.

use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};

/// The workspace crates that each crate may depend on. A crate that is missing here fails the test.
const ALLOWED: [(&str, &[&str]); 14] = [
    ("becket-base", &[]),
    ("becket-model", &[]),
    ("becket-rules", &["becket-model"]),
    ("becket-process", &[]),
    ("becket-llm", &[]),
    ("becket-engine", &["becket-base", "becket-model", "becket-rules", "becket-process", "becket-llm"]),
    ("becket-mcp", &["becket-base", "becket-model", "becket-process"]),
    (
        "becket-agent",
        &[
            "becket-base",
            "becket-model",
            "becket-rules",
            "becket-process",
            "becket-llm",
            "becket-engine",
            "becket-mcp",
        ],
    ),
    (
        "becket-embed",
        &["becket-model", "becket-rules", "becket-llm", "becket-engine", "becket-mcp", "becket-agent"],
    ),
    (
        "becket-cli",
        &[
            "becket-base",
            "becket-model",
            "becket-rules",
            "becket-process",
            "becket-llm",
            "becket-engine",
            "becket-mcp",
            "becket-agent",
            "becket-embed",
        ],
    ),
    ("becket-node", &["becket-model", "becket-engine", "becket-embed"]),
    ("becket-python", &["becket-model", "becket-engine", "becket-embed"]),
    ("becket-testkit", &[]),
    ("xtask", &["becket-model", "becket-rules", "becket-cli"]),
];

/// Crates that the pure crates must not depend on, even indirectly.
const IMPURE: [&str; 4] = ["tokio", "mio", "rustix", "libc"];

fn metadata() -> cargo_metadata::Metadata {
    let mut command = MetadataCommand::new();
    command
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        // Only what this platform builds was fetched.
        .other_options(vec!["--offline".into(), "--filter-platform".into(), host()]);
    command.exec().unwrap()
}

fn host() -> String {
    let told = std::process::Command::new("rustc").arg("-vV").output().unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    told.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
}

#[test]
fn no_crate_depends_on_one_that_the_table_does_not_allow() {
    let metadata = metadata();
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.into_iter().collect();
    let mut wrong = Vec::new();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        let Some(may) = allowed.get(name) else {
            wrong.push(format!("{name} is not in the table"));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|dependency| dependency.path.is_some()) {
            let on = dependency.name.as_str();
            let for_tests = dependency.kind == DependencyKind::Development && on == "becket-testkit";
            if !may.contains(&on) && !for_tests {
                wrong.push(format!("{name} may not depend on {on}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_pure_crates_reach_no_runtime_and_no_system_calls() {
    let metadata = metadata();
    let resolve = metadata.resolve.as_ref().unwrap();
    let names: BTreeMap<_, _> =
        metadata.packages.iter().map(|package| (&package.id, package.name.as_str())).collect();
    for pure in ["becket-model", "becket-rules"] {
        let root = metadata.packages.iter().find(|package| package.name.as_str() == pure).unwrap();
        let mut seen = BTreeSet::new();
        let mut next = vec![&root.id];
        while let Some(id) = next.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = resolve.nodes.iter().find(|node| node.id == *id).unwrap();
            let normal = node.deps.iter().filter(|dependency| {
                dependency.dep_kinds.iter().any(|kind| kind.kind == DependencyKind::Normal)
            });
            next.extend(normal.map(|dependency| &dependency.pkg));
        }
        let reached: Vec<&str> =
            seen.iter().map(|id| names[id]).filter(|name| IMPURE.contains(name)).collect();
        assert!(reached.is_empty(), "{pure} reaches {reached:?}");
    }
}
