//! Secrets in texts that others wrote, recognized by their form.

/// The beginnings of keys of known services.
const PREFIXES: [&str; 19] = [
    "sk-",
    "sk_live_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "ya29.",
    "npm_",
    "hf_",
    "pypi-",
];
/// The minimum length of a service's key in bytes, with its prefix.
const SHORTEST_KEY: usize = 16;
/// Parts of names whose values are secrets.
const NAMES: [&str; 10] = [
    "token",
    "secret",
    "password",
    "passwd",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "private_key",
    "credential",
];
/// The minimum length of such a value in bytes.
const SHORTEST_VALUE: usize = 6;

/// Returns the parts of a text that look like secrets.
pub(super) fn in_text(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = words(text).filter(|word| is_key(word)).collect();
    found.extend(named_values(text));
    found.extend(credentials(text));
    found.extend(private_keys(text));
    found
}

fn is_word_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '~')
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word_part(c)).filter(|word| word.len() >= SHORTEST_KEY)
}

fn is_key(word: &str) -> bool {
    let is_json_web_token = word.starts_with("eyJ") && word.matches('.').count() == 2;
    is_json_web_token || PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}

/// Returns the values after `NAME=`, `NAME: `, `--NAME `, `"NAME": "` and `Authorization: Bearer `.
fn named_values(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.char_indices().filter(|(_, c)| matches!(c, '=' | ':' | ' '));
    ends.filter_map(|(at, c)| {
        let name = last_name(&text[..at]);
        let is_option = name.starts_with("--");
        if c == ' ' && !is_option {
            return None;
        }
        let lower = name.to_ascii_lowercase();
        let is_header = lower == "authorization" || lower == "cookie";
        if !is_header && !NAMES.iter().any(|part| lower.contains(part)) {
            return None;
        }
        let rest = text[at + 1..].trim_start_matches([' ', '"', '\'', '\\']);
        let rest = ["Bearer ", "Basic ", "bearer ", "token "]
            .iter()
            .find_map(|word| rest.strip_prefix(word))
            .unwrap_or(rest);
        let ends_value =
            |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\' | ',' | ';' | '&' | '|' | ')' | '}');
        let value = rest.split(ends_value).next().unwrap_or_default();
        // A variable is not a secret, only its name.
        (value.len() >= SHORTEST_VALUE && !value.starts_with(['$', '<', '{', '('])).then_some(value)
    })
}

/// Returns the name at the end of a text, without a quote after it.
fn last_name(text: &str) -> &str {
    let text = text.trim_end_matches(['"', '\'', '\\']);
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let start =
        text.char_indices().rev().take_while(|(_, c)| is_part(*c)).last().map_or(text.len(), |(at, _)| at);
    &text[start..]
}

/// Returns the passwords of URLs.
fn credentials(text: &str) -> impl Iterator<Item = &str> {
    text.split("://").skip(1).filter_map(|rest| {
        let authority = rest.split(|c: char| c == '/' || c.is_whitespace()).next()?;
        let (credentials, _) = authority.rsplit_once('@')?;
        Some(credentials.split_once(':').map_or(credentials, |(_, password)| password))
    })
}

/// Returns private keys in PEM.
fn private_keys(text: &str) -> impl Iterator<Item = &str> {
    text.split("PRIVATE KEY-----").skip(1).step_by(2).filter_map(|body| {
        let body = body.split("-----END").next()?;
        (body.len() >= SHORTEST_KEY).then_some(body)
    })
}

#[cfg(test)]
mod tests {
    use crate::secret::Redactor;

    fn shown(text: &str) -> String {
        let mut redactor = Redactor::default();
        redactor.add_found_in(text);
        redactor.redact(text)
    }

    // rule: S3
    #[test]
    fn keys_and_values_of_telling_names_are_found_and_ordinary_words_are_not() {
        for (text, hidden) in [
            ("export OPENAI_API_KEY=sk-abcdefghijklmnop1234", "sk-abcdefghijklmnop1234"),
            ("curl -H 'Authorization: Bearer abc123def456' x", "abc123def456"),
            ("git clone https://ada:hunter22@git.example/x", "hunter22"),
            ("psql --password hunter22 -c x", "hunter22"),
            (r#"{"client_secret": "s3cr3t-value"}"#, "s3cr3t-value"),
            (r#"echo "{\"token\": \"s3cr3t-value\"}""#, "s3cr3t-value"),
            ("AKIAABCDEFGHIJKLMNOP", "AKIAABCDEFGHIJKLMNOP"),
            ("x eyJhbGciOi.eyJzdWIiOi.SflKxwRJSM y", "eyJhbGciOi.eyJzdWIiOi.SflKxwRJSM"),
            ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nxx-----END PRIVATE KEY-----", "MIIEvQIBADANBg"),
            ("ghp_0123456789abcdefghij", "ghp_0123456789abcdefghij"),
        ] {
            let shown = shown(text);
            assert!(!shown.contains(hidden) && shown.contains("[redacted]"), "{shown}");
        }
        for text in [
            "git push origin main",
            "token = $TOKEN",
            "cargo test --workspace",
            "a: b",
            "https://x.example/a@b",
        ] {
            assert_eq!(shown(text), text);
        }
    }
}
