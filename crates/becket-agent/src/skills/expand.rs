//! Expands typed prompts for the session: commands, prompts of MCP servers, files and resources.

use super::include::Reach;
use super::mcp;
use super::session::SessionSkills;
use super::typed::{self, Line};
use crate::hook_messages;
use crate::session::{CommandKind, Expand, PromptKind, PromptTexts, TypedCommand};
use crate::tool_call::NestedCalls;
use crate::update::Notice;
use becket_engine::CancellationToken;
use becket_llm::Block;
use becket_model::Session;
use becket_tools::places::Places;
use futures_util::future::BoxFuture;

impl Expand for SessionSkills {
    /// Another prompt: the grants of the previous turn are revoked.
    fn find(&self, _: &Session, prompt: &str) -> PromptKind {
        self.shared.grants.end();
        let skills = self.skills();
        let typed = |kind, name: &str, args: &str, source| {
            PromptKind::Command(TypedCommand { kind, name: name.to_owned(), args: args.to_owned(), source })
        };
        match Line::read(prompt, &skills, &self.shared.others) {
            Line::Text => PromptKind::Text,
            Line::Skill(skill, arguments) => {
                typed(CommandKind::Slash, &skill.name, arguments, Some(skill.source_on_the_wire()))
            }
            Line::Mcp { command, arguments } => {
                let pool = self.shared.pool.as_ref();
                if pool.is_some_and(|pool| mcp::is_of_a_server(pool, command)) {
                    typed(CommandKind::McpPrompt, command, arguments, None)
                } else {
                    PromptKind::Unknown { why: typed::unknown(command, &skills, &self.shared.others) }
                }
            }
            Line::Unknown(why) => PromptKind::Unknown { why },
        }
    }

    fn body<'a>(
        &'a self,
        session: &'a Session,
        typed: &'a TypedCommand,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Vec<Block>, String>> {
        Box::pin(async move {
            match (typed.kind, &self.shared.pool) {
                (CommandKind::Slash, _) => self.command(session, typed, cancel).await,
                (CommandKind::McpPrompt, Some(pool)) => {
                    mcp::prompt(pool, &typed.name, &typed.args, cancel).await
                }
                (CommandKind::McpPrompt, None) => Err(format!("there is no server for `/{}`", typed.name)),
            }
        })
    }

    fn mentioned<'a>(
        &'a self,
        session: &'a Session,
        words: &'a PromptTexts,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Vec<String>> {
        Box::pin(async move {
            let ground = self.ground(session, cancel);
            let mut texts = ground.files(&words.own, Reach::Anywhere);
            let places = Places::new(&session.cwd, &self.shared.engine.host().directories());
            texts.extend(ground.files(&words.beside, Reach::Within(&places)));
            if let Some(pool) = self.shared.pool.as_ref().filter(|_| words.own.contains('@')) {
                texts.extend(mcp::resources(pool, &words.own, cancel).await);
            }
            texts
        })
    }

    fn reload(&self) {
        let diagnostics = self.load();
        self.report_problems(&diagnostics);
    }

    fn turn_ended(&self) {
        self.shared.grants.end();
    }

    fn session_ended(&self) {
        self.shared.grants.end();
        self.shared.hooks.end();
    }

    fn names(&self) -> Vec<String> {
        self.skills().for_user().map(|skill| skill.name.to_string()).collect()
    }
}

impl SessionSkills {
    async fn command(
        &self,
        session: &Session,
        typed: &TypedCommand,
        cancel: &CancellationToken,
    ) -> Result<Vec<Block>, String> {
        let skills = self.skills();
        // A reload may have removed it since it was typed.
        let skill = skills.find(&typed.name).filter(|skill| skill.for_user);
        let skill = skill.ok_or_else(|| typed::unknown(&typed.name, &skills, &self.shared.others))?;
        let nested = NestedCalls::default();
        let rendered = self.use_skill(skill, &typed.args, self.ground(session, cancel), &nested).await;
        self.tell_of(&nested, cancel);
        Ok(vec![Block::Text(rendered?)])
    }

    /// Shows the user the messages of hooks about the commands of a skill.
    pub(super) fn tell_of(&self, nested: &NestedCalls, cancel: &CancellationToken) {
        for report in nested.take() {
            for outcome in &report.outcomes {
                let hook = hook_messages::hook_name_for(outcome.verdict.event, Some(&report.call.name));
                let notices = hook_messages::for_user(&hook, &outcome.verdict, cancel.is_cancelled());
                notices.into_iter().for_each(|notice| self.notice(notice));
            }
            report.warnings.into_iter().for_each(|text| self.notice(Notice::warning(text)));
        }
    }
}
