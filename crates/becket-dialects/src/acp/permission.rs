//! The answers that an agent offers when it asks for a permission.
//!
//! INVARIANT: only an option that allows once answers an allow, and no option that allows answers a denial.

use super::AcpError;
use serde_json::{Map, Value, json};

/// The options of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionOptions {
    options: Vec<PermissionOption>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct PermissionOption {
    id: String,
    kind: String,
}

/// The meaning of a selected option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// The call may run.
    Allowed,
    /// The call may not run, or the answer can't be read.
    Rejected,
}

impl PermissionOptions {
    /// Reads the parameters of `session/request_permission`.
    ///
    /// # Errors
    /// Errors if an option has no id or kind.
    pub fn read(params: &Map<String, Value>) -> Result<Self, AcpError> {
        let options = params.get("options").and_then(Value::as_array).ok_or(AcpError::missing("options"))?;
        let read = |option: &Value| {
            let text = |key: &str| option.get(key).and_then(Value::as_str).map(str::to_owned);
            Some(PermissionOption { id: text("optionId")?, kind: text("kind")? })
        };
        let options = options.iter().map(|option| read(option).ok_or(AcpError::missing("options[]")));
        Ok(PermissionOptions { options: options.collect::<Result<_, _>>()? })
    }

    /// Returns the result that denies: an option of the agent that rejects, only this call if possible, else the
    /// cancelled outcome, with which no agent makes the call.
    pub fn rejection(&self) -> Value {
        let option = self.of_kind("reject_once").or_else(|| self.of_kind("reject_always"));
        option.map_or_else(|| json!({"outcome": {"outcome": "cancelled"}}), selected)
    }

    /// Returns the result that allows only this call; `None` if the agent has no such option.
    pub fn allowance(&self) -> Option<Value> {
        self.of_kind("allow_once").map(selected)
    }

    /// Returns the meaning of a result.
    pub fn meaning(&self, result: &Value) -> Selection {
        let outcome = &result["outcome"];
        let option = outcome["optionId"].as_str().filter(|_| outcome["outcome"] == "selected");
        let kind = self.options.iter().find(|known| Some(known.id.as_str()) == option);
        match kind.map(|option| option.kind.as_str()) {
            Some("allow_once" | "allow_always") => Selection::Allowed,
            Some(_) | None => Selection::Rejected,
        }
    }

    /// Returns the options of a request that a proxy makes itself, in the form of its parameters.
    pub fn of_proxy() -> Value {
        json!([
            {"optionId": "allow", "name": "Allow once", "kind": "allow_once"},
            {"optionId": "reject", "name": "Reject", "kind": "reject_once"},
        ])
    }

    fn of_kind(&self, kind: &str) -> Option<&PermissionOption> {
        self.options.iter().find(|option| option.kind == kind)
    }
}

fn selected(option: &PermissionOption) -> Value {
    json!({"outcome": {"outcome": "selected", "optionId": option.id}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(kinds: &[&str]) -> PermissionOptions {
        let all: Vec<Value> = kinds
            .iter()
            .map(|kind| json!({"optionId": format!("{kind}!"), "name": "", "kind": kind}))
            .collect();
        PermissionOptions::read(json!({"options": all}).as_object().expect("an object")).expect("options")
    }

    #[test]
    fn a_denial_selects_what_rejects_and_an_allow_what_allows_once() {
        let option = |id: &str| json!({"outcome": {"outcome": "selected", "optionId": id}});
        let cancelled = json!({"outcome": {"outcome": "cancelled"}});
        for (kinds, rejection, allowance) in [
            (
                &["allow_always", "allow_once", "reject_always", "reject_once"][..],
                option("reject_once!"),
                Some(option("allow_once!")),
            ),
            (&["allow_always", "reject_always"], option("reject_always!"), None),
            (&["allow_once", "new_kind"], cancelled.clone(), Some(option("allow_once!"))),
            (&[], cancelled, None),
        ] {
            let options = options(kinds);
            assert_eq!((options.rejection(), options.allowance()), (rejection, allowance), "{kinds:?}");
            assert_eq!(options.meaning(&options.rejection()), Selection::Rejected);
            let meaning = options.allowance().map(|allowance| options.meaning(&allowance));
            assert!(meaning.is_none_or(|meaning| meaning == Selection::Allowed));
        }
        let nothing = json!({"options": [{"optionId": "a", "name": ""}]});
        assert!(PermissionOptions::read(nothing.as_object().expect("an object")).is_err());
        for result in [
            json!({}),
            json!(null),
            option("other"),
            json!({"outcome": {"outcome": "x", "optionId": "allow_once!"}}),
        ] {
            assert_eq!(options(&["allow_once"]).meaning(&result), Selection::Rejected, "{result}");
        }
    }
}
