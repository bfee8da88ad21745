//! Runs a `prompt` handler: asks once, reads the verdict, turns it into a reply (H7).

use super::answer::{self, AnswerError};
use super::asking;
use super::cache::Key;
use super::question::Question;
use super::system;
use crate::config::handler::{Handler, Prompt};
use crate::handlers::context::HandlerContext;
use crate::host::panic::catch_service_panic;
use crate::report::handler_result::HandlerResult;
use crate::report::model_use::ModelUse;
use crate::report::outcome::OutputSizes;
use becket_llm::judge::verdict_schema;
use becket_llm::{Model, Output, Request, Response, Thinking};
use becket_model::interpret::{self, Interpretation, ModelAnswer};
use becket_model::{Failure, Notice};
use bytes::Bytes;
use std::sync::Arc;
use tokio::time::Instant;

/// The largest number of tokens of a verdict.
pub(crate) const MOST_TOKENS: u32 = 1_024;

/// The known parts of a run at its end, whatever the result.
#[derive(Debug, Default)]
pub(crate) struct ModelRun {
    /// The cost of the model; `None` if no model was found.
    pub(crate) used: Option<ModelUse>,
    /// The last text of its answer.
    pub(crate) text: String,
    /// Warnings for the hook's author.
    pub(crate) warnings: Vec<String>,
    /// Notices for the user of the event.
    pub(crate) notices: Vec<Notice>,
}

impl ModelRun {
    /// Returns the result of the run, from the result of the judgement.
    pub(crate) fn finish(
        self,
        context: &HandlerContext<'_>,
        end: Result<ModelAnswer, Failure>,
        goes_on: bool,
    ) -> HandlerResult {
        let mut taken = match end {
            Ok(answer) => Interpretation {
                reply: interpret::judged(context.event.judged_by(), answer, goes_on),
                ..Interpretation::default()
            },
            Err(failure) => interpret::failed(failure),
        };
        taken.warnings.extend(self.warnings);
        taken.reply.notices.extend(self.notices);
        let printed = OutputSizes { stdout: self.text.len() as u64, stderr: 0 };
        let mut stdout = Bytes::from(self.text);
        stdout.truncate(context.engine.limits.stdout_cap.get());
        HandlerResult {
            stdout,
            printed,
            usage: self.used.map(Box::new),
            ..HandlerResult::without_process(taken)
        }
    }
}

/// Runs the handler.
pub(crate) async fn run(
    context: &HandlerContext<'_>,
    handler: &Arc<Handler>,
    prompt: &Prompt,
) -> HandlerResult {
    let limit = context.limit_of(handler);
    let mut judged = ModelRun::default();
    let work = judge(context, prompt, asking::deadline(limit), &mut judged);
    let end = context.within(limit, catch_service_panic(work)).await;
    let end = end.and_then(|answer| answer.flatten().map_err(|message| Failure::Model { message }));
    judged.finish(context, end, prompt.continue_on_block)
}

/// Returns the model's answer, or a message that says why there is none.
async fn judge(
    context: &HandlerContext<'_>,
    prompt: &Prompt,
    deadline: Instant,
    judged: &mut ModelRun,
) -> Result<ModelAnswer, String> {
    let model = model(context, prompt.model.as_deref())?;
    let used = judged.used.insert(ModelUse::of(&*model));
    let question = Question::of(context, &prompt.prompt).await;
    judged.warnings.extend(question.warning());
    let request = request(&question, &*model);
    let cache = context.engine.host.verdicts.as_ref().map(|cache| (cache, Key::new(model.name(), &request)));
    if let Some((text, answer)) = cache.as_ref().and_then(|(cache, key)| cache.find(key)) {
        used.from_cache = true;
        judged.text = text;
        return Ok(answer);
    }
    let response = asking::ask(&*model, &request, deadline, used).await.map_err(|error| error.to_string())?;
    judged.text = response.text();
    let answer = read(&response).map_err(|error| error.to_string())?;
    if let Some((cache, key)) = cache {
        cache.keep(key, judged.text.clone());
    }
    Ok(answer)
}

/// Returns the model that the handler names, or the host's small fast one.
pub(crate) fn model(context: &HandlerContext<'_>, name: Option<&str>) -> Result<Arc<dyn Model>, String> {
    let models =
        context.engine.host.models.as_ref().ok_or("this host lends no model to hooks: set one up there")?;
    models.model(name).map_err(|error| error.to_string())
}

fn request(question: &Question, model: &dyn Model) -> Request {
    let schema = verdict_schema(question.with_impossible);
    let output = if model.capabilities().json_schema {
        Output::Json { name: "verdict".to_owned(), schema }
    } else {
        Output::Text
    };
    Request {
        system: Some(system::of_prompt(question.event, question.with_impossible, question.shown)),
        messages: vec![question.message.clone()],
        output,
        max_tokens: MOST_TOKENS,
        thinking: Thinking::Off,
        ..Request::default()
    }
}

fn read(response: &Response) -> Result<ModelAnswer, AnswerError> {
    answer::whole(response, MOST_TOKENS)?;
    answer::verdict(&response.text())
}
