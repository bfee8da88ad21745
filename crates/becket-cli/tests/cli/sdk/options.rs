//! The list of SDK options, compared with the installed SDKs.

use super::package::Package;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// A script that prints the names of options, of fields of an agent, and of methods, each as a JSON list.
const PYTHON: &str = r#"
import dataclasses, json, claude_agent_sdk as sdk
names = lambda kind: [field.name for field in dataclasses.fields(kind)]
print(json.dumps(names(sdk.ClaudeAgentOptions)))
print(json.dumps(names(sdk.AgentDefinition)))
print(json.dumps([name for name in dir(sdk.ClaudeSDKClient) if not name.startswith("_")]))
"#;

fn list() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/sdk/options.json");
    serde_json::from_str(&fs::read_to_string(file).expect("the list is there")).expect("it is JSON")
}

/// Returns the names in one column of a part of the list.
fn listed(part: &str, column: &str) -> BTreeSet<String> {
    let list = list();
    let rows = list[part].as_array().expect("a part is a list").iter();
    rows.filter_map(|row| row[column].as_str()).map(str::to_owned).collect()
}

#[test]
fn every_option_of_the_python_sdk_is_listed() {
    let Some(python) = Package::Python.installed() else { return };
    let told = Command::new(python).args(["-c", PYTHON]).output().expect("the interpreter starts");
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    let mut lines = text.lines().map(|line| serde_json::from_str::<BTreeSet<String>>(line).expect("names"));
    let mut names = || lines.next().unwrap_or_else(|| panic!("{told:?}"));
    assert_eq!(names(), listed("options", "python"));
    let agent = names();
    let known = listed("agents", "field");
    assert!(agent.is_subset(&known), "{:?}", agent.difference(&known));
    assert_eq!(names(), listed("methods", "python"));
}

#[test]
fn every_option_of_the_typescript_sdk_is_listed() {
    let Some(modules) = Package::Node.installed() else { return };
    let file = Path::new(&modules).join("@anthropic-ai/claude-agent-sdk/sdk.d.ts");
    let types = fs::read_to_string(file).expect("the package has types");
    assert_eq!(members(&types, "export declare type Options = {", ':'), listed("options", "typescript"));
    let agent = members(&types, "export declare type AgentDefinition = {", ':');
    assert_eq!(agent, listed("agents", "field"));
    let methods = members(&types, "export declare interface Query ", '(');
    assert_eq!(methods, listed("methods", "typescript"));
}

/// Returns the members of a declaration, which are indented by four blanks and end with a character.
fn members(types: &str, declaration: &str, end: char) -> BTreeSet<String> {
    let start = types.find(declaration).unwrap_or_else(|| panic!("no `{declaration}`"));
    let body = types[start..].lines().skip(1).take_while(|line| !line.starts_with('}'));
    let named = body.filter_map(|line| {
        let name = line.strip_prefix("    ")?.split_once(end)?.0.trim_end_matches('?');
        name.bytes().all(|byte| byte.is_ascii_alphanumeric()).then(|| name.to_owned())
    });
    named.filter(|name| !name.is_empty()).collect()
}
