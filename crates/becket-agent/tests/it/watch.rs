//! Files that change while a session is open, with real files and real hooks (`protocol.md` C8, D11, H12, L3, M8).

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]
#![allow(clippy::wildcard_enum_match_arm, reason = "a test picks one kind of update among many")]

use crate::support::session::{At, LONG, never, settings, within};
use crate::support::until;
use becket_agent::definitions::Homes;
use becket_agent::permission::SessionPermissions;
use becket_agent::session::{Expand, Prompt, PromptKind, TypedCommand};
use becket_agent::tool_call::{AskPermission, PermissionAnswer, PermissionPrompt};
use becket_agent::watch::FileWatch;
use becket_agent::{Agent, AgentBuilder};
use becket_engine::config::Request;
use becket_engine::{CancellationToken, Environment, Profile};
use becket_llm::Block;
use becket_model::{EventKind, Session};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A file whose change shows that all earlier changes were reported.
const SETTLED: &str = "settled";
/// The time to wait before another change: longer than a change takes to count as complete.
const AGAIN: Duration = Duration::from_secs(2);
/// The corresponding file for settings: a skill.
const SETTLED_SKILL: &str = ".claude/skills/settled/SKILL.md";

/// Returns hooks by event; FileChanged hooks see only `.env` and [`SETTLED`].
fn hooks(hooks: &Value) -> Value {
    let mut settings = settings(hooks, &json!({}));
    if let Some(groups) = settings["hooks"].get_mut("FileChanged") {
        groups[0]["matcher"] = json!(format!(".env|{SETTLED}"));
    }
    settings
}

fn builder(at: &At) -> AgentBuilder {
    let environment = Environment::empty().with_home(at.dir.join("home"));
    let mut request = Request::new(Profile::claude(), environment, &at.dir);
    request.managed = Some(at.dir.join("managed"));
    at.builder().watch_files(FileWatch::of(&request, &Homes::of(&request, &[])))
}

async fn open(at: &At) -> Agent {
    builder(at).open().await.unwrap()
}

fn write(at: &At, path: &str, text: &str) {
    let file = at.dir.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// Returns the inputs of an event's hooks, as `field field`.
fn heard(at: &At, event: &str, fields: [&str; 2]) -> Vec<String> {
    let of_event = at.noted().into_iter().filter(|input| input["hook_event_name"] == event);
    let text = |input: &Value, field: &str| {
        let text = input[field].as_str().unwrap().to_owned();
        text.strip_prefix(&format!("{}/", at.dir.display())).map_or(text.clone(), str::to_owned)
    };
    of_event.map(|input| format!("{} {}", text(&input, fields[0]), text(&input, fields[1]))).collect()
}

fn files(at: &At) -> Vec<String> {
    let mut files = heard(at, "FileChanged", ["event", "file_path"]);
    files.retain(|file| !file.ends_with(SETTLED));
    files
}

fn configs(at: &At) -> Vec<String> {
    let mut configs = heard(at, "ConfigChange", ["source", "file_path"]);
    configs.retain(|config| !config.ends_with(SETTLED_SKILL));
    configs
}

/// Waits until each earlier change was reported: those of a check are reported before those of the next one, and the
/// second check starts after the hooks of the first were started.
async fn settles(at: &At, event: &str, fields: [&str; 2], file: &str) {
    let count = || heard(at, event, fields).iter().filter(|one| one.ends_with(file)).count();
    for _ in 0..2 {
        let (before, start) = (count(), Instant::now());
        // A write before the file is watched is not a change, so it is written again.
        for n in 0.. {
            assert!(start.elapsed() < LONG, "the last change is not heard of");
            write(at, file, &format!("---\nname: settled\n---\n{before} {n}"));
            let heard = until("the last change is heard of", || count() > before);
            if tokio::time::timeout(AGAIN, heard).await.is_ok() {
                break;
            }
        }
    }
}

async fn files_settle(at: &At, directory: &str) {
    settles(at, "FileChanged", ["event", "file_path"], &format!("{directory}{SETTLED}")).await;
}

async fn configs_settle(at: &At) {
    settles(at, "ConfigChange", ["source", "file_path"], SETTLED_SKILL).await;
}

/// Returns the number of descriptors of this process that watch files.
fn listening() -> usize {
    let open = fs::read_dir("/proc/self/fd").unwrap().flatten();
    open.filter(|fd| fs::read_link(fd.path()).is_ok_and(|to| to.to_string_lossy().contains("inotify")))
        .count()
}

async fn files_are(at: &At, expected: &[&str]) {
    until(&format!("hooks are run for {expected:?}"), || files(at).len() >= expected.len()).await;
    assert_eq!(files(at), expected);
}

fn watch_paths(event: &str, paths: &[&Path]) -> String {
    let fields = json!({"hookSpecificOutput": {"hookEventName": event, "watchPaths": paths}});
    format!("cat <<'END'\n{fields}\nEND")
}

// rules: M8, D11
#[tokio::test]
async fn matchers_and_hooks_say_which_files_are_watched() {
    let root = tempfile::tempdir().unwrap();
    let other = root.path().canonicalize().unwrap().join("made/later/.env");
    let ignored = root.path().join("made/later/other");
    let start = watch_paths("SessionStart", &[&other, &ignored]);
    let at = At::new(&hooks(&json!({"SessionStart": [start], "FileChanged": ["true"]})), &json!([]));
    write(&at, "sub/.env", "not in the cwd");
    let agent = open(&at).await;
    assert_eq!(agent.info().watched.len(), 2);
    write(&at, ".env", "one");
    files_are(&at, &["add .env"]).await;
    write(&at, ".env.tmp", "another");
    fs::rename(at.dir.join(".env.tmp"), at.dir.join(".env")).unwrap();
    files_are(&at, &["add .env", "change .env"]).await;
    write(&at, "sub/.env", "changed");
    write(&at, "other", "never wanted");
    fs::remove_file(at.dir.join(".env")).unwrap();
    files_are(&at, &["add .env", "change .env", "unlink .env"]).await;
    fs::create_dir_all(other.parent().unwrap()).unwrap();
    fs::write(&other, "one").unwrap();
    fs::write(&ignored, "one").unwrap();
    let added = format!("add {}", other.display());
    files_are(&at, &["add .env", "change .env", "unlink .env", &added]).await;
    files_settle(&at, "").await;
    within(agent.close("other")).await;
    until("nobody listens any more", || listening() == 0).await;
    write(&at, ".env", "after the end");
    assert_eq!(files(&at).len(), 4);
}

// rules: M8, D11
#[tokio::test]
async fn a_hook_replaces_the_list_and_the_cwd_takes_the_names_along() {
    let root = tempfile::tempdir().unwrap();
    let other = root.path().canonicalize().unwrap().join(".env");
    let list = watch_paths("FileChanged", &[&other]);
    let once = format!("[ -e \"$HERE/once\" ] || {{ touch \"$HERE/once\"; {list}\n}}");
    let turns =
        json!([{"tool_uses": [{"id": "t", "name": "Probe", "input": {"moves": "sub"}}]}, {"text": "done"}]);
    let at = At::new(&hooks(&json!({"FileChanged": [once]})), &turns);
    let agent = open(&at).await;
    write(&at, ".env", "one");
    files_are(&at, &["add .env"]).await;
    until("the list is known", || !agent.info().watched.is_empty()).await;
    files_settle(&at, "").await;
    fs::write(&other, "one").unwrap();
    let added = format!("add {}", other.display());
    files_are(&at, &["add .env", &added]).await;
    within(agent.prompt(Prompt::text("go"), &never())).await;
    files_settle(&at, "sub/").await;
    write(&at, ".env", "no more");
    write(&at, "sub/.env", "one");
    files_are(&at, &["add .env", &added, "add sub/.env"]).await;
    files_settle(&at, "sub/").await;
    assert_eq!(files(&at).len(), 3);
    within(agent.close("other")).await;
}

// rules: H12, L3
#[tokio::test]
async fn what_such_a_hook_exports_reaches_the_shell() {
    let at =
        At::new(&hooks(&json!({"FileChanged": ["echo 'export A=1' > \"$CLAUDE_ENV_FILE\""]})), &json!([]));
    let agent = open(&at).await;
    let id = agent.facts().session().id;
    write(&at, ".env", "A=1");
    let exported = || {
        let files = at.engine.host().env_files(&id);
        files.iter().any(|file| fs::read_to_string(file).is_ok_and(|text| text == "export A=1\n"))
    };
    until("the environment file is filled", exported).await;
    within(agent.close("other")).await;
}

#[tokio::test]
async fn a_hook_that_changes_what_it_watches_comes_to_rest() {
    let feeds = "echo x >> \"$HERE/.env\"";
    let at = At::new(&hooks(&json!({"FileChanged": [feeds]})), &json!([]));
    let agent = open(&at).await;
    write(&at, ".env", "one");
    until("the guard speaks", || !at.notices().is_empty()).await;
    // It reports the change that the last hook made, and no hook that runs now makes another one.
    assert_eq!(files(&at).len(), 10, "the named number of times in a row");
    let notices = at.notices();
    assert!(notices.len() == 1 && notices[0].contains("10 times in a row"), "{notices:?}");
    // The quiet time that the guard needs: a write before it is over extends it.
    assert!(becket_testkit::wait::holds_for(Duration::from_millis(1500), || files(&at).len() == 10).await);
    write(&at, ".env", "by somebody else");
    until("it is heard of again", || files(&at).len() > 10).await;
    within(agent.close("other")).await;
}

#[tokio::test]
async fn a_storm_is_told_in_a_few_words() {
    let at = At::new(&hooks(&json!({"FileChanged": ["sleep 0.2"]})), &json!([]));
    let agent = open(&at).await;
    let start = Instant::now();
    let mut watched = fs::File::create(at.dir.join(".env")).unwrap();
    for n in 0..10_000 {
        fs::write(at.dir.join(format!("f{}", n % 1000)), "").unwrap();
        (0..10).for_each(|_| watched.write_all(b"x").unwrap());
        if n % 100 == 0 {
            tokio::task::yield_now().await;
        }
    }
    drop(watched);
    until("it is heard of", || !files(&at).is_empty()).await;
    files_settle(&at, "").await;
    let (heard, seconds) = (files(&at), start.elapsed().as_secs());
    let most = 12 + usize::try_from(seconds).unwrap() * 2;
    assert!(heard.len() <= most && heard.iter().all(|one| one.ends_with(" .env")), "{seconds} s: {heard:?}");
    within(agent.close("other")).await;
}

/// Returns settings with one Stop hook.
fn with_a_hook(command: &str) -> String {
    json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}).to_string()
}

// rule: C8
#[tokio::test]
async fn a_change_of_settings_counts_once_hooks_let_it() {
    let refuses = r#"case "$in" in *project_settings*|*policy_settings*) echo 'not now' >&2; exit 2;; esac"#;
    let at = At::new(&hooks(&json!({"ConfigChange": [refuses]})), &json!([]));
    write(&at, ".claude/settings.json", &with_a_hook("true"));
    at.engine.host().reload().unwrap();
    let stops = || at.engine.host().hooks().of(EventKind::Stop).len();
    let agent = open(&at).await;
    write(&at, ".claude/settings.json", &with_a_hook("true"));
    configs_settle(&at).await;
    assert!(configs(&at).is_empty(), "the same text is not a change");

    fs::remove_file(at.dir.join(".claude/settings.json")).unwrap();
    until("it is refused", || {
        at.notices().iter().any(|text| text.contains("keeps that from counting: not now"))
    })
    .await;
    assert_eq!((configs(&at), stops()), (vec!["project_settings .claude/settings.json".to_owned()], 1));

    write(&at, "home/.claude/settings.json", &with_a_hook("true # user"));
    until("it counts", || stops() == 2).await;
    assert_eq!(configs(&at)[1..], ["user_settings home/.claude/settings.json"]);
    assert!(at.engine.host().has_any(EventKind::Stop), "what was refused did not come in with it");

    write(&at, "managed/managed-settings.d/10.json", &with_a_hook("true # policy"));
    until("a policy's change can't be refused", || stops() == 3).await;
    assert_eq!(configs(&at)[2..], ["policy_settings managed/managed-settings.d/10.json"]);

    write(&at, "home/.claude/settings.json", "{");
    until("a broken file is told", || at.notices().iter().any(|text| text.contains("stays as it was"))).await;
    assert_eq!(stops(), 3);
    within(agent.close("other")).await;
}

// rule: C8
#[tokio::test]
async fn without_a_hook_a_change_counts_and_one_of_the_beginning_is_seen() {
    let change = format!(
        "mkdir -p \"$HERE/.claude\"; echo '{}' > \"$HERE/.claude/settings.json\"",
        with_a_hook("true")
    );
    let at = At::new(&hooks(&json!({"SessionStart": [change]})), &json!([]));
    let agent = open(&at).await;
    until("it counts", || at.engine.host().has_any(EventKind::Stop)).await;
    let told = || at.notices().iter().any(|text| text.contains("has changed, and counts from now on"));
    until("the user knows", told).await;
    within(agent.close("other")).await;
}

// rules: C8, O10
#[tokio::test]
async fn a_hook_that_fails_is_told_and_refuses_only_where_it_should() {
    for (hook, counts) in [
        (json!({"command": "kill -9 $$"}), true),
        (json!({"command": "kill -9 $$", "onFailure": "block"}), false),
    ] {
        let at = At::new(&hooks(&json!({"ConfigChange": [hook]})), &json!([]));
        let agent = open(&at).await;
        write(&at, ".claude/settings.json", &with_a_hook("true"));
        let told = |words: &str| at.notices().iter().any(|text| text.contains(words));
        let decided = if counts { "counts from now on" } else { "keeps that from counting" };
        until("the user knows what became of it", || told(decided)).await;
        assert!(!counts || told("did not check this action"), "{:?}", at.notices());
        assert_eq!(at.engine.host().has_any(EventKind::Stop), counts, "{:?}", at.notices());
        within(agent.close("other")).await;
    }
}

/// A person who allows everything, permanently.
struct ForGood;

impl AskPermission for ForGood {
    fn ask<'a>(
        &'a self,
        _: &'a PermissionPrompt,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, PermissionAnswer> {
        let update = json!({"type": "addRules", "rules": [{"toolName": "Probe"}], "behavior": "allow",
            "destination": "localSettings"});
        let update = becket_rules::PermissionUpdate::parse(&update).unwrap();
        Box::pin(std::future::ready(PermissionAnswer::Allow { updates: vec![update] }))
    }
}

// rules: C8, P13
#[tokio::test]
async fn what_the_session_writes_itself_is_no_change() {
    let turns =
        json!([{"tool_uses": [{"id": "t", "name": "Probe", "input": {"acts": true}}]}, {"text": "done"}]);
    let at = At::of(&hooks(&json!({"ConfigChange": ["true"]})), &turns, true);
    let permissions = SessionPermissions::new(at.engine.clone());
    let agent = builder(&at).person(ForGood).permissions(permissions).interactive(true).open().await.unwrap();
    within(agent.prompt(Prompt::text("go"), &never())).await;
    let written = fs::read_to_string(at.dir.join(".claude/settings.local.json")).unwrap();
    assert!(written.contains("Probe"), "{written}");
    configs_settle(&at).await;
    assert!(configs(&at).is_empty(), "{:?}", configs(&at));
    write(&at, ".claude/settings.local.json", "{}");
    until("a change of somebody else is heard of", || configs(&at).len() == 1).await;
    within(agent.close("other")).await;
}

/// Counts the reloads of commands.
struct Commands(Arc<AtomicUsize>);

impl Expand for Commands {
    fn find(&self, _: &Session, _: &str) -> PromptKind {
        PromptKind::Text
    }

    fn body<'a>(
        &'a self,
        _: &'a Session,
        _: &'a TypedCommand,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<Block>, String>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn reload(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

// rule: C8
#[tokio::test]
async fn skills_are_read_again_unless_a_hook_forbids_it() {
    let refuses = "[ ! -e \"$HERE/closed\" ] || { echo 'no more skills' >&2; exit 2; }";
    let at = At::new(&hooks(&json!({"ConfigChange": [refuses]})), &json!([]));
    let read = Arc::new(AtomicUsize::new(0));
    let agent = builder(&at).expand(Arc::new(Commands(Arc::clone(&read)))).open().await.unwrap();
    write(&at, ".claude/skills/tidy/SKILL.md", "---\nname: tidy\n---\ntidy up");
    until("they are read again", || read.load(Ordering::SeqCst) == 1).await;
    assert_eq!(configs(&at), ["skills .claude/skills/tidy/SKILL.md"]);
    write(&at, "closed", "");
    write(&at, ".claude/skills/tidy/SKILL.md", "---\nname: tidy\n---\ntidy up again");
    until("it is refused", || at.notices().iter().any(|text| text.contains("no more skills"))).await;
    assert_eq!(read.load(Ordering::SeqCst), 1);
    within(agent.close("other")).await;
}

#[tokio::test]
async fn nothing_goes_on_after_the_end() {
    let hangs = "touch \"$HERE/hangs\"; sleep 600";
    let at = At::new(&hooks(&json!({"ConfigChange": [hangs], "FileChanged": [hangs]})), &json!([]));
    let agent = open(&at).await;
    write(&at, "home/.claude/settings.json", &with_a_hook("true"));
    at.wait_for("hangs").await;
    fs::remove_file(at.dir.join("hangs")).unwrap();
    write(&at, ".env", "one");
    at.wait_for("hangs").await;
    let start = Instant::now();
    within(agent.close("other")).await;
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert!(!at.engine.host().has_any(EventKind::Stop), "what nobody judged does not count");
}
