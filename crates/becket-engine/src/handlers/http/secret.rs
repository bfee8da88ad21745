//! Values that must never be shown (S3): header values that variables were expanded in, credentials, a URL's query.
//!
//! Servers send back what they were sent, in error pages above all. Every text of an answer that people or models read
//! is filtered here, and so is all that a report or an error shows of it. Decisions are read before, and a tool's input
//! stays as it is: a changed command is another command.

use becket_model::interpret::Taken;
use becket_model::{Decision, Failure, Fields, Reply, RequestDecision};
use reqwest::Url;
use serde_json::Value;
use std::borrow::Cow;

/// The minimum length: shorter texts are not secrets, and hiding them would garble messages.
const SHORTEST: usize = 4;

/// The text that replaces a secret.
const HIDDEN: &str = "***";

/// The secrets of one request. Has no `Debug`.
#[derive(Default)]
pub(super) struct Secrets(Vec<Vec<u8>>);

impl Secrets {
    /// Those of a URL.
    pub(super) fn of_url(url: &Url) -> Self {
        let mut secrets = Secrets::default();
        for text in [Some(url.username()), url.password(), url.query(), url.fragment()].into_iter().flatten()
        {
            secrets.add(text.as_bytes());
        }
        for (_, value) in url.query_pairs() {
            secrets.add(value.as_bytes());
        }
        secrets
    }

    /// Adds one.
    pub(super) fn add(&mut self, secret: &[u8]) {
        let secret = secret.trim_ascii();
        if secret.len() >= SHORTEST {
            self.0.push(secret.to_vec());
            self.0.extend(escaped(secret));
            // The longer one first: it may hold the shorter.
            self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        }
    }

    /// The text without them.
    pub(super) fn hide(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.hide_bytes(text.as_bytes())).into_owned()
    }

    /// Removes the secrets from the texts of an answer.
    pub(super) fn hide_in(&self, mut taken: Taken) -> Taken {
        if let Some(failure) = &taken.failure {
            let said = failure.to_string();
            let message = self.hide(&said);
            if message != said {
                taken.failure = Some(Failure::Request { message });
            }
        }
        taken.warnings.iter_mut().chain(&mut taken.unknown_fields).for_each(|text| *text = self.hide(text));
        let Reply { decision, stop, system_message, terminal_sequence, context, notices, fields } =
            &mut taken.reply;
        let reason = match decision {
            Some(Decision::Permission { reason, .. }) => reason.as_mut(),
            Some(Decision::Block { reason, .. }) => Some(reason),
            Some(Decision::PermissionRequest(RequestDecision::Deny { message, .. })) => message.as_mut(),
            Some(
                Decision::PermissionRequest(RequestDecision::Allow { .. })
                | Decision::Elicitation { .. }
                | Decision::Worktree(_),
            )
            | None => None,
        };
        let texts = context.iter_mut().map(|context| &mut context.text);
        let texts = texts.chain(notices.iter_mut().map(|notice| &mut notice.text));
        let stop = stop.as_mut().and_then(|stop| stop.reason.as_mut());
        let texts = texts.chain(reason).chain(stop).chain(system_message).chain(terminal_sequence);
        texts.for_each(|text| *text = self.hide(text));
        self.hide_in_fields(fields);
        taken
    }

    fn hide_in_fields(&self, fields: &mut Fields) {
        let Fields { display_content, session_title, initial_user_message, classifier_context, .. } = fields;
        let texts = [display_content, session_title, initial_user_message, classifier_context];
        texts.into_iter().flatten().for_each(|text| *text = self.hide(text));
        let outputs = [&mut fields.updated_tool_output, &mut fields.updated_mcp_tool_output];
        outputs.into_iter().flatten().for_each(|output| self.hide_in_value(output));
    }

    fn hide_in_value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.hide(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.hide_in_value(value)),
            Value::Object(object) => object.values_mut().for_each(|value| self.hide_in_value(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The bytes without them.
    pub(super) fn hide_bytes<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        self.0.iter().fold(Cow::Borrowed(bytes), |bytes, secret| match without(&bytes, secret) {
            Some(hidden) => Cow::Owned(hidden),
            None => bytes,
        })
    }
}

/// A secret as JSON spells it, if that is another text.
fn escaped(secret: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(secret).ok()?;
    let json = Value::from(text).to_string();
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    (inner != text).then(|| inner.as_bytes().to_vec())
}

/// `None` where it does not occur.
fn without(bytes: &[u8], secret: &[u8]) -> Option<Vec<u8>> {
    let first = *secret.first()?;
    let mut hidden: Option<Vec<u8>> = None;
    let (mut copied, mut at) = (0, 0);
    while let Some(next) = bytes.get(at..)?.iter().position(|byte| *byte == first) {
        at += next;
        if bytes[at..].starts_with(secret) {
            let hidden = hidden.get_or_insert_default();
            hidden.extend_from_slice(&bytes[copied..at]);
            hidden.extend_from_slice(HIDDEN.as_bytes());
            at += secret.len();
            copied = at;
        } else {
            at += 1;
        }
    }
    hidden.as_mut()?.extend_from_slice(&bytes[copied..]);
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    // rule: S3
    #[test]
    fn secrets_are_hidden_wherever_they_stand() {
        let url = Url::parse("https://anna:pass%20word@x.example/?key=query%20value&a=b").unwrap();
        let mut secrets = Secrets::of_url(&url);
        secrets.add(b" token-1 ");
        secrets.add(b"token-1-long");
        secrets.add(b"no");
        for (text, shown) in [
            ("token-1", "***"),
            ("ttoken-1token-1-longx", "t******x"),
            ("token-", "token-"),
            ("anna and pass%20word", "*** and ***"),
            ("key=query%20value&a=b", "***"),
            ("query value", "***"),
            ("no", "no"),
            ("", ""),
        ] {
            assert_eq!(secrets.hide(text), shown, "{text}");
        }
    }
}
