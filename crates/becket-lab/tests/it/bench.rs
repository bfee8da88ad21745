//! A project with hooks and cases, and their results.

use becket_engine::{CancellationToken, Engine, Environment, Profile};
use becket_lab::mutation::{self, MutantReport, MutantResult};
use becket_lab::runner::{CaseResult, Subject};
use becket_lab::{CaseRecord, Runner, Suite};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A temporary project.
pub(crate) struct Bench {
    directory: TempDir,
    root: PathBuf,
}

impl Bench {
    /// Creates a project with these settings.
    pub(crate) fn new(settings: &str) -> Self {
        let directory = tempfile::tempdir().expect("there is room");
        let root = directory.path().canonicalize().expect("it is there").join("project");
        fs::create_dir_all(directory.path().join("home")).expect("it can be made");
        let bench = Bench { directory, root };
        bench.write(".claude/settings.json", settings);
        bench
    }

    /// Returns the root of the project.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Writes a file of the project.
    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let file = self.root.join(path);
        fs::create_dir_all(file.parent().expect("a file has a parent")).expect("it can be made");
        fs::write(&file, text).expect("it can be written");
        file
    }

    /// Writes the cases of the project.
    pub(crate) fn cases(self, text: &str) -> Self {
        self.write(".claude/tests/t.toml", text);
        self
    }

    pub(crate) fn runner(&self) -> Runner {
        let path = becket_testkit::env::TestEnv::new("unused").becket::<&str>([]).into_command();
        let path = path.get_envs().find(|(name, _)| *name == "PATH").and_then(|(_, value)| value);
        let environment = Environment::empty()
            .with_var("PATH", path.expect("the search path is known"))
            .with_home(self.directory.path().join("home"))
            .with_temp(self.directory.path());
        let nowhere = self.directory.path().join("managed");
        let builder = move |root: &Path, environment| {
            let nowhere = nowhere.clone();
            Engine::builder()
                .profile(Profile::claude())
                .environment(environment)
                .start_dir(root)
                .wait_for_async(true)
                .request(move |request| request.managed = Some(nowhere))
        };
        let subject = Subject {
            root: self.root.clone(),
            settings: ".claude".to_owned(),
            environment,
            builder: Box::new(builder),
        };
        Runner::new(subject, CancellationToken::new()).expect("the project is small")
    }

    pub(crate) fn suite(&self) -> Suite {
        let engine = self.runner().engine().expect("the configuration loads");
        Suite::load(&self.root, ".claude", &engine.host().hooks())
    }

    /// Runs every case.
    pub(crate) fn run(&self) -> Vec<CaseRecord> {
        let (runner, suite) = (self.runner(), self.suite());
        assert_eq!(suite.errors, [], "the cases can be read");
        runtime().block_on(async {
            let mut records = Vec::new();
            for case in &suite.cases {
                records.push(runner.run(case).await);
            }
            records
        })
    }

    /// Runs every case, then every mutant.
    pub(crate) fn mutants(&self) -> Vec<MutantReport> {
        let (runner, suite, records) = (self.runner(), self.suite(), self.run());
        let tested = mutation::run(&runner, &records, &suite.equivalents, 4);
        runtime().block_on(tested).expect("the mutants can be tested")
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("there are threads")
}

/// Returns the results of cases as text, without what varies.
pub(crate) fn results(records: &[CaseRecord]) -> Vec<String> {
    let result = |record: &CaseRecord| match &record.result {
        CaseResult::Passed => "passed".to_owned(),
        CaseResult::Failed(found) => {
            let mismatches: Vec<String> =
                found.iter().map(|it| format!("{}: {} / {}", it.what, it.wanted, it.seen)).collect();
            mismatches.join("; ")
        }
        CaseResult::Error(error) => format!("error: {error}"),
    };
    records.iter().map(result).collect()
}

/// Returns the names of the mutants with a result, in order, each preceded by the hook.
pub(crate) fn with(reports: &[MutantReport], wanted: fn(&MutantResult) -> bool) -> Vec<String> {
    let found = reports.iter().filter(|report| wanted(&report.result));
    found.map(|report| format!("{} {}", report.name, report.mutant)).collect()
}

pub(crate) fn survived(result: &MutantResult) -> bool {
    matches!(result, MutantResult::Survived { .. })
}

pub(crate) fn killed(result: &MutantResult) -> bool {
    matches!(result, MutantResult::Killed { .. })
}

/// Returns settings with one hook of PreToolUse for Bash.
pub(crate) fn guarded_by(command: &str) -> String {
    serde_json::json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": command, "timeout": 20},
    ]}]}})
    .to_string()
}

/// A guard that denies, with exit code 2, an input that contains `danger`.
pub(crate) const GUARD: &str = "case $(cat) in *danger*) echo 'no danger here' >&2; exit 2;; esac";
