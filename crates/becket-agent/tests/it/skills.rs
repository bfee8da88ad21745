//! Skills and typed commands, with real hooks and real commands. The cases are data: `tests/cases/skills.json`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use crate::support::calls::{Place, call_of, run};
use becket_agent::definitions::{Dialect, Homes};
use becket_agent::session::{Expand, PromptKind, PromptTexts};
use becket_agent::skills::SessionSkills;
use becket_agent::tool_call::{CallEnd, ToolCalls};
use becket_agent::update::{Update, UpdateKind};
use becket_engine::config::Trust;
use becket_engine::{CancellationToken, Engine, Tool, ToolSet};
use becket_llm::Block;
use becket_model::Session;
use becket_tools::{Surroundings, hook_tools};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A session with skills.
struct World {
    place: Place,
    work: std::path::PathBuf,
    skills: SessionSkills,
    calls: ToolCalls,
    engine: Engine,
    told: Arc<Mutex<Vec<String>>>,
}

fn write(root: &Path, files: &Value) {
    for (path, text) in files.as_object().into_iter().flatten() {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text.as_str().unwrap()).unwrap();
    }
}

impl World {
    fn new(case: &Value) -> Self {
        let place = Place::new();
        let work = place.dir.join("work");
        fs::create_dir_all(&work).unwrap();
        write(&work, &case["files"]);
        let trusted = case["trusted"].as_bool().unwrap_or(true);
        let settings = case.get("settings").cloned().unwrap_or_else(|| json!({}));
        let environment = place.environment();
        let host = hook_tools(Surroundings::new(environment.clone()));
        let toolbox = ToolSet::default();
        let mut request = None;
        let builder = place.builder(&settings).start_dir(&work).tools(toolbox.clone()).request(|asked| {
            asked.trust = Trust::default().trusted(trusted).this_folder_trusted(trusted);
            request = Some(asked.clone());
        });
        let engine = builder.build().unwrap();
        let request = request.unwrap();
        let own = ToolCalls::new(engine.clone(), host.clone());
        let told = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&told);
        let (homes, dialect) = (Homes::of(&request, &[]), Dialect::of(&request));
        let (skills, diagnostics) = SessionSkills::builder(engine.clone(), own, environment, homes, dialect)
            .other_commands(["clear".to_owned()])
            .watch(move |update: &Update| {
                if let UpdateKind::Notice(notice) = &update.what {
                    seen.lock().unwrap().push(notice.text.clone());
                }
            })
            .load();
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        toolbox.replace(host.all().iter().cloned().chain([Arc::new(skills.tool()) as Arc<dyn Tool>]));
        let calls = ToolCalls::new(engine.clone(), toolbox);
        Self { place, work, skills, calls, engine, told }
    }

    fn session(&self) -> Session {
        Session::new("s", self.place.dir.join("t.jsonl"), &self.work)
    }

    /// Returns the text that the model gets for a prompt, or the reason why there is none.
    async fn typed(&self, step: &Value) -> Result<String, String> {
        let (session, never) = (self.session(), CancellationToken::new());
        let prompt = step["type"].as_str().unwrap();
        let found = self.skills.find(&session, prompt);
        let kind = match &found {
            PromptKind::Text => "words".to_owned(),
            PromptKind::Command(typed) => typed.name.clone(),
            PromptKind::Unknown { why } => why.clone(),
        };
        if let Some(expected) = step["found"].as_str().or(step["name"].as_str()) {
            assert_eq!(kind, expected, "{step}");
        }
        match found {
            PromptKind::Command(typed) => {
                assert_eq!(typed.source.as_deref(), Some("projectSettings"));
                let body = self.skills.body(&session, &typed, &never).await?;
                Ok(body.iter().filter_map(Block::as_text).collect())
            }
            PromptKind::Text => {
                let beside = step["beside"].as_str().unwrap_or_default().to_owned();
                let words = PromptTexts { own: prompt.to_owned(), beside };
                Ok(self.skills.mentioned(&session, &words, &never).await.join("\n\n"))
            }
            PromptKind::Unknown { why } => Err(why),
        }
    }

    /// Returns the model's result of using a skill.
    async fn used(&self, step: &Value) -> Result<String, String> {
        let mut input = json!({"skill": step["skill"]});
        if let Some(args) = step.get("args") {
            input["args"] = args.clone();
        }
        let report = run(&self.calls, &self.session(), call_of("Skill", input)).await;
        let (content, is_error) = report.for_model();
        let text: String = content.iter().filter_map(Block::as_text).collect();
        if let (Some(expected), CallEnd::Done { output }) = (step.get("response"), &report.ended) {
            assert_eq!(&output.response, expected);
        }
        if is_error { Err(text) } else { Ok(text) }
    }

    async fn step(&self, step: &Value) {
        let answer = if step.get("type").is_some() {
            self.typed(step).await
        } else if step.get("skill").is_some() {
            self.used(step).await
        } else {
            self.meanwhile(step);
            return;
        };
        if step.get("fails").is_none() && answer.is_err() && step.get("found").is_some() {
            return;
        }
        let expected = |key: &str| step[key].as_array().cloned().unwrap_or_default();
        let text = match (&answer, step.get("fails")) {
            (Ok(text), None) | (Err(text), Some(_)) => text,
            (Ok(_), Some(_)) | (Err(_), None) => panic!("{step}: {answer:?}"),
        };
        for part in expected("says").iter().chain(&expected("fails")) {
            assert!(text.contains(part.as_str().unwrap()), "{step}: {text}");
        }
        for part in expected("not") {
            assert!(!text.contains(part.as_str().unwrap()), "{step}: {text}");
        }
        if let Some(all) = step["is"].as_str() {
            assert_eq!(text, all, "{step}");
        }
    }

    fn meanwhile(&self, step: &Value) {
        let flag = |key: &str| step.get(key) == Some(&Value::Bool(true));
        write(&self.work, &step["write"]);
        if let Some(path) = step["remove"].as_str() {
            fs::remove_file(self.work.join(path)).unwrap();
        }
        if flag("reload") {
            self.skills.reload();
        }
        if flag("session_ends") {
            self.skills.session_ended();
        }
    }

    fn afterwards(&self, case: &Value) {
        let name = &case["name"];
        let each = |key: &str| case[key].as_array().cloned().unwrap_or_default();
        for path in each("absent") {
            assert!(!self.work.join(path.as_str().unwrap()).exists(), "{name}: {path} was made");
        }
        for path in each("present") {
            assert!(self.work.join(path.as_str().unwrap()).exists(), "{name}: {path} is not there");
        }
        let seen = self.place.read("seen");
        for part in each("seen") {
            assert!(seen.contains(part.as_str().unwrap()), "{name}: {seen}");
        }
        for (part, times) in case["seen_times"].as_object().into_iter().flatten() {
            assert_eq!(seen.matches(part).count() as u64, times.as_u64().unwrap(), "{name}: {part}: {seen}");
        }
        if let Some(root) = case["roots"].as_str() {
            assert!(self.place.read("roots").lines().all(|line| line.ends_with(root)), "{name}");
        }
        let told = self.told.lock().unwrap().join("\n");
        for part in each("told") {
            assert!(told.contains(part.as_str().unwrap()), "{name}: {told}");
        }
        let offered = self.skills.tool().spec().description;
        for part in each("offered") {
            assert!(offered.contains(part.as_str().unwrap()), "{name}: {offered}");
        }
        for part in each("not_offered") {
            assert!(!offered.contains(&format!("- {}:", part.as_str().unwrap())), "{name}: {offered}");
        }
    }
}

// rules: C7b, C8, C10, C11, D3, G3, L0, L1, P4, P7, P10, P11, P14
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn skills_and_commands_do_what_the_cases_say() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../cases/skills.json")).unwrap();
    for case in &cases {
        let world = World::new(case);
        for step in case["steps"].as_array().unwrap() {
            tokio::time::timeout(crate::support::calls::LONG, world.step(step))
                .await
                .unwrap_or_else(|_| panic!("{}: {step} found no end", case["name"]));
        }
        world.afterwards(case);
    }
}

// rule: C10
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_first_uses_at_once_lose_no_hook_and_copy_none() {
    let mut files = serde_json::Map::new();
    let skill = |n: usize| {
        format!(
            "---\nhooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          \
             command: exit 0 # {n}\n---\n!`cat a.txt`"
        )
    };
    for n in 0..16 {
        files.insert(format!(".claude/skills/s{n}/SKILL.md"), json!(skill(n)));
    }
    files.insert("a.txt".into(), json!("A"));
    let world = Arc::new(World::new(&json!({"files": files})));
    let tasks: Vec<_> = (0..64)
        .map(|n| {
            let world = Arc::clone(&world);
            tokio::spawn(async move {
                let step = json!({"type": format!("/s{}", n % 16), "says": ["A"]});
                world.step(&step).await;
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let event = becket_model::Event::new(
        world.session(),
        becket_model::event::tool::PreToolUse::new(
            "Bash".into(),
            serde_json::Map::from_iter([("command".to_owned(), json!("cat a.txt"))]),
            "t".into(),
        ),
    );
    assert_eq!(world.engine.plan(&event).runs().len(), 16);
    world.skills.session_ended();
    assert_eq!(world.engine.plan(&event).runs().len(), 0);
}
