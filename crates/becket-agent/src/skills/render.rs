//! Renders a skill for the model: inserts arguments, runs commands, reads mentioned files.
//!
//! A command in the text is a normal call of Bash: hooks, rules and mode judge it, and their messages are passed on. If
//! a command is not run, fails, or is followed by a hook that stops the host, rendering fails: half a prompt would not
//! mean what its author intended.

use super::arguments::Arguments;
use super::include::{self, Reach};
use super::skill::{Kind, Skill};
use super::template::{Part, parts};
use crate::definitions::{DefinitionOwner, Dialect};
use crate::hook_messages;
use crate::tool_call::{CallEnd, NestedCalls, Report, ToolCalls};
use becket_engine::config::Plugin;
use becket_engine::{CancellationToken, Engine, Environment, ToolCall};
use becket_llm::Block;
use becket_model::{Session, Source};
use becket_tools::places::Places;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// The input field of Bash that contains the command.
const COMMAND: &str = "command";
/// The maximum number of commands in one text.
const MOST_COMMANDS: usize = 50;

/// The inputs of rendering.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) engine: &'a Engine,
    pub(super) calls: &'a ToolCalls,
    pub(super) environment: &'a Environment,
    pub(super) dialect: &'a Dialect,
    pub(super) session: &'a Session,
    pub(super) cancel: &'a CancellationToken,
}

impl Ground<'_> {
    /// Returns the text of a skill for the model, with these arguments. The results of its commands are added to
    /// `nested`.
    ///
    /// # Errors
    /// Errors with the name of a command that was not run or failed, and the reason.
    pub(super) async fn render(
        self,
        skill: &Skill,
        typed: &str,
        nested: &NestedCalls,
    ) -> Result<String, String> {
        let arguments = self.arguments(skill, typed);
        let parts = parts(&skill.body);
        let commands = parts.iter().filter(|part| matches!(part, Part::Shell(_))).count();
        if commands > MOST_COMMANDS {
            return Err(format!(
                "`{}` has {commands} commands in it; {MOST_COMMANDS} are run at most",
                skill.name
            ));
        }
        let (mut told, mut written) = (self.beginning(skill), String::new());
        for (number, part) in parts.into_iter().enumerate() {
            match part {
                Part::Text(text) => {
                    let text = arguments.put_into(text);
                    written.push_str(&text);
                    told.push_str(&text);
                }
                Part::Shell(command) => {
                    let report = self.called(&arguments.put_into(command), number).await;
                    let output = output_of(skill, &report);
                    nested.add(report);
                    told.push_str(&output?);
                }
            }
        }
        if !arguments.are_none() && !arguments.are_used_by(&skill.body) {
            written.push_str(arguments.as_typed());
            told = format!("{told}\n\nARGUMENTS: {}", arguments.as_typed());
        }
        let directories = self.directories(skill);
        let places = Places::new(&self.session.cwd, &directories);
        for text in self.files(&written, Reach::Within(&places)) {
            told = format!("{told}\n\n{text}");
        }
        Ok(told)
    }

    /// Returns the texts of the files that a text mentions.
    pub(super) fn files(self, text: &str, reach: Reach<'_>) -> Vec<String> {
        let (cwd, home) = (self.session.cwd.as_path(), self.environment.home());
        let denied = |path: &Path| self.engine.host().denies_read(self.session, path);
        include::mentions(text)
            .into_iter()
            .filter_map(|written| include::file(written, cwd, home, reach, denied))
            .collect()
    }

    fn arguments<'t>(self, skill: &'t Skill, typed: &'t str) -> Arguments<'t> {
        let profile = &self.dialect.profile;
        let directory = skill.directory.to_string_lossy().into_owned();
        let plugin = self.plugin(skill);
        let options = plugin.iter().flat_map(|plugin| &plugin.options);
        let mut arguments = Arguments::new(typed, &skill.arguments);
        for option in options.filter(|option| !option.is_sensitive) {
            arguments = arguments.with_variable(format!("user_config.{}", option.key), option.value.clone());
        }
        if let Some(data) = plugin.as_ref().and_then(|plugin| plugin.data.as_ref()) {
            arguments =
                arguments.with_variable(profile.var("PLUGIN_DATA"), data.to_string_lossy().into_owned());
        }
        arguments
            .with_variable(profile.var("SKILL_DIR"), directory.clone())
            .with_variable(
                profile.var("PLUGIN_ROOT"),
                skill.root.as_ref().map_or(directory, |root| root.to_string_lossy().into_owned()),
            )
            .with_variable(profile.var("SESSION_ID"), self.session.id.as_str().to_owned())
    }

    /// Returns the plugin that contains the skill.
    fn plugin(self, skill: &Skill) -> Option<Plugin> {
        let DefinitionOwner::Source(Source::Plugin(of)) = &skill.owner else { return None };
        self.engine.config().plugins.iter().find(|plugin| plugin.id == of.id).cloned()
    }

    fn beginning(self, skill: &Skill) -> String {
        match skill.kind {
            Kind::Skill => format!("Base directory for this skill: {}\n\n", skill.directory.display()),
            Kind::Command => String::new(),
        }
    }

    fn directories(self, skill: &Skill) -> Vec<PathBuf> {
        let mut directories = self.engine.host().directories();
        directories.push(skill.directory.clone());
        directories
    }

    async fn called(self, command: &str, number: usize) -> Report {
        let input = Map::from_iter([(COMMAND.to_owned(), Value::String(command.to_owned()))]);
        let id = format!("command_{}_{number}", uuid::Uuid::new_v4().simple());
        self.calls.run(self.session, ToolCall { id, name: "Bash".to_owned(), input }, self.cancel).await
    }
}

/// Returns the output of a command, unless it makes rendering fail.
fn output_of(skill: &Skill, report: &Report) -> Result<String, String> {
    let (content, _) = report.for_model();
    let text: Vec<&str> = content.iter().filter_map(Block::as_text).collect();
    let text = text.join("\n");
    let command = report.call.input.get(COMMAND).and_then(Value::as_str).unwrap_or_default();
    let failed =
        |what: &str, why: &str| Err(format!("the command `{command}` of `/{}` {what}: {why}", skill.name));
    match (&report.ended, report.stop()) {
        (CallEnd::Done { .. }, None) => Ok(text),
        (CallEnd::Done { .. } | CallEnd::Failed { .. }, Some(stop)) => {
            failed("was the last: a hook stops here", &hook_messages::stop_reason(stop))
        }
        (CallEnd::Failed { .. }, None) => failed("failed", &text),
        (
            CallEnd::Denied { .. }
            | CallEnd::Stopped { .. }
            | CallEnd::Deferred
            | CallEnd::Invalid { .. }
            | CallEnd::Cancelled { .. },
            _,
        ) => failed("was not run", &text),
    }
}
