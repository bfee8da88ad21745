//! One run: prepare, post, read, understand.

use super::answer::Answer;
use super::header;
use super::secret::Secrets;
use super::target::Target;
use super::trouble;
use crate::dispatch::Firing;
use crate::handler::{Handler, Http};
use crate::nesting::HEADER;
use crate::outcome::Printed;
use crate::ran::Ran;
use crate::run_event::{OutputStream, What};
use becket_model::Failure;
use becket_model::interpret;
use bytes::Bytes;
use reqwest::RequestBuilder;
use std::sync::Arc;

/// A request that is ready to go.
struct Prepared {
    request: RequestBuilder,
    /// Where it goes, as errors may name it.
    place: String,
    secrets: Secrets,
    warnings: Vec<String>,
}

/// Runs the handler; the whole exchange, from the lookup of the name to the last byte, has the handler's limit.
pub(crate) async fn run(firing: &Firing<'_>, handler: &Arc<Handler>, http: &Http) -> Ran {
    let failed = |failure| Ran::without_process(interpret::failed(failure));
    let Prepared { request, place, secrets, warnings } = match prepare(firing, handler, http) {
        Ok(prepared) => prepared,
        Err(message) => return failed(Failure::Request { message }),
    };
    let cap = firing.inner.limits.stdout_cap.get();
    let exchange = async {
        let response = request.send().await.map_err(|error| trouble::in_words(error, &place))?;
        Answer::read(response, &place, cap).await
    };
    let mut ran = match firing.within(firing.limit_of(handler), exchange).await {
        Ok(Ok(answer)) => understood(firing, handler, &answer, &secrets),
        Ok(Err(message)) => failed(Failure::Request { message: secrets.hide(&message) }),
        Err(failure) => failed(failure),
    };
    ran.taken.warnings.splice(0..0, warnings);
    ran
}

/// Everything that can be known to be wrong before a byte is sent.
fn prepare(firing: &Firing<'_>, handler: &Handler, http: &Http) -> Result<Prepared, String> {
    let policy = &firing.snapshot.config.policy;
    let target = Target::of(http, &handler.place.source, policy, &firing.inner.environment)?;
    let mut secrets = Secrets::of_url(&target.url);
    let filled = header::fill(http, policy, &firing.inner.environment, &mut secrets)?;
    let mut headers = filled.headers;
    if let Ok(marks) = firing.marks().try_into() {
        headers.insert(HEADER, marks);
    }
    let client = firing.inner.host.http.client(&target, &firing.inner.environment)?;
    let line = firing.stdin();
    let body = line.slice(..line.len() - 1);
    Ok(Prepared {
        request: client.post(target.url).headers(headers).body(body),
        place: target.place,
        secrets,
        warnings: filled.warnings,
    })
}

/// What an answer means; what is shown of it holds no secret that the server sent back (S3).
fn understood(firing: &Firing<'_>, handler: &Arc<Handler>, answer: &Answer, secrets: &Secrets) -> Ran {
    let spec = firing.event.kind().spec();
    let shown = Bytes::from(secrets.hide_bytes(&answer.body).into_owned());
    firing.emit(|| What::Output {
        handler: handler.clone(),
        stream: OutputStream::Stdout,
        bytes: shown.as_ref().into(),
    });
    let taken = match answer.object(firing.event.kind(), &shown) {
        Ok(answer) => secrets.hide_in(interpret::object(spec, &answer, firing.on_failure(handler))),
        Err(message) => interpret::failed(Failure::Request { message: secrets.hide(&message) }),
    };
    let printed = Printed { stdout: answer.body.len() as u64, stderr: 0 };
    Ran { stdout: shown, printed, ..Ran::without_process(taken) }
}
