//! Calls that the server answers with a question: the host answers it, and the call is repeated with the answer.
//!
//! A server asks in two ways: with an error that lists addresses the user has to visit first (-32042), and since
//! 2026-07-28 with a result that requests input. Either way it has not done the work yet, so repeating the call does
//! not do it twice.
//!
//! INVARIANT: a call is repeated at most `ROUNDS` times.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{InputRequest, InputRequiredResult, InputResponses};
use serde::Serialize;
use serde_json::Value;

use super::answer::Answer;
use super::client::Client;
use super::clock::Clock;
use super::handshake::shown;
use super::live::OperationError;
use super::questions;
use crate::host::{Elicitation, ElicitationAnswer};

/// The limit on questions in answer to one call.
pub(super) const ROUNDS: u32 = 3;
/// The code of an error with addresses to visit.
const URL_NEEDED: i32 = -32042;
/// The pause before a call that the server asked to repeat without a question; it doubles each time.
const PAUSE: Duration = Duration::from_millis(250);

/// The additional parameters of a repeated call.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
}

/// Makes a call, and repeats it while its server asks for input.
pub(super) async fn rounds<T, F>(
    client: &Client,
    clock: &Arc<Clock>,
    call: impl Fn(Inputs) -> F,
) -> Result<T, OperationError>
where
    F: Future<Output = Result<Answer<T>, OperationError>>,
{
    let mut inputs = Inputs::default();
    for round in 0..=ROUNDS {
        let wanted = match call(inputs).await {
            Ok(Answer::Done(done)) => return Ok(done),
            Ok(Answer::Asks(asks)) => RetryCondition::Inputs(asks),
            Err(refusal) => match visits(&refusal) {
                Some(visits) => RetryCondition::Visits(visits, refusal),
                None => return Err(refusal),
            },
        };
        if round == ROUNDS {
            break;
        }
        inputs = match wanted {
            RetryCondition::Inputs(asks)
                if asks.input_requests.as_ref().is_none_or(|asked| asked.is_empty()) =>
            {
                tokio::time::sleep(PAUSE * 2_u32.pow(round)).await;
                Inputs { responses: None, state: asks.request_state }
            }
            RetryCondition::Inputs(asks) => {
                let _pause = clock.pause();
                fill(client, asks).await?
            }
            RetryCondition::Visits(visits, refusal) => {
                let _pause = clock.pause();
                if !visited(client, visits).await {
                    return Err(refusal);
                }
                Inputs::default()
            }
        };
    }
    Err(OperationError::TooManyRounds(ROUNDS))
}

/// The condition for repeating a call.
enum RetryCondition {
    Inputs(InputRequiredResult),
    Visits(Vec<Elicitation>, OperationError),
}

/// Returns the addresses that an error asks the user to visit; `None` if it is another error, or malformed.
fn visits(refusal: &OperationError) -> Option<Vec<Elicitation>> {
    let OperationError::Refused { code: URL_NEEDED, data: Some(data), .. } = refusal else { return None };
    let asked = data.get("elicitations")?.as_array()?;
    let read = |asked: &Value| match questions::raw_elicitation(Some(asked)) {
        Ok(visit @ Elicitation::Url { .. }) => Some(visit),
        Ok(Elicitation::Form { .. }) | Err(_) => None,
    };
    let visits = asked.iter().map(read).collect::<Option<Vec<_>>>()?;
    if visits.is_empty() { None } else { Some(visits) }
}

/// Visits the addresses one after the other, since each is a question to the same user.
async fn visited(client: &Client, visits: Vec<Elicitation>) -> bool {
    for visit in visits {
        match client.elicit(visit).await {
            ElicitationAnswer::Accept(_) => {}
            ElicitationAnswer::Decline | ElicitationAnswer::Cancel => return false,
        }
    }
    true
}

async fn fill(client: &Client, asks: InputRequiredResult) -> Result<Inputs, OperationError> {
    let mut responses = InputResponses::new();
    for (key, asked) in asks.input_requests.unwrap_or_default() {
        let response = answer(client, asked).await.map_err(|why| {
            let what = format!("it asks for input that it can't have: {}", why.message);
            OperationError::Unexpected(shown(&what))
        })?;
        responses.insert(key, response);
    }
    Ok(Inputs { responses: Some(responses), state: asks.request_state })
}

async fn answer(client: &Client, asked: InputRequest) -> Result<Value, ErrorData> {
    match asked {
        InputRequest::Elicitation(asked) => value(&client.elicit_result(asked.params).await?),
        InputRequest::CreateMessage(asked) => value(&client.sampled(&asked.params).await?),
        InputRequest::ListRoots(_) => value(&client.roots().await?),
        _ => Err(ErrorData::invalid_request("this kind of question is not known here", None)),
    }
}

fn value(answer: &impl Serialize) -> Result<Value, ErrorData> {
    serde_json::to_value(answer).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}
