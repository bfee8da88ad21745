//! The lists of a server, page by page.
//!
//! INVARIANT: at most `PAGES` pages of a list are requested, and never two with the same cursor.

use std::collections::HashSet;

use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult};

use super::ask::Requester;
use super::handshake::shown;
use super::no_answer::Trouble;
use crate::tool::{Tool, page};

/// The limit on pages, above that of any well-behaved server.
const PAGES: usize = 100;

/// Lists the tools of the server; none if it announces none.
pub(super) async fn tools(requester: &Requester) -> Result<Vec<Tool>, Trouble> {
    if requester.info().is_none_or(|info| info.capabilities.tools.is_none()) {
        return Ok(Vec::new());
    }
    let request = |params| {
        let (method, extensions) = Default::default();
        ClientRequest::ListToolsRequest(ListToolsRequest { method, params, extensions })
    };
    all(requester, request, page_of_tools).await
}

/// Returns the tools of a page and the cursor of the next one. A page with a malformed tool is parsed manually, to
/// keep the other tools.
#[expect(clippy::wildcard_enum_match_arm, reason = "the enum is another crate's")]
fn page_of_tools(answer: ServerResult) -> Result<(Vec<Tool>, Option<String>), Trouble> {
    let by_hand = match answer {
        ServerResult::ListToolsResult(page) => {
            return Ok((page.tools.into_iter().map(Tool::from_wire).collect(), page.next_cursor));
        }
        ServerResult::CustomResult(answer) => page(&answer.0),
        _ => None,
    };
    let page = by_hand.ok_or_else(|| Trouble::Unexpected("it is not a list of tools".into()))?;
    Ok((page.tools, page.next_cursor))
}

/// Requests page after page.
pub(super) async fn all<T>(
    requester: &Requester,
    request: impl Fn(Option<PaginatedRequestParams>) -> ClientRequest,
    read: impl Fn(ServerResult) -> Result<(Vec<T>, Option<String>), Trouble>,
) -> Result<Vec<T>, Trouble> {
    let (mut list, mut seen, mut cursor) = (Vec::new(), HashSet::new(), None);
    for _ in 0..PAGES {
        let params = PaginatedRequestParams::default().with_cursor(cursor.take());
        let (page, next) = read(requester.ask(request(Some(params)), None).await?)?;
        list.extend(page);
        let Some(next) = next else { return Ok(list) };
        if !seen.insert(next.clone()) {
            return Err(Trouble::Unexpected(format!("the cursor `{}` comes twice", shown(&next))));
        }
        cursor = Some(next);
    }
    Err(Trouble::Unexpected(format!("it has more than {PAGES} pages")))
}
