//! `becket lsp`: driven message by message, and by a real editor.

use crate::env;
use becket_testkit::env::TestEnv;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// An editor that speaks the protocol.
struct Editor {
    server: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    last_id: u64,
}

impl Editor {
    fn start(env: &TestEnv) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_becket"))
            .args(["lsp", "--stdio"])
            .current_dir(env.project())
            .env("HOME", env.root().join("home"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("becket is there");
        let (input, output) = (server.stdin.take(), server.stdout.take().expect("it is piped"));
        let mut editor = Editor { server, input, output: BufReader::new(output), last_id: 0 };
        let started =
            editor.asks("initialize", json!({"processId": null, "rootUri": null, "capabilities": {}}));
        assert_eq!(started["serverInfo"]["name"], "becket", "{started}");
        editor.tells("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("it is open");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("the server reads");
    }

    fn tells(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its result.
    fn asks(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let answer = self.next(|message| message["id"] == id);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    fn next(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.message();
            if is_wanted(&message) {
                return message;
            }
        }
    }

    fn message(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("the server writes"), 0, "the server is gone");
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().expect("a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).expect("the server writes");
        serde_json::from_slice(&text).expect("it is JSON")
    }

    /// Opens or changes a document and returns its diagnostics.
    fn shows(&mut self, path: &Path, text: &str, version: i32) -> Value {
        let uri = uri(path);
        if version == 1 {
            let document = json!({"uri": uri, "languageId": "json", "version": 1, "text": text});
            self.tells("textDocument/didOpen", json!({"textDocument": document}));
        } else {
            let document = json!({"uri": uri, "version": version});
            self.tells(
                "textDocument/didChange",
                json!({"textDocument": document, "contentChanges": [{"text": text}]}),
            );
        }
        let is_wanted = |message: &Value| {
            message["method"] == "textDocument/publishDiagnostics" && message["params"]["version"] == version
        };
        self.next(is_wanted)["params"]["diagnostics"].clone()
    }

    /// Sends a request about the position of the mark `¦` in a text, which is opened without it first.
    fn asks_at(&mut self, method: &str, path: &Path, marked: &str, version: i32) -> Value {
        let before = &marked[..marked.find('¦').expect("a mark")];
        self.shows(path, &marked.replace('¦', ""), version);
        let line = before.matches('\n').count();
        let character = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
        let position = json!({"line": line, "character": character});
        self.asks(method, json!({"textDocument": {"uri": uri(path)}, "position": position}))
    }

    fn ends(mut self) {
        self.asks("shutdown", Value::Null);
        self.tells("exit", Value::Null);
        drop(self.input.take());
        assert!(self.server.wait().expect("it ends").success());
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

fn codes(diagnostics: &Value) -> Vec<&str> {
    diagnostics.as_array().expect("a list").iter().filter_map(|found| found["code"].as_str()).collect()
}

fn labels(items: &Value) -> Vec<&str> {
    items.as_array().expect("a list").iter().filter_map(|item| item["label"].as_str()).collect()
}

#[test]
fn the_text_of_the_editor_is_checked_and_not_that_on_disk() {
    let env = env();
    env.write("project/.claude/settings.json", "{}");
    let path = env.project().join(".claude/settings.json");
    let mut editor = Editor::start(&env);
    let text = "{\"hooks\": {\n  \"ü\": 1, \"PreTolUse\": []}}";
    let found = editor.shows(&path, text, 1);
    assert_eq!(codes(&found), ["unknown-event", "unknown-event"], "{found}");
    assert_eq!(found[1]["range"]["start"], json!({"line": 1, "character": 10}), "{found}");
    assert!(found[1]["message"].as_str().is_some_and(|text| text.contains("PreToolUse")), "{found}");
    assert!(
        found[1]["codeDescription"]["href"].as_str().is_some_and(|page| page.ends_with("#unknown-event"))
    );
    assert_eq!(editor.shows(&path, "{\"hooks\": {}}", 2), json!([]), "mended");
    assert_eq!(codes(&editor.shows(&path, "{\"hooks\": {", 3)), ["not-json"], "unfinished");
    // A file that is not saved yet, and a skill.
    let new = env.project().join("new/settings.json");
    assert_eq!(codes(&editor.shows(&new, "{\"hooks\": {\"Stopp\": []}}", 1)), ["unknown-event"]);
    let skill = env.write("project/.claude/skills/s/SKILL.md", "");
    let text = "---\nname: s\nhooks:\n  Stopp: []\n---\n";
    assert_eq!(codes(&editor.shows(&skill, text, 1)), ["unknown-event"]);
    editor.ends();
}

#[test]
fn a_fix_of_check_is_a_quick_fix() {
    let env = env();
    env.write("project/.claude/settings.json", "{}");
    let path = env.project().join(".claude/settings.json");
    let mut editor = Editor::start(&env);
    let text = "{\"hooks\": {\"PreTolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}";
    let found = editor.shows(&path, text, 1);
    let range = found[0]["range"].clone();
    let context = json!({"diagnostics": []});
    let actions = editor.asks(
        "textDocument/codeAction",
        json!({"textDocument": {"uri": uri(&path)}, "range": range, "context": context}),
    );
    let edit = &actions[0]["edit"]["changes"][uri(&path)][0];
    let (start, end) = (&edit["range"]["start"]["character"], &edit["range"]["end"]["character"]);
    let (start, end) = (start.as_u64().unwrap() as usize, end.as_u64().unwrap() as usize);
    let fixed = format!("{}{}{}", &text[..start], edit["newText"].as_str().unwrap(), &text[end..]);
    assert_eq!(fixed, text.replace("PreTolUse", "PreToolUse"), "{actions}");
    assert_eq!(actions[0]["isPreferred"], false, "it changes what runs: {actions}");
    editor.ends();
}

#[test]
fn events_keys_values_and_tools_are_completed_in_unfinished_text() {
    let env = env();
    let path = env.project().join(".claude/settings.json");
    let mut editor = Editor::start(&env);
    let mut version = 0;
    let mut complete = |text: &str| {
        version += 1;
        editor.asks_at("textDocument/completion", &path, text, version)
    };
    let events = complete(r#"{"hooks": {"Stop": [], "Pre¦"#);
    assert!(labels(&events).contains(&"PreToolUse") && !labels(&events).contains(&"Stop"), "{events}");
    let edit =
        &events.as_array().unwrap().iter().find(|item| item["label"] == "PreToolUse").unwrap()["textEdit"];
    assert_eq!(edit["newText"], "\"PreToolUse\": ");
    assert_eq!(edit["range"]["start"]["character"], 23, "the quote is replaced: {edit}");
    let keys = complete(r#"{"hooks": {"Stop": [{"hooks": [{"type": "http", "¦"}]}]}}"#);
    let keys = labels(&keys);
    assert!(keys.contains(&"url") && keys.contains(&"timeout"), "{keys:?}");
    assert!(
        !keys.contains(&"command") && !keys.contains(&"type"),
        "of this kind, and not written yet: {keys:?}"
    );
    let kinds = complete(r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "¦"#);
    assert_eq!(labels(&kinds), ["command", "http", "mcp_tool", "prompt", "agent"]);
    let tools = complete(r#"{"hooks": {"PreToolUse": [{"matcher": "¦"}]}}"#);
    assert!(labels(&tools).contains(&"Bash"), "{tools}");
    let starts = complete(r#"{"hooks": {"SessionStart": [{"matcher": ¦}]}}"#);
    assert!(labels(&starts).contains(&"resume"), "{starts}");
    let rules = complete(r#"{"permissions": {"deny": ["¦"]}}"#);
    assert!(labels(&rules).contains(&"Bash()"), "{rules}");
    let modes = complete(r#"{"permissions": {"defaultMode": ¦}}"#);
    assert!(labels(&modes).contains(&"acceptEdits"), "{modes}");
    let truths = complete(r#"{"disableAllHooks": ¦}"#);
    assert_eq!(labels(&truths), ["true", "false"]);
    editor.ends();
}

#[test]
fn hover_shows_the_row_of_an_event_and_the_description_of_a_key() {
    let env = env();
    let path = env.project().join(".claude/settings.json");
    let mut editor = Editor::start(&env);
    let mut hover = |text: &str, version| {
        let found = editor.asks_at("textDocument/hover", &path, text, version);
        found["contents"]["value"].as_str().unwrap_or_default().to_owned()
    };
    let event = hover(r#"{"hooks": {"PreTool¦Use": []}}"#, 1);
    assert!(event.contains("tested against `tool_name`") && event.contains("permissionDecision"), "{event}");
    let key = hover(r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "time¦out": 5}]}]}}"#, 2);
    assert!(key.contains("seconds"), "{key}");
    let nothing = hover(r#"{"theme¦": 5}"#, 3);
    assert_eq!(nothing, "");
    editor.ends();
}

#[test]
fn an_editor_that_goes_without_a_word_ends_the_server() {
    let env = env();
    let mut editor = Editor::start(&env);
    drop(editor.input.take());
    assert!(editor.server.wait().expect("it ends").code().is_some());
}

/// A script for Neovim that starts the server on the file, prints its diagnostics, and exits.
const NEOVIM: &str = r#"
local path = vim.fn.getcwd() .. '/.claude/settings.json'
vim.cmd('edit ' .. path)
local client = vim.lsp.start_client({ name = 'becket', cmd = { vim.env.BECKET, 'lsp' }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, client)
assert(vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end), 'no diagnostic')
for _, found in ipairs(vim.diagnostic.get(0)) do
  print('finding', found.lnum, found.col, found.code or found.user_data.lsp.code)
end
local at = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 1, character = 4 } }
local hover = vim.lsp.buf_request_sync(0, 'textDocument/hover', at, 60000)
print('hover', hover[client].result.contents.value:match('[^\n]*'))
at.position = { line = 0, character = 11 }
local items = vim.lsp.buf_request_sync(0, 'textDocument/completion', at, 60000)[client].result
for _, item in ipairs(items) do
  if item.label == 'SessionStart' then print('completion', item.textEdit.newText) end
end
vim.cmd('qall!')
"#;

#[test]
fn neovim_shows_findings_hover_and_completion() {
    let env = env();
    env.write("project/.claude/settings.json", "{\"hooks\": {\n  \"Stop\": [{\"hoks\": []}]\n}}\n");
    let script = env.write("neovim.lua", NEOVIM);
    let ended = Command::new("nvim")
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-c"])
        .arg(format!("luafile {}", script.display()))
        .current_dir(env.project())
        .env("BECKET", env!("CARGO_BIN_EXE_becket"))
        .env("HOME", env.root().join("home"))
        .output()
        .expect("nvim is needed: `cargo xtask test` installs it");
    let shown = String::from_utf8_lossy(&ended.stderr).replace('\r', "");
    assert!(shown.contains("finding 1 11 missing-hooks"), "{shown}");
    assert!(shown.contains("hover **Stop**"), "{shown}");
    assert!(shown.contains("completion \"SessionStart\": "), "{shown}");
}
