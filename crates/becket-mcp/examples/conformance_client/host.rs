//! The services of this host: an answer to every question, and a model with a fixed reply.

use becket_mcp::elicitation::Form;
use becket_mcp::{BoxFuture, CancellationToken, Elicitation, ElicitationAnswer, Host, Offers};
use serde_json::{Map, Value, json};

/// A host whose user accepts all suggestions.
pub(crate) struct Agreeable;

impl Host for Agreeable {
    fn offers(&self) -> Offers {
        Offers { form: true, url: true, sampling: true, roots: true }
    }

    fn elicit<'a>(
        &'a self,
        _: &'a str,
        asked: Elicitation,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, ElicitationAnswer> {
        let fields = match asked {
            Elicitation::Form { schema, .. } => suggested(&schema),
            Elicitation::Url { .. } => Map::new(),
        };
        Box::pin(std::future::ready(ElicitationAnswer::Accept(fields)))
    }

    fn sample<'a>(
        &'a self,
        _: &'a str,
        _: Map<String, Value>,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Map<String, Value>, String>> {
        let said = json!({"role": "assistant", "content": {"type": "text", "text": "yes"}, "model": "none"});
        let Value::Object(said) = said else { unreachable!("it is an object") };
        Box::pin(std::future::ready(Ok(said)))
    }
}

/// Returns the fields of a form as its server suggests them; required ones without a suggestion are filled in.
fn suggested(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut fields = Map::new();
    if let Ok(form) = Form::read(schema) {
        form.fill_defaults(&mut fields);
    }
    let properties = schema.get("properties").unwrap_or(&Value::Null);
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    for name in required.filter_map(Value::as_str) {
        fields.entry(name).or_insert_with(|| some_value(&properties[name]));
    }
    fields
}

/// Returns a value of the type that a schema names.
pub(crate) fn some_value(schema: &Value) -> Value {
    match schema["type"].as_str() {
        Some("number" | "integer") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some(_) | None => json!("text"),
    }
}
