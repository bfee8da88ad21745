//! The protocol as data: its methods, calls, notifications and errors, each with its shapes.

use super::answers::{
    Done, EnvFiles, HookCall, InitializeResult, PROTOCOL, Question, SessionOpenResult, Withdrawn,
};
use super::fault::{BROKEN, KINDS, WireFault};
use super::method::{CANCEL, Method};
use super::notifications::InSession;
use super::params::{Cancel, Initialize, OfEvent, OfSession, Register, Unregister};
use becket_embed::Open;
use becket_embed::view::{background, fired, planned};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// Returns the whole protocol.
pub(crate) fn schema() -> Value {
    let mut shapes = schemars::generate::SchemaSettings::draft2020_12().into_generator();
    let requests = Method::ALL.iter().map(|method| {
        let (params, result) = shapes_of(*method, &mut shapes);
        let described = json!({"description": method.about(), "params": params, "result": result});
        (method.name().to_owned(), described)
    });
    let requests: Map<String, Value> = requests.collect();
    let calls = calls(&mut shapes);
    let notifications = json!({
        CANCEL: notification::<Cancel>("The answer is no longer needed: the work of the request is ended.", &mut shapes),
        "hook/cancel": notification::<Withdrawn<'_>>("From becket: the answer to a call of a hook is no longer needed.", &mut shapes),
        "question/cancel": notification::<Withdrawn<'_>>("From becket: the answer to a question is no longer needed.", &mut shapes),
        "run/event": notification::<InSession<'_>>("From becket, after `events/subscribe`: something happened.", &mut shapes),
    });
    let error = shapes.subschema_for::<WireFault>();
    let kinds: Vec<Value> =
        KINDS.iter().chain([&BROKEN]).map(|(code, kind)| json!({"code": code, "kind": kind})).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The protocol of becket serve",
        "description": "JSON-RPC 2.0, one message a line. Made by `becket schema rpc`.",
        "protocol": PROTOCOL,
        "requests": requests,
        "calls": calls,
        "notifications": notifications,
        "error": error,
        "kinds_of_errors": kinds,
        "http": over_http(),
        "$defs": shapes.take_definitions(true),
    })
}

/// Returns the additions for HTTP.
fn over_http() -> Value {
    let refusals: Vec<Value> =
        super::http::refusals().map(|(status, kind)| json!({"status": status, "kind": kind})).collect();
    json!({
        "description": "With `--http`. Every request has `Authorization: Bearer TOKEN`; all but the first of a connection have `Becket-Connection`, which the answer to the first one names.",
        "requests": {
            "POST /": "Messages, one a line. 200 with the answers to the requests among them, one a line, or 202 if there are none; 400 or 409 with an error if they can't be accepted.",
            "GET /": "200 with the calls and notifications from becket, one a line, for as long as it is open.",
            "DELETE /": "204 once nothing of the connection is left.",
        },
        "refusals": refusals,
    })
}

fn shape<T: JsonSchema>(shapes: &mut SchemaGenerator) -> Schema {
    shapes.subschema_for::<T>()
}

fn notification<P: JsonSchema>(about: &str, shapes: &mut SchemaGenerator) -> Value {
    json!({"description": about, "params": shape::<P>(shapes)})
}

/// Returns the requests to the client.
fn calls(shapes: &mut SchemaGenerator) -> Value {
    let answer = json!({"description": "What a command would print, or null.", "type": ["object", "null"]});
    let selected = json!({
        "type": "object",
        "properties": {"selected": {"description": "The key of an option, or null.", "type": ["string", "null"]}},
    });
    json!({
        "hook/call": {
            "description": "Calls a hook of the client. Any answer but an object or null fails it; null does, too, if `on_failure` is `block`.",
            "params": shape::<HookCall<'_>>(shapes),
            "result": answer,
        },
        "question/ask": {
            "description": "The user of the client is to answer the question of a hook.",
            "params": shape::<Question<'_>>(shapes),
            "result": selected,
        },
    })
}

/// Returns the shapes of the parameters of a request, and of its result.
fn shapes_of(method: Method, shapes: &mut SchemaGenerator) -> (Schema, Schema) {
    match method {
        Method::Initialize => (shape::<Initialize>(shapes), shape::<InitializeResult>(shapes)),
        Method::SessionOpen => (shape::<Open>(shapes), shape::<SessionOpenResult>(shapes)),
        Method::SessionReload => (shape::<OfSession>(shapes), shape::<SessionOpenResult>(shapes)),
        Method::EventFire => (shape::<OfEvent>(shapes), shape::<fired::FireReport>(shapes)),
        Method::EventPlan => (shape::<OfEvent>(shapes), shape::<planned::Runs>(shapes)),
        Method::EventExplain => (shape::<OfEvent>(shapes), shape::<planned::PlanReport>(shapes)),
        Method::HooksRegister => (shape::<Register>(shapes), shape::<Done>(shapes)),
        Method::HooksUnregister => (shape::<Unregister>(shapes), shape::<Done>(shapes)),
        Method::SessionEnvFiles => (shape::<OfSession>(shapes), shape::<EnvFiles>(shapes)),
        Method::SessionClose | Method::EventsSubscribe | Method::EventsUnsubscribe => {
            (shape::<OfSession>(shapes), shape::<Done>(shapes))
        }
        Method::BackgroundTake => {
            (shape::<OfSession>(shapes), shape::<background::BackgroundResults>(shapes))
        }
    }
}
