//! Dependencies between crates: the table of `docs/architecture.md`, enforced.

use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The workspace crates that each crate may depend on. A crate that is missing here fails the test.
const ALLOWED: [(&str, &[&str]); 23] = [
    ("becket-base", &[]),
    ("becket-model", &["becket-base"]),
    ("becket-dialects", &["becket-model"]),
    ("becket-rules", &["becket-base", "becket-model"]),
    ("becket-process", &[]),
    ("becket-exec", &["becket-base", "becket-model", "becket-rules", "becket-process"]),
    ("becket-llm", &["becket-base"]),
    ("becket-engine", &["becket-base", "becket-model", "becket-rules", "becket-process", "becket-llm"]),
    ("becket-audit", &["becket-base", "becket-model", "becket-engine"]),
    (
        "becket-fire",
        &[
            "becket-base",
            "becket-model",
            "becket-dialects",
            "becket-rules",
            "becket-process",
            "becket-engine",
            "becket-audit",
        ],
    ),
    ("becket-mcp", &["becket-base", "becket-model", "becket-process"]),
    (
        "becket-tools",
        &[
            "becket-base",
            "becket-model",
            "becket-rules",
            "becket-process",
            "becket-exec",
            "becket-llm",
            "becket-engine",
            "becket-mcp",
        ],
    ),
    (
        "becket-agent",
        &[
            "becket-base",
            "becket-model",
            "becket-rules",
            "becket-process",
            "becket-exec",
            "becket-llm",
            "becket-engine",
            "becket-mcp",
            "becket-tools",
        ],
    ),
    (
        "becket-embed",
        &[
            "becket-base",
            "becket-model",
            "becket-rules",
            "becket-llm",
            "becket-engine",
            "becket-fire",
            "becket-mcp",
            "becket-tools",
        ],
    ),
    (
        "becket-lab",
        &[
            "becket-base",
            "becket-model",
            "becket-dialects",
            "becket-rules",
            "becket-process",
            "becket-exec",
            "becket-llm",
            "becket-engine",
            "becket-fire",
        ],
    ),
    (
        "becket-cli",
        &[
            "becket-base",
            "becket-model",
            "becket-dialects",
            "becket-rules",
            "becket-process",
            "becket-exec",
            "becket-llm",
            "becket-engine",
            "becket-audit",
            "becket-fire",
            "becket-mcp",
            "becket-tools",
            "becket-agent",
            "becket-embed",
            "becket-install",
            "becket-lab",
            "becket-proof",
        ],
    ),
    ("becket-node", &["becket-model", "becket-engine", "becket-embed"]),
    ("becket-python", &["becket-base", "becket-model", "becket-engine", "becket-embed"]),
    ("becket-install", &["becket-base", "becket-model", "becket-dialects"]),
    ("becket-proof", &[]),
    ("becket-testkit", &[]),
    ("becket-bench", &[]),
    (
        "xtask",
        &["becket-model", "becket-dialects", "becket-install", "becket-proof", "becket-rules", "becket-cli"],
    ),
];

/// Crates that the pure crates must not depend on, even indirectly.
const IMPURE: [&str; 4] = ["tokio", "mio", "rustix", "libc"];

/// Crates that the engine links only for its features.
const REMOTE: [&str; 5] = ["becket_llm", "genai", "hyper", "reqwest", "rustls"];

fn metadata() -> cargo_metadata::Metadata {
    let mut command = MetadataCommand::new();
    command
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        // Only the crates for this platform were fetched.
        .other_options(vec!["--offline".into(), "--filter-platform".into(), host()]);
    command.exec().unwrap()
}

fn host() -> String {
    let version = Command::new("rustc").arg("-vV").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned()
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

/// Returns the names of all crates that a crate links, with the features that it enables itself.
fn linked(arguments: &[&str]) -> BTreeSet<String> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["tree", "--offline", "--edges", "normal", "--prefix", "none", "--format", "{lib}"]);
    command.args(arguments).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn an_engine_for_command_hooks_links_no_tls_http_or_models() {
    let engine = ["--package", "becket-engine", "--no-default-features"];
    let reached: Vec<_> = REMOTE.into_iter().filter(|name| linked(&engine).contains(*name)).collect();
    assert!(reached.is_empty(), "becket-engine without features reaches {reached:?}");
    let small = linked(&["--package", "becket-fire"]);
    let reached: Vec<_> = REMOTE.into_iter().chain(["clap"]).filter(|name| small.contains(*name)).collect();
    assert!(reached.is_empty(), "becket-fire reaches {reached:?}");
    let all = linked(&engine[..2]);
    assert!(REMOTE.into_iter().all(|name| all.contains(name)), "{all:?}");
}

#[test]
fn the_pure_crates_reach_no_runtime_and_no_system_calls() {
    for pure in ["becket-model", "becket-dialects", "becket-rules"] {
        let linked = linked(&["--package", pure]);
        assert!(linked.contains("serde_json"), "{pure}: {linked:?}");
        let reached: Vec<_> = IMPURE.into_iter().filter(|name| linked.contains(*name)).collect();
        assert!(reached.is_empty(), "{pure} reaches {reached:?}");
    }
}
