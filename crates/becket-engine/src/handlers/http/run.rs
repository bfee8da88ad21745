//! One run: prepare, post, read, interpret.

use super::answer::Answer;
use super::header;
use super::redact::redact;
use super::target::Target;
use super::trouble;
use crate::config::handler::{Handler, Http};
use crate::config::nesting::HEADER;
use crate::handlers::context::HandlerContext;
use crate::report::handler_result::HandlerResult;
use crate::report::outcome::OutputSizes;
use crate::report::run_event::{OutputStream, RunEventKind};
use becket_base::secret::Redactor;
use becket_model::Failure;
use becket_model::interpret;
use bytes::Bytes;
use reqwest::RequestBuilder;
use std::sync::Arc;

/// A request that is ready to go.
struct PreparedRequest {
    request: RequestBuilder,
    /// The host and port, in the form that errors may show.
    place: String,
    redactor: Redactor,
    warnings: Vec<String>,
}

/// Runs the handler; the whole exchange, from the lookup of the name to the last byte, has the handler's limit.
pub(crate) async fn run(context: &HandlerContext<'_>, handler: &Arc<Handler>, http: &Http) -> HandlerResult {
    let failed = |failure| HandlerResult::without_process(interpret::failed(failure));
    let PreparedRequest { request, place, redactor, warnings } = match prepare(context, handler, http) {
        Ok(prepared) => prepared,
        Err(message) => return failed(Failure::Request { message }),
    };
    let cap = context.engine.limits.stdout_cap.get();
    let exchange = async {
        let response = request.send().await.map_err(|error| trouble::describe(error, &place))?;
        Answer::read(response, &place, cap).await
    };
    let mut ran = match context.within(context.limit_of(handler), exchange).await {
        Ok(Ok(answer)) => interpreted(context, handler, &answer, &redactor),
        Ok(Err(message)) => failed(Failure::Request { message: redactor.redact(&message) }),
        Err(failure) => failed(failure),
    };
    ran.interpretation.warnings.splice(0..0, warnings);
    ran
}

/// Checks everything that can be checked before a byte is sent.
fn prepare(context: &HandlerContext<'_>, handler: &Handler, http: &Http) -> Result<PreparedRequest, String> {
    if let Some(why) = context.snapshot.gates.fails(handler) {
        return Err(why.to_owned());
    }
    let policy = &context.snapshot.config.policy;
    let target = Target::of(http, &handler.place.source, policy, &context.engine.environment)?;
    let mut redactor = Redactor::of_url(&target.url);
    let filled =
        header::fill(http, &handler.place.source, policy, &context.engine.environment, &mut redactor)?;
    let mut headers = filled.headers;
    if let Ok(marks) = context.marks().try_into() {
        headers.insert(HEADER, marks);
    }
    let client = context.engine.host.http.client(&target, &context.engine.environment)?;
    let line = context.stdin();
    let body = line.slice(..line.len() - 1);
    Ok(PreparedRequest {
        request: client.post(target.url).headers(headers).body(body),
        place: target.place,
        redactor,
        warnings: filled.warnings,
    })
}

/// Interprets an answer; its shown parts contain no secret that the server sent back (S3).
fn interpreted(
    context: &HandlerContext<'_>,
    handler: &Arc<Handler>,
    answer: &Answer,
    redactor: &Redactor,
) -> HandlerResult {
    let spec = context.event.kind().spec();
    let shown = Bytes::from(redactor.redact_bytes(&answer.body).into_owned());
    context.emit(|| RunEventKind::Output {
        handler: handler.clone(),
        stream: OutputStream::Stdout,
        bytes: shown.as_ref().into(),
    });
    let taken = match answer.object(context.event.kind(), &shown) {
        Ok(answer) => redact(redactor, interpret::object(spec, &answer, context.on_failure(handler))),
        Err(message) => interpret::failed(Failure::Request { message: redactor.redact(&message) }),
    };
    let printed = OutputSizes { stdout: answer.body.len() as u64, stderr: 0 };
    HandlerResult { stdout: shown, printed, ..HandlerResult::without_process(taken) }
}
