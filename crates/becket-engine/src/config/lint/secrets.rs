//! Keys of services in a file that comes with a repository or a plugin (S3).

use crate::config::load::Layer;
use crate::config::source::report::Report;
use crate::config::source::tree::{Data, Node};
use becket_base::secret::{REDACTED, Redactor};
use becket_model::Source;

/// The beginnings of keys that are shown to nobody, beside those that are redacted everywhere.
const PREFIXES: [&str; 10] =
    ["squ_", "sqp_", "sqa_", "dop_v1_", "lin_api_", "figd_", "tvly-", "gsk_", "nvapi-", "pplx-"];

/// The shortest key in bytes.
const SHORTEST: usize = 20;

/// Warns about each text of a document that contains a key.
pub(super) fn lint(root: &Node, layer: &Layer, report: &mut Report<'_>) {
    let is_shared = match layer.source {
        Source::Project | Source::Plugin(_) | Source::Flag => true,
        // It may have come with the folder.
        Source::Local => layer.is_untrusted,
        Source::Policy
        | Source::User
        | Source::Skill(_)
        | Source::Agent(_)
        | Source::Callback
        | Source::Function => false,
    };
    if is_shared {
        visit(root, report);
    }
}

fn visit(node: &Node, report: &mut Report<'_>) {
    match &node.data {
        Data::Null | Data::Bool(_) | Data::Number(_) => {}
        Data::Text(text) => {
            if let Some(key) = key_in(text) {
                let at = report.part_of(node.span, text, key);
                let start: String = key.chars().take(4).collect();
                let message = format!("`{start}…` looks like a key, and everyone who has this file has it");
                report
                    .warning(at, "secret-in-file", message)
                    .help("revoke it, and set the new one in the environment or in `settings.local.json`")
                    .rule("S3");
            }
        }
        Data::List(nodes) => nodes.iter().for_each(|node| visit(node, report)),
        Data::Map(members) => members.iter().for_each(|member| visit(&member.value, report)),
    }
}

/// Returns the first word of a text that is a key.
fn key_in(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let known = text
        .split(|c: char| !is_part(c))
        .find(|word| word.len() >= SHORTEST && is_random(word) && is_key(word));
    known.or_else(|| {
        let (_, after) = text.split_once("Bearer ")?;
        let word = after.split(|c: char| !is_part(c)).next()?;
        (word.len() >= SHORTEST && is_random(word)).then_some(word)
    })
}

fn is_key(word: &str) -> bool {
    let mut redactor = Redactor::default();
    redactor.add_found_in(word);
    redactor.redact(word) == REDACTED || PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}

/// Returns whether a word looks random: the names in an example hold few digits, or the same letter again and again.
fn is_random(word: &str) -> bool {
    const EXAMPLES: [&str; 4] = ["xxx", "your", "example", "placeholder"];
    let lower = word.to_ascii_lowercase();
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    let mut different: Vec<u8> = lower.bytes().collect();
    different.sort_unstable();
    different.dedup();
    digits > 2 && letters > 2 && different.len() > 8 && !EXAMPLES.iter().any(|text| lower.contains(text))
}

#[cfg(test)]
mod tests {
    use super::key_in;

    // rule: S3
    #[test]
    fn keys_are_told_from_names_and_examples() {
        for text in [
            "sk-e8ec2b76b86c4285947b1d79729e8635",
            "Bash(mvn -Dsonar.token=squ_5d002d95e337ee41bc1cc37ea64d092678339087)",
            "curl -H 'Authorization: Bearer ghp_0A1b2C3d4E5f6G7h8I9j' x",
            "Authorization=Bearer ab_c3-dEfG_H4iJkL5mNoPqR6sT",
        ] {
            assert!(key_in(text).is_some(), "{text}");
        }
        for text in [
            "sk-your-api-key-goes-here-1234",
            "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "mcp__sk-learn-2-helper__run",
            "Bash(git show 8f1c83fd2b903e0259b4cccd74b6cf55790db6ac)",
            "$ANTHROPIC_AUTH_TOKEN",
            "Authorization: Bearer ${SERVICE_TOKEN_NUMBER_123}",
            "Authorization: Bearer your-token-1234-goes-here",
            "ab_c3-dEfG_H4iJkL5mNoPqR6sT",
        ] {
            assert!(key_in(text).is_none(), "{text}");
        }
    }
}
