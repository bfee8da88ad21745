//! The headers of a request: `$VAR` and `${VAR}` are filled, and no byte breaks out of its line (H5).
//!
//! - A variable is filled from the host's environment if the handler lists it in `allowedEnvVars`, and
//!   `httpHookAllowedEnvVars` (if one counts for the handler's source) lists it, too. Any other becomes empty, with a
//!   warning.
//! - CR, LF and NUL are removed, with a warning. Another byte that no header can contain fails the run: the message
//!   names the header and never its value.
//! - Headers that the body or the connection needs are set by the engine. Such a header of a handler is left out, with
//!   a warning; `Content-Type` is always `application/json`.
//! - Of two headers with one name the later counts, as of two keys in JSON, with a warning. An empty value is sent.

use crate::config::Policy;
use crate::config::handler::Http;
use crate::host::environment::Environment;
use becket_base::secret::Redactor;
use becket_model::Source;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use std::borrow::Cow;

/// Headers that control the transfer of the request or describe its body.
const OURS: [&str; 16] = [
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

const JSON: &str = "application/json";

/// The headers of a request, with variables filled in.
pub(super) struct FilledHeaders {
    pub(super) headers: HeaderMap,
    pub(super) warnings: Vec<String>,
}

/// Fills a handler's headers; the parts that must not be shown go to `redactor`.
///
/// # Errors
/// Errors if a header's name is not valid, or its value contains a character that no header can contain. Names the
/// header alone.
pub(super) fn fill(
    http: &Http,
    source: &Source,
    policy: &Policy,
    environment: &Environment,
    redactor: &mut Redactor,
) -> Result<FilledHeaders, String> {
    let mut warnings = Vec::new();
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static(JSON));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    let variables = Variables { http, source, policy, environment };
    let mut seen: Vec<HeaderName> = Vec::new();
    for (written, value) in &http.headers {
        let name = HeaderName::try_from(written.trim())
            .map_err(|_| format!("`{}` is not a name of a header", written.escape_debug()))?;
        if OURS.contains(&name.as_str()) {
            if name != CONTENT_TYPE || !value.trim().eq_ignore_ascii_case(JSON) {
                warnings.push(format!("the header `{name}` was left out: it is the engine's to set"));
            }
            continue;
        }
        let value = one_line(variables.expand(value, &name, &mut warnings, redactor), &name, &mut warnings);
        let value = sensitive(&name, &value, redactor)?;
        if seen.contains(&name) {
            warnings.push(format!("the header `{name}` occurs twice: the later one was sent"));
        }
        headers.try_insert(name.clone(), value).map_err(|_| "there are too many headers".to_owned())?;
        seen.push(name);
    }
    Ok(FilledHeaders { headers, warnings })
}

/// Returns the value without bytes that would end its line.
fn one_line(mut value: Vec<u8>, name: &HeaderName, warnings: &mut Vec<String>) -> Vec<u8> {
    let length = value.len();
    value.retain(|byte| !matches!(byte, b'\r' | b'\n' | 0));
    if value.len() < length {
        warnings.push(format!("line ends and NUL were removed from the header `{name}`"));
    }
    value
}

fn sensitive(name: &HeaderName, value: &[u8], redactor: &mut Redactor) -> Result<HeaderValue, String> {
    redactor.add(value);
    // `Bearer` and `Basic` are not secrets; the text after them is one, even by itself.
    if let Some(blank) = value.iter().position(|byte| *byte == b' ') {
        redactor.add(&value[blank..]);
    }
    let mut value = HeaderValue::from_bytes(value)
        .map_err(|_| format!("the header `{name}` holds a character that no header can hold"))?;
    value.set_sensitive(true);
    Ok(value)
}

/// The variables that a header's value may name.
struct Variables<'a> {
    http: &'a Http,
    source: &'a Source,
    policy: &'a Policy,
    environment: &'a Environment,
}

impl Variables<'_> {
    fn expand(
        &self,
        text: &str,
        header: &HeaderName,
        warnings: &mut Vec<String>,
        redactor: &mut Redactor,
    ) -> Vec<u8> {
        let mut filled = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, from) = rest.split_at(at);
            filled.extend_from_slice(before.as_bytes());
            let Some((name, after)) = variable(from) else {
                filled.push(b'$');
                rest = &from[1..];
                continue;
            };
            match self.value(name) {
                Ok(value) => {
                    redactor.add(value);
                    filled.extend_from_slice(value);
                }
                Err(why) => warnings.push(format!("`${name}` in the header `{header}` is empty: {why}")),
            }
            rest = after;
        }
        filled.extend_from_slice(rest.as_bytes());
        filled
    }

    /// Returns a variable's bytes: a header may contain bytes that are not UTF-8.
    fn value(&self, name: &str) -> Result<&[u8], Cow<'static, str>> {
        if !self.http.allowed_env_vars.iter().any(|allowed| allowed == name) {
            return Err(format!("add `{name}` to the handler's `allowedEnvVars`").into());
        }
        let is_listed = |list: &Vec<String>| list.iter().any(|allowed| allowed == name);
        if !self.policy.http_hook_allowed_env_vars.allows(self.source, is_listed) {
            return Err("the setting `httpHookAllowedEnvVars` leaves it out".into());
        }
        let value = self.environment.var(name).ok_or("the variable is not set")?;
        Ok(value.as_encoded_bytes())
    }
}

/// Parses the name of the variable at the beginning of `$NAME…` or `${NAME}…`; returns it with the text after it.
fn variable(from: &str) -> Option<(&str, &str)> {
    let text = from.strip_prefix('$')?;
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if let Some(braced) = text.strip_prefix('{') {
        let (name, after) = braced.split_once('}')?;
        return (is_name(name) && name.chars().all(is_of_name)).then_some((name, after));
    }
    let end = text.find(|c| !is_of_name(c)).unwrap_or(text.len());
    let (name, after) = text.split_at(end);
    is_name(name).then_some((name, after))
}

fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}
