//! Dependencies between the top-level modules of a crate: no circles, and in some crates a fixed order.

use crate::uses::child_uses;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The folders of a crate in their order: each may use those before it.
const ORDER: [(&str, &[&str]); 3] = [
    (
        "becket-engine",
        &["host", "config", "plan", "permission", "report", "background", "handlers", "dispatch", "engine"],
    ),
    (
        "becket-tools",
        &[
            "places",
            "denied",
            "programs",
            "protected",
            "surroundings",
            "blocking",
            "capture",
            "opened_file",
            "schema",
            "reach",
            "auto_approve",
            "files",
            "tasks",
            "shell",
            "web_fetch",
            "mcp",
            "discovery",
            "hook_tools",
            "hook_confinement",
            "hook_standbys",
        ],
    ),
    (
        "becket-agent",
        &[
            "error_class",
            "update",
            "hook_messages",
            "facts",
            "locked_file",
            "checkpoints",
            "definitions",
            "output_style",
            "notes",
            "instructions",
            "conversation",
            "transcript",
            "compact",
            "permission",
            "tool_call",
            "ask_user",
            "structured_output",
            "team",
            "turn",
            "worktree",
            "agents",
            "session",
            "skills",
            "elicit",
            "watch",
            "agent",
            "end_tasks",
            "assemble",
        ],
    ),
];

/// Modules within crates whose children must not use each other in a circle, either.
const NESTED: [(&str, &str); 1] = [("becket-cli", "commands/run")];

/// The modules that each child of a module uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

fn crates() -> Vec<(String, PathBuf)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut all: Vec<_> = fs::read_dir(crates)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path().join("src")))
        .collect();
    all.sort();
    all
}

/// Returns the graph of the children of a module, by its path below the crate's root; empty for the root itself.
fn graph(src: &Path, parent: &[String]) -> Graph {
    let mut graph = Graph::new();
    let mut folders = vec![parent.iter().fold(src.to_owned(), |path, name| path.join(name))];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|extension| extension != "rs") {
                continue;
            }
            let module = module(path.strip_prefix(src).unwrap());
            let Some(child) = module.get(parent.len()) else { continue };
            if module.iter().any(|part| part == "tests" || part == "testing") {
                continue;
            }
            let uses = child_uses(&fs::read_to_string(&path).unwrap(), &module, parent);
            graph.entry(child.clone()).or_default().extend(uses);
        }
    }
    let modules: BTreeSet<String> = graph.keys().cloned().collect();
    for (module, uses) in &mut graph {
        uses.retain(|used| used != module && modules.contains(used));
    }
    graph
}

/// Returns the path of the module that a file contains; empty for the root.
fn module(file: &Path) -> Vec<String> {
    let mut parts: Vec<String> =
        file.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod")
        || matches!(&*parts, [only] if only == "lib" || only == "main")
    {
        parts.pop();
    }
    parts
}

/// Returns the modules that reach themselves.
fn circle(graph: &Graph) -> Vec<&str> {
    let reaches_itself = |start: &&String| {
        let mut seen = BTreeSet::new();
        let mut next: Vec<&String> = graph[*start].iter().collect();
        while let Some(module) = next.pop() {
            if seen.insert(module) {
                next.extend(&graph[module]);
            }
        }
        seen.contains(*start)
    };
    graph.keys().filter(reaches_itself).map(String::as_str).collect()
}

#[test]
fn no_modules_use_each_other_in_a_circle() {
    let mut wrong = Vec::new();
    for (name, src) in crates() {
        let graph = graph(&src, &[]);
        let circle = circle(&graph);
        if !circle.is_empty() {
            wrong.push(format!("{name}: {}", circle.join(", ")));
        }
    }
    for (name, module) in NESTED {
        let (_, src) = crates().into_iter().find(|(known, _)| known == name).unwrap();
        let parent: Vec<String> = module.split('/').map(str::to_owned).collect();
        let graph = graph(&src, &parent);
        assert!(graph.len() > 1, "{name}: there is no folder `{module}`");
        let circle = circle(&graph);
        if !circle.is_empty() {
            wrong.push(format!("{name}, in {module}: {}", circle.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_folder_uses_only_those_above_it() {
    let mut wrong = Vec::new();
    for (name, order) in ORDER {
        let (_, src) = crates().into_iter().find(|(known, _)| known == name).unwrap();
        let graph = graph(&src, &[]);
        let unknown = graph.keys().filter(|module| !order.contains(&module.as_str()));
        wrong.extend(unknown.map(|module| format!("{name}: `{module}` has no place in the order")));
        for (module, uses) in &graph {
            let rank = |module: &str| order.iter().position(|known| *known == module);
            let above = uses.iter().filter(|used| rank(used) > rank(module));
            wrong.extend(above.map(|used| format!("{name}: `{module}` uses `{used}`, which comes after it")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
