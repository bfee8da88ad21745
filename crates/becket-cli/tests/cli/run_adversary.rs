//! A hostile model, a hostile repository and hostile hooks in whole runs: denied actions do not happen.
//!
//! The cases are data, `run_adversary/*.json`. Each consists of one or more runs, one after the other, in one place,
//! for which `[ROOT]` stands. It lists files that exist afterwards (`present`), that do not (`absent`), and that are
//! unchanged (`untouched`), texts that the transcripts never contain (`untold`), and texts on stderr (`stderr`).

use crate::env;
use becket_testkit::env::TestEnv;
use serde_json::{Map, Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

fn texts(case: &Value, key: &str) -> Vec<String> {
    let list = case[key].as_array().into_iter().flatten();
    list.map(|text| text.as_str().unwrap_or_else(|| panic!("`{key}` is a list of texts")).to_owned())
        .collect()
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// Creates the state before the first run.
fn place(case: &Value) -> TestEnv {
    let env = env();
    if case["trusted"] == false {
        env.write("home/.claude.json", "{}");
    }
    for (file, text) in object(&case["files"]) {
        let text = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
        env.write(&file, text.replace("[ROOT]", &env.root().to_string_lossy()));
    }
    for (link, to) in object(&case["links"]) {
        let to = to.as_str().expect("a text").replace("[ROOT]", &env.root().to_string_lossy());
        symlink(to, env.root().join(link)).expect("a link can be made");
    }
    env
}

/// Performs one run and returns its stderr.
fn run(env: &TestEnv, name: &str, step: &Value) -> String {
    let here = |text: &str| text.replace("[ROOT]", &env.root().to_string_lossy());
    if let Some(settings) = step.get("settings") {
        env.write("project/.claude/settings.json", here(&settings.to_string()));
    }
    for (file, text) in object(&step["rewrite"]) {
        edit(env, &file, &object(&text));
    }
    let pick = if step["fitting"] == true { "fitting" } else { "next" };
    env.write("script.json", here(&json!({"pick": pick, "turns": step["turns"]}).to_string()));
    let script = format!("script:{}", env.root().join("script.json").display());
    let mut arguments = vec!["run".to_owned(), "--model".to_owned(), script];
    arguments.extend(texts(step, "args").iter().map(|argument| here(argument)));
    if step["args"].as_array().is_none_or(|args| args.iter().all(|argument| argument != "--resume-waiting")) {
        arguments.extend(["-p".to_owned(), "work".to_owned()]);
    }
    arguments.retain(|argument| argument != "--resume-waiting");
    let mut started = env.becket(arguments);
    for (name, value) in object(&step["env"]) {
        started = started.env(&name, &here(value.as_str().expect("a text")));
    }
    if let Some(text) = step["stdin"].as_str() {
        started = started.stdin(here(text));
    }
    let ended = started.run();
    let code = step["code"].as_i64().unwrap_or(0);
    assert_eq!(ended.code.map(i64::from), Some(code), "{name}: {ended:?}");
    for said in texts(step, "stderr") {
        assert!(ended.stderr.contains(&said), "{name}: `{said}` is not told: {}", ended.stderr);
    }
    ended.stderr
}

/// Replaces texts in each file of that name.
fn edit(env: &TestEnv, name: &str, texts: &Map<String, Value>) {
    let mut found = 0;
    each_file(env.root(), &mut |file| {
        if file.to_string_lossy().ends_with(name) {
            let mut text = fs::read_to_string(file).expect("text");
            for (from, to) in texts {
                assert!(text.contains(from.as_str()), "`{from}` is not in {}", file.display());
                text = text.replace(from.as_str(), to.as_str().expect("a text"));
            }
            fs::write(file, text).expect("it can be written");
            found += 1;
        }
    });
    assert!(found > 0, "there is no `{name}`");
}

fn each_file(directory: &Path, with: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => each_file(&entry.path(), with),
            Ok(kind) if kind.is_file() => with(&entry.path()),
            Ok(_) | Err(_) => {}
        }
    }
}

fn check(case: &Value) {
    let name = case["name"].as_str().expect("a case has a name");
    let env = place(case);
    let kept: Vec<String> = texts(case, "untouched");
    let before: Vec<Option<String>> =
        kept.iter().map(|file| fs::read_to_string(env.root().join(file)).ok()).collect();
    match case["runs"].as_array() {
        Some(runs) => runs.iter().for_each(|step| drop(run(&env, name, step))),
        None => drop(run(&env, name, case)),
    }
    for (file, before) in kept.iter().zip(before) {
        assert_eq!(fs::read_to_string(env.root().join(file)).ok(), before, "{name}: {file} was touched");
    }
    for file in texts(case, "present") {
        assert!(env.root().join(&file).exists(), "{name}: {file} is not there");
    }
    for file in texts(case, "absent") {
        assert!(env.root().join(&file).symlink_metadata().is_err(), "{name}: {file} is there");
    }
    for secret in texts(case, "untold") {
        each_file(&env.root().join("home/.becket"), &mut |file| {
            let text = fs::read_to_string(file).unwrap_or_default();
            assert!(!text.contains(&secret), "{name}: the model was told `{secret}`");
        });
    }
    for (file, texts) in object(&case["holds"]) {
        let text = fs::read_to_string(env.root().join(&file)).unwrap_or_default();
        assert_eq!(json!(text.split_whitespace().collect::<Vec<_>>().join(" ")), texts, "{name}: {file}");
    }
}

fn cases(file: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/run_adversary").join(file);
    let text = fs::read_to_string(file).expect("the cases can be read");
    let cases: Vec<Value> = serde_json::from_str(&text).expect("cases are JSON");
    assert!(cases.iter().all(|case| !texts(case, "rules").is_empty()), "each case names its rules");
    assert!(cases.len() > 8, "the cases are there");
    cases.iter().for_each(check);
}

// rules: G3, C7b, C10, P14
#[test]
fn a_repository_that_nobody_trusts_grants_nothing() {
    cases("repository.json");
}

// rules: P14, P7, P8, P11, D3
#[test]
fn a_hostile_model_changes_nothing_that_is_protected_and_reads_nothing_that_is_denied() {
    cases("model.json");
}

// rules: C10, D3, P1, P14
#[test]
fn an_agent_or_a_skill_is_no_way_around() {
    cases("agents.json");
}

// rules: D6, D10, P13, P14
#[test]
fn time_is_no_way_around() {
    cases("time.json");
}
