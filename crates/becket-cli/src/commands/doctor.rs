//! `becket doctor`: where Becket is registered, and whether it would be run there.

mod prove;

use crate::args::{DoctorArgs, Global};
use crate::commands::agent_version::stated_version;
use crate::commands::install::{
    InstallContext, agent_by_name, entry_findings, major_of, on_path, scope_and_path, switched_off,
    version_of,
};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::style::{ERROR, GOOD, HEAD, WARNING, plain, styled};
use crate::wrap;
use anstyle::Style;
use becket_install::{AGENTS, AgentConfig, AgentStatus, FileStatus, Scope, status};
use becket_model::EventKind;
use std::path::{Path, PathBuf};

/// Shows each registration with its findings. Exits with 1 if an entry would not work.
pub(crate) fn run(args: &DoctorArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let context = InstallContext::of(global, around, out)?;
    let records = context.read_records()?;
    let agents: Vec<&'static AgentConfig> = match args.agents.is_empty() {
        true => AGENTS.iter().collect(),
        false => args.agents.iter().map(|name| agent_by_name(name)).collect::<Result<_, CliError>>()?,
    };
    if args.prove {
        return prove::run(&agents, args, &context, &records, around, out);
    }
    let kinds = context.kinds();
    let mut examination = Examination { around, kinds: &kinds, text: String::new(), has_failed: false };
    let mut not_registered = Vec::new();
    for agent in agents {
        let found = status(agent, &context.places, &records);
        let is_here = agent.programs.iter().any(|program| on_path(program, around).is_some());
        if !found.files.is_empty() {
            examination.agent(&found, &context)?;
        } else if is_here || !args.agents.is_empty() {
            not_registered.push(agent.dialect().title);
        }
    }
    out.print(&wrap::fit(&examination.text, around.width))?;
    if !not_registered.is_empty() {
        out.remark(&format!("not registered with: {}\n", not_registered.join(", ")))?;
    }
    if examination.text.is_empty() && not_registered.is_empty() {
        out.remark(
            "becket is registered with no agent, and none was found; `becket install AGENT` registers it\n",
        )?;
    }
    Ok(u8::from(examination.has_failed))
}

/// The findings so far.
struct Examination<'a> {
    around: &'a Surroundings,
    /// The events that have hooks.
    kinds: &'a [EventKind],
    text: String,
    has_failed: bool,
}

impl Examination<'_> {
    fn agent(&mut self, found: &AgentStatus, context: &InstallContext) -> Result<(), CliError> {
        let title = styled(HEAD, found.agent.dialect().title);
        let version = plain(&self.version(found.agent)?);
        self.text.push_str(&format!("{title} {version}\n"));
        for file in &found.files {
            self.file(found.agent, file);
        }
        for off in &found.off {
            self.failure(&switched_off(off, self.around));
        }
        if found.files.iter().filter(|file| !file.events.is_empty()).count() > 1 {
            self.warning("it is registered for the user and in this project, so hooks run twice: uninstall one of them");
        }
        let reads = found.agent.reads_hooks.filter(|_| context.has_project_hooks());
        if let Some(reads) = reads {
            self.warning(&format!("{reads}, so hooks of this project run twice"));
        }
        if let Some(step) = found.agent.step {
            self.warning(step);
        }
        let is_user = found.files.iter().any(|file| file.scope == Scope::User);
        if is_user && context.has_untrusted_hooks() {
            self.warning("the hooks of this project are held back: the user does not trust its folder; `becket trust` changes that");
        }
        Ok(())
    }

    /// Returns the installed version of the agent, and the version that the tables describe if it is another one.
    fn version(&self, agent: &AgentConfig) -> Result<String, CliError> {
        let known = agent.dialect().version;
        let program = agent.programs.iter().find_map(|program| on_path(program, self.around));
        let Some(program) = program else { return Ok(format!("(not on PATH; tables of {known})")) };
        Ok(match stated_version(&program, self.around)? {
            Some(version) if version == known => version,
            Some(version) => format!("{version} (tables of {known})"),
            None => format!("(it states no version; tables of {known})"),
        })
    }

    fn file(&mut self, agent: &'static AgentConfig, file: &FileStatus) {
        let place = scope_and_path(file.scope, &file.path, self.around);
        self.text.push_str(&format!("  {place}: {}\n", events(file.events.len())));
        if let Some(problem) = &file.problem {
            self.failure(&format!("the file can't be read: {problem}"));
            return;
        }
        if file.is_unrecorded {
            self.warning("these entries were not written on this machine");
        }
        let repair = format!("`becket install {} --{} --repair`", agent.name, file.scope.name());
        for is_failure in [true, false] {
            for finding in entry_findings(agent, file, self.kinds, is_failure) {
                self.finding(is_failure, &finding.text);
            }
        }
        for program in &file.programs {
            self.program(program, &repair);
        }
    }

    fn program(&mut self, program: &str, repair: &str) {
        let path = match Path::new(program).is_absolute() {
            true => Some(PathBuf::from(program)),
            false => on_path(program, self.around),
        };
        let Some(path) = path else {
            return self
                .failure(&format!("`{program}` is not on PATH, so every call is refused: put it there"));
        };
        match version_of(&path) {
            Err(why) => {
                self.failure(&format!("`{}` {why}, so every call is refused: {repair}", path.display()))
            }
            Ok(version) if major_of(&version) != Some(env!("CARGO_PKG_VERSION_MAJOR")) => {
                self.failure(&format!(
                    "`{}` is becket {version}, so every call is refused: {repair}",
                    path.display()
                ));
            }
            Ok(version) => {
                self.line(GOOD, "ok", &format!("becket {version} ({})", self.around.short(&path)));
            }
        }
    }

    fn finding(&mut self, is_failure: bool, text: &str) {
        if is_failure { self.failure(text) } else { self.warning(text) }
    }

    fn failure(&mut self, text: &str) {
        self.has_failed = true;
        self.line(ERROR, "error", text);
    }

    fn warning(&mut self, text: &str) {
        self.line(WARNING, "note", text);
    }

    fn line(&mut self, style: Style, label: &str, text: &str) {
        self.text.push_str(&format!("    {}: {}\n", styled(style, label), plain(text)));
    }
}

fn events(count: usize) -> String {
    match count {
        0 => "no entry of becket".to_owned(),
        1 => "1 event".to_owned(),
        count => format!("{count} events"),
    }
}
