//! `doctor --prove`: runs each installed agent in a trial of its own, and reports whether denials hold.
//!
//! INVARIANT: nothing is left behind. A trial runs below a keeper and a runner that end it together with everything
//! that it started, and its directory is removed.

use crate::args::DoctorArgs;
use crate::commands::install::{InstallContext, on_path};
use crate::commands::keep;
use crate::commands::trial::{GuardResult, Trial, TrialReport};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::interrupt;
use crate::out::Out;
use crate::report::style::{ERROR, GOOD, WARNING, plain, styled};
use becket_engine::CancellationToken;
use becket_fire::FiringError;
use becket_install::{AgentConfig, Records, status};
use becket_process::{Command, Descendants, Limits, Program, Runner};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The directories that contain the programs of the system.
const OF_SYSTEM: &str = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin";
/// The time that a trial has in addition to its runs.
const AROUND: Duration = Duration::from_secs(60);

/// The result for one agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    Held,
    NotHeld,
    Untried,
}

/// Tests the agents one after another.
pub(super) fn run(
    agents: &[&'static AgentConfig],
    args: &DoctorArgs,
    context: &InstallContext,
    records: &Records,
    around: &Surroundings,
    out: &Out,
) -> CommandResult {
    let proving = Proving { args, context, records, around, out, isolation: isolation() };
    if let Err(why) = &proving.isolation {
        let why = plain(why);
        out.eprint(&format!(
            "{} {why}: variables for proxies lead requests to the scripted model instead\n",
            styled(WARNING, "note:")
        ));
    }
    let proofs: Vec<Proof> = agents.iter().map(|agent| proving.agent(agent)).collect::<Result<_, _>>()?;
    let has = |wanted: Proof| proofs.contains(&wanted);
    Ok(if has(Proof::NotHeld) { 1 } else { 2 * u8::from(has(Proof::Untried)) })
}

/// The context that all trials share.
struct Proving<'a> {
    args: &'a DoctorArgs,
    context: &'a InstallContext,
    records: &'a Records,
    around: &'a Surroundings,
    out: &'a Out,
    /// The command that a trial is wrapped in, or the reason why there is none.
    isolation: Result<Vec<OsString>, String>,
}

impl Proving<'_> {
    fn agent(&self, agent: &'static AgentConfig) -> Result<Proof, CliError> {
        let title = agent.dialect().title;
        let found = agent.programs.iter().find_map(|program| on_path(program, self.around));
        let Some(program) = found else {
            let names = agent.programs.join("` or `");
            return self.untried(title, &format!("there is no `{names}` on PATH: install it first"));
        };
        self.out.note(&format!("trying {title} ({})\n", plain(&self.around.short(&program))));
        let directory =
            tempfile::Builder::new().prefix("becket-prove-").tempdir_in(&self.around.process.temp);
        let directory = directory
            .map_err(|error| CliError::Write { path: self.around.process.temp.clone(), why: error })?;
        let path = directory.path().canonicalize().unwrap_or_else(|_| directory.path().to_owned());
        let trial = Trial {
            agent: agent.name.to_owned(),
            program,
            becket: self.becket(agent)?,
            directory: path,
            search_path: self.search_path(),
            needs_proxy: self.isolation.is_err(),
            limit: self.args.limit,
        };
        let report = self.report(&trial, directory.path())?;
        self.show(agent, &report)
    }

    /// Returns the registered program, or this one.
    fn becket(&self, agent: &'static AgentConfig) -> Result<PathBuf, CliError> {
        let registered = status(agent, &self.context.places, self.records).files;
        let registered = registered.into_iter().flat_map(|file| file.programs).next();
        let registered = registered.and_then(|program| match Path::new(&program).is_absolute() {
            true => Some(PathBuf::from(program)),
            false => on_path(&program, self.around),
        });
        registered
            .or_else(|| self.around.program.clone())
            .ok_or_else(|| CliError::Program { why: "this program does not know its own path".to_owned() })
    }

    fn search_path(&self) -> String {
        let path = self.around.var("PATH").unwrap_or_default();
        format!("{}:{OF_SYSTEM}", path.to_string_lossy())
    }

    /// Runs a trial in a separate process.
    fn report(&self, trial: &Trial, directory: &Path) -> Result<TrialReport, CliError> {
        let own =
            self.around.program.clone().ok_or_else(|| CliError::Program {
                why: "this program does not know its own path".to_owned(),
            })?;
        let mut words = self.isolation.clone().unwrap_or_default();
        words.extend([own.into_os_string(), "trial".into()]);
        let mut words = words.into_iter();
        let program = Program::exec(words.next().unwrap_or_default(), words);
        let input = serde_json::to_vec(trial).map_err(|error| CliError::usage(error.to_string()))?;
        let command = Command::new(program, directory)
            .env("PATH", &trial.search_path)
            .stdin(input)
            .descendants(Descendants::Adopted { kept: [].into() });
        let deadline = Some(Duration::from_secs(trial.limit) * 2 + AROUND);
        let limits = Limits { deadline, ..Limits::default() };
        let cancel = CancellationToken::new();
        let _guard = keep::guarded(directory, self.around, self.out);
        let ended = interrupt::until_done(&cancel, async {
            let runner = Runner::new();
            let ended = runner.run(&command, &limits, &cancel, &mut |_| ()).await;
            runner.all_gone().await;
            ended.map_err(|error| CliError::from(FiringError::Output(std::io::Error::other(error))))
        })?;
        let failed = || {
            let words = String::from_utf8_lossy(&ended.stderr.bytes);
            let problem = format!("the trial ended with {:?}: {}", ended.end, words.trim());
            TrialReport { problem: Some(problem), ..TrialReport::default() }
        };
        Ok(serde_json::from_slice(&ended.stdout.bytes).unwrap_or_else(|_| failed()))
    }

    fn show(&self, agent: &AgentConfig, report: &TrialReport) -> Result<Proof, CliError> {
        let title = match &report.version {
            Some(version) => format!("{} {version}", agent.dialect().title),
            None => agent.dialect().title.to_owned(),
        };
        if let Some(problem) = &report.problem {
            return self.untried(&title, problem);
        }
        let of = |wanted: GuardResult| report.guards.iter().filter(move |(_, result)| *result == wanted);
        let (held, all) = (of(GuardResult::Held).count(), report.guards.len());
        let proof = match (of(GuardResult::NotHeld).next(), held == all) {
            (Some(_), _) => Proof::NotHeld,
            (None, true) => Proof::Held,
            (None, false) => Proof::Untried,
        };
        let label = match proof {
            Proof::Held => styled(GOOD, "proved:"),
            Proof::NotHeld => styled(ERROR, "not held:"),
            Proof::Untried => styled(WARNING, "not all tried:"),
        };
        self.out.print(&format!("{label} {} held {held} of {all}\n", plain(&title)))?;
        for (guard, _) in of(GuardResult::NotHeld) {
            self.out.print(&format!("  {} {} was not held back\n", styled(ERROR, "error:"), guard.name()))?;
        }
        for (guard, _) in of(GuardResult::Untried) {
            let label = styled(WARNING, "note:");
            self.out.print(&format!("  {label} {} was not tried: the run ended before\n", guard.name()))?;
        }
        Ok(proof)
    }

    fn untried(&self, title: &str, why: &str) -> Result<Proof, CliError> {
        let label = styled(ERROR, "could not be tried:");
        self.out.print(&format!("{label} {}: {}\n", plain(title), plain(why)))?;
        Ok(Proof::Untried)
    }
}

#[cfg(target_os = "linux")]
fn isolation() -> Result<Vec<OsString>, String> {
    becket_proof::check_isolation()?;
    let command = becket_proof::isolated();
    Ok(std::iter::once(command.get_program()).chain(command.get_args()).map(OsString::from).collect())
}

#[cfg(not(target_os = "linux"))]
fn isolation() -> Result<Vec<OsString>, String> {
    Err("there are no network namespaces here".to_owned())
}
