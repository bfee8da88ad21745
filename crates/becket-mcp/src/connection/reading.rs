//! Resources and prompts of a server (`protocol.md` X8).

use std::sync::Arc;

use rmcp::model::{
    ClientRequest, GetPromptRequest, GetPromptRequestParams, ListPromptsRequest,
    ListResourceTemplatesRequest, ListResourcesRequest, PaginatedRequestParams, ReadResourceRequest,
    ReadResourceRequestParams, ServerResult,
};
use serde_json::{Map, Value};

use super::answer::Answer;
use super::ask::Requester;
use super::clock::Clock;
use super::live::{Connection, OperationError};
use super::no_answer::Trouble;
use super::pages::all;
use super::rounds::rounds;
use crate::prompt::{Prompt, PromptResult};
use crate::resource::{ResourceContents, ResourceTemplate, Resources};

/// The JSON-RPC error code for an unknown method.
const METHOD_NOT_FOUND: i32 = -32601;

impl Connection {
    /// Lists the resources and their families; none if the server announces none.
    pub(crate) async fn list_resources(&self) -> Result<Resources, OperationError> {
        if !self.info().resources {
            return Ok(Resources::default());
        }
        let listed = async {
            let resources = all(self.requester(), resources_request, resources_page).await?;
            let templates = match templates(self.requester()).await {
                // Many servers do not support families of resources.
                Err(Trouble::Refused { code: METHOD_NOT_FOUND, .. }) => Vec::new(),
                listed => listed?,
            };
            Ok(Resources { resources, templates })
        };
        self.or_failed(listed.await).await
    }

    /// Lists the prompts; none if the server announces none.
    pub(crate) async fn list_prompts(&self) -> Result<Vec<Prompt>, OperationError> {
        if !self.info().prompts {
            return Ok(Vec::new());
        }
        let listed = all(self.requester(), prompts_request, prompts_page).await;
        self.or_failed(listed).await
    }

    /// Reads a resource. Dropping the future cancels the request at the server.
    pub(crate) async fn read_resource(
        &self,
        uri: &str,
        clock: &Arc<Clock>,
    ) -> Result<Vec<ResourceContents>, OperationError> {
        let call = &self.client().calls().enter(&uri.into(), clock);
        rounds(self.client(), clock, |inputs| async move {
            let mut params = ReadResourceRequestParams::new(uri);
            (params.input_responses, params.request_state) = (inputs.responses, inputs.state);
            let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params));
            contents(self.or_failed(self.requester().ask(request, Some(call)).await).await?)
        })
        .await
    }

    /// Gets a prompt. Dropping the future cancels the request at the server.
    pub(crate) async fn prompt(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        clock: &Arc<Clock>,
    ) -> Result<PromptResult, OperationError> {
        let call = &self.client().calls().enter(&name.into(), clock);
        rounds(self.client(), clock, |inputs| async move {
            let mut params = GetPromptRequestParams::new(name).with_arguments(arguments.clone());
            (params.input_responses, params.request_state) = (inputs.responses, inputs.state);
            let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
            prompt_result(self.or_failed(self.requester().ask(request, Some(call)).await).await?)
        })
        .await
    }
}

/// Converts the answer to `resources/read`.
#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
fn contents(answer: ServerResult) -> Result<Answer<Vec<ResourceContents>>, OperationError> {
    match answer {
        ServerResult::ReadResourceResult(read) => {
            let contents = read.contents.into_iter().map(ResourceContents::try_from);
            contents.collect::<Result<_, _>>().map(Answer::Done).map_err(OperationError::Unexpected)
        }
        ServerResult::InputRequiredResult(asks) => Ok(Answer::Asks(asks)),
        _ => Err(OperationError::Unexpected("it is not a resource".into())),
    }
}

/// Converts the answer to `prompts/get`.
#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
fn prompt_result(answer: ServerResult) -> Result<Answer<PromptResult>, OperationError> {
    match answer {
        ServerResult::GetPromptResult(got) => {
            PromptResult::try_from(got).map(Answer::Done).map_err(OperationError::Unexpected)
        }
        ServerResult::InputRequiredResult(asks) => Ok(Answer::Asks(asks)),
        _ => Err(OperationError::Unexpected("it is not a prompt".into())),
    }
}

async fn templates(requester: &Requester) -> Result<Vec<ResourceTemplate>, Trouble> {
    let request = |params| {
        let (method, extensions) = Default::default();
        ClientRequest::ListResourceTemplatesRequest(ListResourceTemplatesRequest {
            method,
            params,
            extensions,
        })
    };
    all(requester, request, templates_page).await
}

fn templates_page(page: ServerResult) -> Result<(Vec<ResourceTemplate>, Option<String>), Trouble> {
    if let ServerResult::ListResourceTemplatesResult(page) = page {
        return Ok((page.resource_templates.into_iter().map(Into::into).collect(), page.next_cursor));
    }
    Err(Trouble::Unexpected("it is not a list of resource templates".into()))
}

fn resources_request(params: Option<PaginatedRequestParams>) -> ClientRequest {
    let (method, extensions) = Default::default();
    ClientRequest::ListResourcesRequest(ListResourcesRequest { method, params, extensions })
}

fn resources_page(page: ServerResult) -> Result<(Vec<crate::resource::Resource>, Option<String>), Trouble> {
    if let ServerResult::ListResourcesResult(page) = page {
        return Ok((page.resources.into_iter().map(Into::into).collect(), page.next_cursor));
    }
    Err(Trouble::Unexpected("it is not a list of resources".into()))
}

fn prompts_request(params: Option<PaginatedRequestParams>) -> ClientRequest {
    let (method, extensions) = Default::default();
    ClientRequest::ListPromptsRequest(ListPromptsRequest { method, params, extensions })
}

fn prompts_page(page: ServerResult) -> Result<(Vec<Prompt>, Option<String>), Trouble> {
    if let ServerResult::ListPromptsResult(page) = page {
        return Ok((page.prompts.into_iter().map(Into::into).collect(), page.next_cursor));
    }
    Err(Trouble::Unexpected("it is not a list of prompts".into()))
}
