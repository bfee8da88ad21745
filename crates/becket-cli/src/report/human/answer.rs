//! `check-output` for people.

use crate::report::style::{ERROR, FAINT, GOOD, HEAD, WARNING, indented, plain, styled};
use becket_embed::view::answer::{Answer, Effect};

/// What counts, then what does not.
pub(crate) fn render(answer: &Answer) -> String {
    let exit = styled(FAINT, &format!("exit code {}", answer.exit));
    let mut text = format!("{}  {exit}\n", styled(HEAD, answer.event));
    if let Some(failure) = &answer.failure {
        let what =
            if answer.unchecked { "no usable answer, so the action goes unchecked" } else { "an error" };
        text.push_str(&format!("  {} it {}\n", styled(ERROR, &format!("{what}:")), plain(failure)));
    }
    if answer.effects.is_empty() && answer.failure.is_none() {
        text.push_str(&format!("  {} nothing is decided and nothing is said\n", styled(GOOD, "silent:")));
    }
    for effect in &answer.effects {
        text.push_str(&line(effect));
    }
    for warning in &answer.warnings {
        text.push_str(&format!("  {} {}\n", styled(WARNING, "ignored:"), plain(warning)));
    }
    for unknown in &answer.unknown_fields {
        let meant = unknown.did_you_mean.as_ref().map(|name| format!("; did you mean `{name}`?"));
        let said = format!("`{}` is not known{}", unknown.field, meant.unwrap_or_default());
        text.push_str(&format!("  {} {}\n", styled(WARNING, "ignored:"), plain(&said)));
    }
    text
}

fn line(effect: &Effect) -> String {
    let reader = effect.to.map(|to| match to {
        "both" => "the user and the model read".to_owned(),
        "log" => "the log gets".to_owned(),
        to => format!("the {to} reads"),
    });
    let style =
        if matches!(effect.what.as_str(), "deny" | "block" | "stop" | "decline") { ERROR } else { GOOD };
    let what = styled(style, &effect.what);
    match (reader, &effect.text) {
        (Some(reader), Some(text)) => {
            format!("  {what}  {}\n{}", styled(FAINT, &format!("{reader}:")), indented(text, 4))
        }
        (None, Some(text)) => format!("  {what}\n{}", indented(text, 4)),
        (_, None) => format!("  {what}\n"),
    }
}
