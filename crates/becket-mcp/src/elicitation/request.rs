//! Parsing of questions, from the parameters of `elicitation/create` or the data of error -32042.
//!
//! It parses JSON instead of using the library's types, which drop unknown members of a form, such as `pattern`.

use serde_json::{Map, Value};

use super::Unreadable;
use crate::host::{Elicitation, ElicitationAnswer};

impl Elicitation {
    /// The code of the error with which a server refuses a request until its user has visited an address.
    pub const REQUIRED: i32 = -32042;

    /// Parses the parameters of `elicitation/create`; without a `mode` they are those of a form. The form itself and
    /// the address are parsed by [`super::Form::read`] and [`super::Address::read`].
    ///
    /// # Errors
    /// Errors if a part is missing or is of another type, or the mode is unknown.
    pub fn read(params: &Value) -> Result<Self, Unreadable> {
        let params =
            params.as_object().ok_or_else(|| Unreadable::params("its parameters are not an object"))?;
        match params.get("mode") {
            None => form(params),
            Some(Value::String(mode)) if mode == "form" => form(params),
            Some(Value::String(mode)) if mode == "url" => address(params),
            Some(mode) => {
                let mode = becket_base::text::cut(&mode.to_string(), 100);
                Err(Unreadable::params(format!("there is no mode {mode}; there are \"form\" and \"url\"")))
            }
        }
    }

    /// Parses the `data` of an error -32042: the addresses that the user has to visit before the request can be
    /// repeated, at least one.
    ///
    /// # Errors
    /// Errors if one of them is malformed, or there is none.
    pub fn required(data: Option<&Value>) -> Result<Vec<Self>, Unreadable> {
        let listed = data.and_then(|data| data.get("elicitations")).and_then(Value::as_array);
        let listed = listed.ok_or_else(|| Unreadable::params("its error has no list `data.elicitations`"))?;
        let one = |asked: &Value| match asked.get("mode").map_or(Some("url"), Value::as_str) {
            Some("url") => {
                let asked = asked.as_object();
                address(
                    asked.ok_or_else(|| Unreadable::params("one of `data.elicitations` is not an object"))?,
                )
            }
            Some(_) | None => Err(Unreadable::params("one of `data.elicitations` is not an address")),
        };
        let visits = listed.iter().map(one).collect::<Result<Vec<_>, _>>()?;
        if visits.is_empty() { Err(Unreadable::params("`data.elicitations` is empty")) } else { Ok(visits) }
    }
}

fn form(params: &Map<String, Value>) -> Result<Elicitation, Unreadable> {
    match params.get("requestedSchema") {
        Some(Value::Object(schema)) => {
            Ok(Elicitation::Form { message: text(params, "message")?, schema: schema.clone() })
        }
        Some(_) => Err(Unreadable::params("its `requestedSchema` is not an object")),
        None => Err(Unreadable::params("it has no `requestedSchema`")),
    }
}

fn address(params: &Map<String, Value>) -> Result<Elicitation, Unreadable> {
    // Newer versions of the protocol have no id.
    let id = match params.get("elicitationId") {
        None => String::new(),
        Some(_) => text(params, "elicitationId")?,
    };
    Ok(Elicitation::Url { message: text(params, "message")?, url: text(params, "url")?, id })
}

fn text(params: &Map<String, Value>, key: &str) -> Result<String, Unreadable> {
    match params.get(key) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(Unreadable::params(format!("its `{key}` is not a string"))),
        None => Err(Unreadable::params(format!("it has no `{key}`"))),
    }
}

impl ElicitationAnswer {
    /// Returns the name of the answer: `accept`, `decline` or `cancel`.
    #[must_use]
    pub fn action(&self) -> &'static str {
        match self {
            Self::Accept(_) => "accept",
            Self::Decline => "decline",
            Self::Cancel => "cancel",
        }
    }

    /// Returns the answer with that name; `None` for another name. Only an acceptance has content.
    #[must_use]
    pub fn of(action: &str, content: Option<Map<String, Value>>) -> Option<Self> {
        match action {
            "accept" => Some(Self::Accept(content.unwrap_or_default())),
            "decline" => Some(Self::Decline),
            "cancel" => Some(Self::Cancel),
            _ => None,
        }
    }
}
