//! The tool `Skill`, by which the model uses a skill or a command (`protocol.md` P10).

use super::render::Ground;
use super::session::SessionSkills;
use super::skill::Skill;
use super::template::{Part, parts};
use crate::agents::SkillTexts;
use crate::definitions::unknown;
use crate::tool_call::{NestedCalls, ToolCalls};
use becket_engine::{
    CancellationToken, Effect, Hints, RunningCall, Settlement, Tool, ToolFailure, ToolOutput,
};
use becket_llm::ToolSpec;
use becket_model::event::tool::PreToolUse;
use becket_model::{Event, Session};
use becket_tools::schema::{Kind, Spec, optional, required};
use futures_util::future::BoxFuture;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The maximum number of characters of all skills together in the description.
const LONGEST: usize = 15_000;

static SPEC: Spec = Spec {
    name: "Skill",
    description: "Uses a skill: instructions for a kind of work, written by the user, the project or a plugin. Its text \
                  comes as the answer; follow it. Use one whenever its description fits what is asked.",
    fields: &[
        required("skill", Kind::Text, "The name of the skill"),
        optional("args", Kind::Text, "What the skill is used on, in its own words"),
    ],
};

/// The `Skill` tool.
#[derive(Debug, Clone)]
pub struct SkillTool {
    skills: SessionSkills,
    /// Runs the commands of skills, if for an agent loop other than the session's own.
    calls: Option<ToolCalls>,
}

impl SkillTool {
    pub(super) fn new(skills: SessionSkills) -> Self {
        Self { skills, calls: None }
    }

    /// Returns the tool for another agent loop, whose commands `calls` runs: a shell has its own directory there.
    #[must_use]
    pub(crate) fn with_calls(&self, calls: ToolCalls) -> Self {
        Self { skills: self.skills.clone(), calls: Some(calls) }
    }

    fn skill(&self, input: &Map<String, Value>) -> Result<Arc<Skill>, String> {
        let name = text(input, "skill");
        let skills = self.skills.skills();
        match skills.find(name) {
            Some(skill) if skill.for_model => Ok(Arc::clone(skill)),
            Some(skill) => Err(format!(
                "the skill `{}` is for the user to type (`disable-model-invocation`)",
                skill.name
            )),
            None => {
                let known: Vec<&str> = skills.for_model().map(|skill| &*skill.name).collect();
                Err(unknown("skill", name, &known))
            }
        }
    }

    /// Returns whether a deny rule removes a skill, regardless of its arguments.
    fn is_denied(&self, skill: &Skill) -> bool {
        let input = Map::from_iter([("skill".to_owned(), json!(*skill.name))]);
        let event = PreToolUse::new(SPEC.name.to_owned(), input, String::new());
        // Rules about a skill look only at the name, so no session is needed.
        let event = Event::new(Session::new("", "", ""), event);
        matches!(self.skills.shared.engine.host().rule_restriction(&event), Some(Settlement::Denied { .. }))
    }

    fn listed(&self) -> String {
        let (mut listed, mut left_out) = (String::new(), 0);
        for skill in self.skills.skills().for_model().filter(|skill| !self.is_denied(skill)) {
            let line = format!("\n- {}: {}", skill.name, skill.description);
            if listed.len() + line.len() > LONGEST {
                left_out += 1;
            } else {
                listed.push_str(&line);
            }
        }
        if left_out > 0 {
            listed.push_str(&format!("\n- … and {left_out} more that are not listed"));
        }
        listed
    }

    async fn answer(&self, running: RunningCall<'_>) -> Result<ToolOutput, ToolFailure> {
        let skill = self.skill(running.input).map_err(ToolFailure::new)?;
        let ground = self.skills.ground(running.session, running.cancel);
        let ground = Ground { calls: self.calls.as_ref().unwrap_or(ground.calls), ..ground };
        let rendered = self
            .skills
            .use_skill(&skill, text(running.input, "args"), ground, &NestedCalls::of(&running))
            .await;
        let rendered = rendered.map_err(ToolFailure::new)?;
        let response = Map::from_iter([
            ("success".to_owned(), Value::Bool(true)),
            ("commandName".to_owned(), json!(*skill.name)),
        ]);
        Ok(ToolOutput::text(format!("The skill `{}`:\n\n{rendered}", skill.name), Value::Object(response)))
    }
}

fn text<'i>(input: &'i Map<String, Value>, field: &str) -> &'i str {
    input.get(field).and_then(Value::as_str).unwrap_or_default()
}

impl Tool for SkillTool {
    fn name(&self) -> &str {
        SPEC.name
    }

    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: SPEC.name.to_owned(),
            description: format!("{}\n\nThe skills:{}", SPEC.description, self.listed()),
            input_schema: SPEC.json_schema(),
        }
    }

    fn hints(&self) -> Hints {
        Hints { open_world: false, ..Hints::default() }
    }

    fn check(&self, input: &Map<String, Value>) -> Result<(), String> {
        SPEC.validate(input)?;
        self.skill(input).map(drop)
    }

    /// A skill that is only text is read; one that runs commands, has hooks or grants calls is an action.
    fn effect(&self, _: &Session, input: &Map<String, Value>) -> Effect {
        let only_text = self.skill(input).is_ok_and(|skill| {
            let runs = parts(&skill.body).iter().any(|part| matches!(part, Part::Shell(_)));
            !runs && skill.hooks.is_none() && skill.allowed_tools.is_empty()
        });
        if only_text { Effect::Reads } else { Effect::Acts }
    }

    fn run<'a>(&'a self, running: RunningCall<'a>) -> BoxFuture<'a, Result<ToolOutput, ToolFailure>> {
        Box::pin(self.answer(running))
    }
}

impl SkillTexts for SkillTool {
    fn preload<'a>(
        &'a self,
        name: &'a str,
        session: &'a Session,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<String, String>> {
        Box::pin(async move {
            let skill = self.skill(&Map::from_iter([("skill".to_owned(), json!(name))]))?;
            if self.is_denied(&skill) {
                return Err("a rule denies it".to_owned());
            }
            let ground = self.skills.ground(session, cancel);
            let ground = Ground { calls: self.calls.as_ref().unwrap_or(ground.calls), ..ground };
            self.skills.preload(&skill, ground).await
        })
    }
}
