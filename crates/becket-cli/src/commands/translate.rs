//! `becket translate`: the hooks of a project in the native form of another agent, and a report of the losses.

use super::check::{CheckedAgent, agent_findings};
use crate::args::{Global, TranslateArgs};
use crate::commands::install::{agent_by_name, is_entry};
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::human::findings;
use crate::report::style::{WARNING, plain, styled};
use crate::session;
use becket_dialects::Dialect;
use becket_engine::config;
use becket_engine::handler::{Action, Background, Command, Handler, If, Shell};
use becket_install::{AgentConfig, NativeHook, takes_matcher, translated};
use becket_rules::MatcherKind;

/// Prints the configuration, and to stderr what it does not contain.
pub(crate) fn run(args: &TranslateArgs, global: &Global, around: &Surroundings, out: &Out) -> CommandResult {
    let agent = agent_by_name(&args.to)?;
    let session = session::in_project(global, around, out)?;
    let loaded = config::load(&session.request());
    let config = config::resolve(&loaded);
    let mut translation = Translation { agent, hooks: Vec::new(), losses: Vec::new() };
    for hook in config.hooks.all().filter(|hook| !is_entry(hook)) {
        translation.add(hook, around);
    }
    let text = translated(agent, &translation.hooks).ok_or_else(|| {
        CliError::usage(format!(
            "{} reads code instead of a configuration of hooks: `becket install {}` writes it",
            agent.dialect().title,
            agent.name
        ))
    })?;
    let found = agent_findings(&CheckedAgent::without_becket(agent), &config, &loaded);
    let report = findings::render(&found, &findings::Texts::new(), around);
    out.eprint(&report);
    for loss in &translation.losses {
        out.eprint(&format!("{} {}\n", styled(WARNING, "lost:"), plain(loss)));
    }
    let title = agent.dialect().title;
    out.note(&format!(
        "{} {title} gives these hooks its own input and reads its own form of an answer: they have to speak both. With `becket \
         install {}` the hooks stay as they are.\n",
        styled(WARNING, "note:"),
        agent.name
    ));
    match &args.output {
        None => out.print_raw(text.as_bytes())?,
        Some(path) => {
            let path = session.start.join(path);
            let new = std::fs::File::create_new(&path);
            let written = new.and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()));
            written.map_err(|why| CliError::Write { path, why })?;
        }
    }
    Ok(u8::from(!translation.losses.is_empty()))
}

/// The variable that names the project, and the agents that set it.
const PROJECT: &str = "CLAUDE_PROJECT_DIR";
const NAME_PROJECT: [&str; 3] = ["claude", "gemini", "copilot"];

/// The hooks so far, and the losses.
struct Translation {
    agent: &'static AgentConfig,
    hooks: Vec<NativeHook>,
    losses: Vec<String>,
}

impl Translation {
    fn add(&mut self, hook: &Handler, around: &Surroundings) {
        let location = &hook.location;
        let place = format!("{}:{}:{}", around.short(&location.file), location.line, location.column);
        let events: Vec<_> =
            self.agent.fired().into_iter().filter(|event| event.kind == hook.event).collect();
        let events = match (self.agent.every_native, events.as_slice()) {
            (_, []) => return self.lose(&place, &format!("the agent has no event like {}", hook.event)),
            (true, all) => all.to_vec(),
            (false, [first, ..]) => vec![*first],
        };
        let Action::Command(Command::Shell { script, shell: Shell::Default }) = &hook.action else {
            return self.lose(&place, "the agent runs lines of a shell only");
        };
        if hook.root.is_some() {
            return self
                .lose(&place, "it is of a plugin or a skill, whose directory the agent does not name");
        }
        if !matches!(hook.condition, If::Absent) {
            return self.lose(
                &place,
                "its `if` has no place there, and without it the hook would run for other calls",
            );
        }
        let matcher = match self.matcher(hook) {
            Ok(matcher) => matcher,
            Err(why) => return self.lose(&place, &why),
        };
        if script.contains(PROJECT) && !NAME_PROJECT.contains(&self.agent.name) {
            self.losses.push(format!("{place}: the agent does not set {PROJECT}, which the command uses"));
        }
        if hook.background != Background::No {
            self.losses.push(format!("{place}: `async`: the agent waits for it"));
        }
        let limit = hook.timeout.configured.then(|| {
            let longest = self.agent.dialect().timeout.max;
            let limit = longest.map_or(hook.timeout.limit, |longest| hook.timeout.limit.min(longest));
            self.agent.in_unit(limit)
        });
        self.hooks.extend(events.iter().map(|event| NativeHook {
            event: event.name.to_owned(),
            matcher: matcher.clone(),
            command: script.to_string(),
            limit: limit.filter(|_| self.agent.takes_limit()),
        }));
    }

    fn lose(&mut self, place: &str, why: &str) {
        self.losses.push(format!("{place}: the hook is left out: {why}"));
    }

    /// Returns the matcher with the agent's own names of tools.
    fn matcher(&self, hook: &Handler) -> Result<Option<String>, String> {
        let is_everything = matches!(hook.matcher.kind(), MatcherKind::Everything);
        let is_about_tools =
            hook.event.spec().matcher.as_ref().is_some_and(|matcher| matcher.field == "tool_name");
        if is_everything {
            return Ok(None);
        }
        if !takes_matcher(self.agent.form) {
            return Err("its matcher has no place there, and without it the hook would run for other calls"
                .to_owned());
        }
        let dialect: &Dialect = self.agent.dialect();
        if !is_about_tools || dialect.tools.is_empty() {
            return Ok(Some(hook.matcher.text().to_owned()));
        }
        let rows = dialect.tools.iter();
        let mut names: Vec<&str> = rows
            .filter(|row| {
                hook.matcher.matches(row.native)
                    || row.protocol_names().iter().any(|name| hook.matcher.matches(name))
            })
            .map(|row| row.native)
            .collect();
        names.dedup();
        match names.is_empty() {
            true => Err(format!("no tool of the agent is like `{}`", hook.matcher.text())),
            false => Ok(Some(names.join("|"))),
        }
    }
}
