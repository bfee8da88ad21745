//! `becket test`: the cases of a project, and the mutants of its hooks.

mod accept;
mod changed;
mod watch;

use crate::args::{Global, TestArgs, TestFormat};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::on_threads::until_done_on_threads;
use crate::out::Out;
use crate::recording;
use crate::report::test::{self, TestReport};
use crate::report::{human, junit, sarif};
use crate::session::{self, Session};
use becket_engine::{CancellationToken, NotAudited};
use becket_fire::FiringError;
use becket_lab::runner::Subject;
use becket_lab::{Case, CaseRecord, Runner, Suite, coverage, mutation};
use futures_util::stream::{self, StreamExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Tests the hooks of the project. Exits with 1 if something is not as expected, and with 2 if something could not be
/// tested.
pub(crate) fn run(args: &TestArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    if global.json && !matches!(args.format, TestFormat::Human | TestFormat::Json) {
        return Err(CliError::usage("`--json` and `--format` both name a format: give one of them"));
    }
    let session = session::in_project(global, around, out)?;
    let cancel = CancellationToken::new();
    let tested = Tested { args, global, around, out, session: &session, cancel: &cancel };
    until_done_on_threads(&cancel, async {
        if args.watch { watch::run(&tested).await } else { tested.once().await }
    })
}

/// One invocation of `becket test`.
struct Tested<'a> {
    args: &'a TestArgs,
    global: &'a Global,
    around: &'a Surroundings,
    out: &'a Out,
    session: &'a Session,
    cancel: &'a CancellationToken,
}

impl Tested<'_> {
    /// Returns the root of the project.
    fn root(&self) -> &Path {
        self.session.project.as_deref().unwrap_or(&self.session.start)
    }

    /// Returns the configuration to test, with records of times if they are enabled.
    fn subject(&self) -> Subject {
        let Subject { builder, root, .. } = subject(self.session, self.root());
        let project = root.clone();
        let builder =
            move |copy: &Path, environment| recording::observed_for(builder(copy, environment), &project);
        Subject { builder: Box::new(builder), ..subject(self.session, self.root()) }
    }

    /// Runs the cases once, and reports.
    async fn once(&self) -> CommandResult {
        let runner =
            Runner::new(self.subject(), self.cancel.clone()).map_err(|error| CliError::lab(&error))?;
        let engine = runner.engine().map_err(|error| CliError::lab(&error))?;
        super::fire::report_errors(&engine, self.around, self.out);
        let hooks = engine.host().hooks();
        let suite = Suite::load(self.root(), &runner.subject().settings, &hooks);
        let (cases, seed) = self.chosen(&suite, &engine)?;
        let records = self.records(&runner, &cases).await;
        if self.cancel.is_cancelled() {
            return Err(FiringError::Interrupted.into());
        }
        let mut report = TestReport::new(&suite, &records, self.root());
        report.seed = seed;
        report.coverage = test::coverage(coverage::of(&hooks, &records, self.root()));
        if self.is_partial() {
            // The coverage by cases that were left out is unknown.
            report.coverage.iter_mut().for_each(|seen| seen.unproven_guard = false);
        }
        if self.args.mutate {
            // The times of mutants are not recorded: nobody waits for them.
            let unrecorded = subject(self.session, self.root());
            let runner =
                Runner::new(unrecorded, self.cancel.clone()).map_err(|error| CliError::lab(&error))?;
            let mutants = mutation::run(&runner, &records, &suite.equivalents, self.jobs()).await;
            if self.cancel.is_cancelled() {
                return Err(FiringError::Interrupted.into());
            }
            report.mutants = Some(test::mutants(mutants.map_err(|error| CliError::lab(&error))?));
        }
        self.show(&report, &records)?;
        let code = report.exit_code();
        if self.args.accept { accept::write(&suite, &records, code, self.around, self.out) } else { Ok(code) }
    }

    /// Returns the cases to run, and the seed of their order if it is random.
    fn chosen(
        &self,
        suite: &Suite,
        engine: &becket_engine::Engine,
    ) -> Result<(Vec<Arc<Case>>, Option<u64>), CliError> {
        let mut cases: Vec<Arc<Case>> =
            suite.cases.iter().filter(|case| self.is_named(case)).cloned().collect();
        if cases.is_empty() && suite.errors.is_empty() {
            return Err(if suite.cases.is_empty() {
                CliError::NoCases { root: self.root().to_owned() }
            } else {
                CliError::NoSuchCase {
                    filter: self.args.filter.join("`, `"),
                    all: suite.cases.len(),
                    near: self.near(suite),
                }
            });
        }
        if self.args.changed {
            changed::retain(&mut cases, self.root(), engine)?;
        }
        let Some(given) = self.args.shuffle else { return Ok((cases, None)) };
        let seed = match given {
            Some(seed) => seed,
            None => u64::from(getrandom::u32().map_err(|error| CliError::lab(&error))?),
        };
        becket_lab::suite::shuffle(&mut cases, seed);
        Ok((cases, Some(seed)))
    }

    /// Returns the name of a case, or of a case file, that was probably meant.
    fn near(&self, suite: &Suite) -> Option<String> {
        let files = suite.cases.iter().filter_map(|case| case.origin.file.file_stem()?.to_str());
        let names: Vec<&str> = suite.cases.iter().map(|case| case.name.as_str()).chain(files).collect();
        self.args.filter.iter().find_map(|text| becket_base::suggest(text, &names)).map(str::to_owned)
    }

    /// Returns true if some cases may be left out.
    fn is_partial(&self) -> bool {
        self.args.changed || !self.args.filter.is_empty()
    }

    fn is_named(&self, case: &Case) -> bool {
        let file = case.origin.file.to_string_lossy();
        let filter = &self.args.filter;
        filter.is_empty() || filter.iter().any(|text| case.name.contains(text) || file.contains(text))
    }

    fn jobs(&self) -> usize {
        let processors = || 2 * std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        self.args.jobs.map_or_else(processors, usize::from)
    }

    /// Runs the cases, several at a time; the records are in the order of the cases.
    async fn records(&self, runner: &Runner, cases: &[Arc<Case>]) -> Vec<CaseRecord> {
        let keeps_projects = self.args.mutate;
        let one = |case| async move {
            let record = runner.run(case).await;
            if keeps_projects { record } else { record.without_project() }
        };
        stream::iter(cases).map(one).buffered(self.jobs()).collect().await
    }

    fn show(&self, report: &TestReport, records: &[CaseRecord]) -> Result<(), CliError> {
        let format = if self.global.json { TestFormat::Json } else { self.args.format };
        match format {
            TestFormat::Human => {
                let options = human::tested::Options {
                    coverage: self.args.coverage,
                    explained: records,
                    root: self.root(),
                    failures_only: self.out.is_quiet(),
                };
                self.out.print(&human::tested::render(report, &options, self.around))?;
            }
            TestFormat::Json => self.out.print_json(report)?,
            TestFormat::Junit => {
                let text = junit::render(report).map_err(|error| CliError::lab(&error))?;
                self.out.print_raw(text.as_bytes())?;
            }
            TestFormat::Sarif => self.out.print_json(&sarif::of_tests(report, self.root()))?,
        }
        Ok(())
    }
}

/// Returns the configuration of a session as the subject of a test: unchanged, but in a copy of the project, and
/// waiting for every hook.
pub(crate) fn subject(session: &Session, root: &Path) -> Subject {
    let launch = session.clone();
    let builder = move |project: &Path, environment| {
        let session = Session {
            start: project.to_owned(),
            project: None,
            environment,
            waits_for_async: true,
            ..launch.clone()
        };
        // Nothing acts on the verdicts of a test.
        session.builder(false).audit(Arc::new(NotAudited))
    };
    Subject {
        root: PathBuf::from(root),
        settings: session.profile.directory.to_string(),
        environment: session.environment.clone(),
        builder: Box::new(builder),
    }
}
