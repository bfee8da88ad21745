//! HTTP handlers: POST the input, read the answer (H5), and reach no address that policy refuses (S1, S2).

use crate::dispatch::Firing;
use crate::handler::{Handler, Http};
use crate::run_command::Ran;
use becket_model::Failure;
use becket_model::interpret;
use becket_model::table::HandlerKind;
use std::sync::Arc;

/// Runs the handler.
pub(crate) async fn run(firing: &Firing<'_>, handler: &Arc<Handler>, http: &Http) -> Ran {
    let _ = (handler, http);
    Ran::without_process(interpret::failed(
        firing.event.kind().spec(),
        Failure::NotInThisBuild { kind: HandlerKind::Http },
    ))
}
