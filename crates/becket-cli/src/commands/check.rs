//! `becket check`: reports all findings in a configuration.

mod agent;
mod baseline;
mod checked_agent;
mod fix;
mod guards;
mod registration;
mod target;

pub(crate) use agent::findings as agent_findings;
pub(crate) use checked_agent::CheckedAgent;

use crate::args::{CheckArgs, CheckFormat, Global, SeverityOverride};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::human::findings;
use crate::report::{github, json, sarif};
use crate::session::{self, Session};
use baseline::Baseline;
use becket_embed::view::Report;
use becket_embed::view::finding::CheckReport;
use becket_engine::config::{self, Diagnostic, LoadedFiles, Request};
use fix::{FileChange, Fixer};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The findings, and the source texts for their excerpts.
#[derive(Debug, Default)]
pub(super) struct CheckResult {
    diagnostics: Vec<Diagnostic>,
    texts: findings::Texts,
    files: usize,
    /// The agent under which the hooks should run, if it does not speak the protocol.
    agent: Option<CheckedAgent>,
    fixer: Option<Fixer>,
    changes: Vec<FileChange>,
}

/// Checks what the arguments name. Exits with 1 on errors, and on warnings if they are denied; with 2 if a file can't be read.
pub(crate) fn run(args: &CheckArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    if let (true, CheckFormat::Sarif | CheckFormat::Github) = (global.json, args.format) {
        return Err(CliError::usage("`--json` and `--format` both name a format: give one of them"));
    }
    let agent = args.agent.as_deref().map(becket_fire::dialect::find).transpose()?;
    let agent = agent.and_then(|dialect| becket_install::agent(dialect.name));
    let mut found = CheckResult::default();
    let session = if args.paths.is_empty() {
        session::in_project(global, around, out)?
    } else {
        session::launched(global, around)?
    };
    found.agent = agent.map(|agent| CheckedAgent::with_becket(agent, &session, around));
    found.fixer = Fixer::of(args, &session.start)?;
    if args.paths.is_empty() {
        found.configuration(&session.request());
        found.registration(&session, around);
        found.diagnostics.extend(guards::findings(&session));
    }
    for path in &args.paths {
        if path.as_os_str() == "-" {
            target::stdin(&session, around, &mut found)?;
        } else {
            target::check(&session.start.join(path), &session, &mut found)?;
        }
    }
    if args.diff {
        return found.show_changes(around, out);
    }
    found.write_changes(args, around, out)?;
    found.put_in_order();
    found.override_severities(&args.severity);
    if let Some(path) = &args.write_baseline {
        return found.write_baseline(path, &session.start, out);
    }
    if let Some(path) = &args.baseline {
        let baseline = Baseline::read(&session.start.join(path))?;
        baseline.remove_known(&mut found.diagnostics, &session.start);
    }
    let checked = CheckReport::new(&found.diagnostics, found.files);
    let fails = checked.errors > 0 || (args.deny.is_some() && checked.warnings > 0);
    let format = if global.json { CheckFormat::Json } else { args.format };
    // A check of nothing must not report success.
    let is_nothing = found.files == 0 && found.diagnostics.is_empty();
    match format {
        CheckFormat::Human if is_nothing => {}
        CheckFormat::Human => {
            out.print(&findings::render(&found.diagnostics, &found.texts, around))?;
            out.remark(&(findings::summary(&checked) + &fix::hint(&found.diagnostics)))?;
        }
        CheckFormat::Json => json::print(&Report::Check(checked), out)?,
        CheckFormat::Sarif => {
            out.print_json(&sarif::render(&checked, &session.start))?;
        }
        CheckFormat::Github => out.print_raw(github::render(&checked, &session.start).as_bytes())?,
    }
    if is_nothing { Err(CliError::NoFiles { start: session.start }) } else { Ok(found.exit_code(fails)) }
}

/// Returns the findings of a text that an editor holds: settings, a plugin's file, a skill or an agent.
pub(super) fn findings_of_text(path: Option<&Path>, text: &str, session: &Session) -> Vec<Diagnostic> {
    let mut found = CheckResult::default();
    match path.filter(|path| path.extension().is_some_and(|extension| extension == "md")) {
        Some(path) => target::markdown_text(path, text, session, &mut found),
        None => found.diagnostics = found.findings(&target::edited(path, text, session)),
    }
    found.put_in_order();
    found.diagnostics
}

impl CheckResult {
    /// Loads and checks the configuration of a request.
    pub(super) fn configuration(&mut self, request: &Request) {
        let mut loaded = config::load(request);
        if let Some(fixer) = &self.fixer {
            self.changes.extend(fixer.fix(&mut loaded, |loaded| self.findings(loaded)));
        }
        self.files += config::resolve(&loaded).files;
        self.diagnostics.extend(self.findings(&loaded));
        self.keep_texts(&loaded);
    }

    /// Adds the events that the registration of the agent lacks.
    fn registration(&mut self, session: &Session, around: &Surroundings) {
        if let Some(agent) = &self.agent {
            let findings = registration::findings(agent.config(), session, around);
            self.diagnostics.extend(findings);
        }
    }

    fn findings(&self, loaded: &LoadedFiles) -> Vec<Diagnostic> {
        let config = config::resolve(loaded);
        match &self.agent {
            Some(agent) => {
                let of_agent = agent::findings(agent, &config, loaded);
                of_agent
                    .into_iter()
                    .chain(config.diagnostics.into_iter().filter(Diagnostic::is_error))
                    .collect()
            }
            None => {
                let of_lints = config::lint(loaded).into_iter().chain(config::lint_files(loaded));
                config.diagnostics.into_iter().chain(of_lints).collect()
            }
        }
    }

    /// Shows what would be changed. Exits with 1 if anything.
    fn show_changes(&self, around: &Surroundings, out: &Out) -> CommandResult {
        for change in &self.changes {
            out.print(&change.diff(around))?;
        }
        let fixes: usize = self.changes.iter().map(|change| change.made.len()).sum();
        let plural = |number: usize, many: &'static str| if number == 1 { "" } else { many };
        let files = self.changes.len();
        out.note(&format!("{fixes} fix{} in {files} file{}\n", plural(fixes, "es"), plural(files, "s")));
        Ok(u8::from(fixes > 0))
    }

    /// Makes the changes; those that may change what runs are shown first.
    fn write_changes(&self, args: &CheckArgs, around: &Surroundings, out: &Out) -> Result<(), CliError> {
        for change in &self.changes {
            if args.unsafe_fixes {
                out.note(&change.diff(around));
            }
            change.write()?;
            out.note(&change.summary(around));
        }
        Ok(())
    }

    /// Writes the findings into a baseline, and prints their number.
    fn write_baseline(&self, path: &Path, start: &Path, out: &Out) -> CommandResult {
        Baseline::of(&self.diagnostics, start).write(&start.join(path))?;
        out.print(&format!("{} findings in `{}`\n", self.diagnostics.len(), path.display()))?;
        Ok(0)
    }

    /// Returns the exit code; 2 if a file can't be read, since its findings are unknown.
    fn exit_code(&self, fails: bool) -> u8 {
        let is_unread = self.diagnostics.iter().any(|finding| finding.code == "unreadable-file");
        if is_unread { 2 } else { u8::from(fails) }
    }

    /// Adds the findings of one text.
    pub(super) fn text(&mut self, file: &str, text: &str, diagnostics: Vec<Diagnostic>) {
        self.diagnostics.extend(diagnostics);
        self.files += 1;
        self.texts.insert(file.to_owned(), findings::visible(text));
    }

    /// Gives findings and texts of the file `from` the name `to`.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        let to_path: Arc<Path> = Path::new(to).into();
        for diagnostic in self.diagnostics.iter_mut().filter(|found| found.file.to_str() == Some(from)) {
            diagnostic.file = to_path.clone();
        }
        if let Some(text) = self.texts.remove(from) {
            self.texts.insert(to.to_owned(), text);
        }
    }

    fn keep_texts(&mut self, loaded: &LoadedFiles) {
        for layer in loaded.layers() {
            let name = layer.file.to_string_lossy().into_owned();
            let is_shown = self.diagnostics.iter().any(|diagnostic| diagnostic.file == layer.file);
            if let (true, Ok(text)) = (is_shown, &layer.text) {
                self.texts.insert(name, findings::visible(text));
            }
        }
    }

    /// Gives findings the severities that the arguments name for their rules, and drops those that are off.
    fn override_severities(&mut self, overrides: &[SeverityOverride]) {
        self.diagnostics.retain_mut(|diagnostic| {
            let chosen = overrides.iter().rev().find(|chosen| chosen.code == diagnostic.code);
            match chosen.map(|chosen| chosen.severity) {
                Some(Some(severity)) => diagnostic.severity = severity,
                Some(None) => return false,
                None => {}
            }
            true
        });
    }

    /// Sorts by file in the order of loading, then by position and severity, and removes duplicates.
    fn put_in_order(&mut self) {
        let mut order: HashMap<Arc<Path>, usize> = HashMap::new();
        for diagnostic in &self.diagnostics {
            let next = order.len();
            order.entry(diagnostic.file.clone()).or_insert(next);
        }
        self.diagnostics
            .sort_by_key(|found| (order.get(&found.file).copied(), found.line, found.column, found.severity));
        // An entry that loads with a warning and never works is one finding, and an error. Several findings of one kind
        // may be about one command.
        self.diagnostics.dedup_by(|later, first| {
            let is_same = later.code == first.code && later.file == first.file && later.span == first.span;
            later == first || (is_same && later.severity != first.severity)
        });
    }
}
