//! `check-output` for people.

use crate::report::style::{ERROR, FAINT, GOOD, HEAD, WARNING, plain, running, styled};
use crate::wrap;
use becket_embed::view::answer::{Answer, Effect};

/// Shows the effects, then the parts without effect.
pub(crate) fn render(answer: &Answer, width: Option<usize>) -> String {
    let exit = styled(FAINT, &format!("exit code {}", answer.exit));
    let mut text = format!("{}  {exit}\n", styled(HEAD, answer.event));
    if let Some(failure) = &answer.failure {
        let what =
            if answer.unchecked { "no usable answer, so the action goes unchecked" } else { "an error" };
        text.push_str(&format!("  {} it {}\n", styled(ERROR, &format!("{what}:")), plain(failure)));
    }
    if let Some(advice) = &answer.advice {
        text.push_str(&format!("  {}\n", styled(WARNING, advice)));
    }
    if answer.effects.is_empty() && answer.failure.is_none() {
        text.push_str(&format!("  {} no decision and no message\n", styled(GOOD, "silent:")));
    }
    for effect in &answer.effects {
        text.push_str(&line(effect, width));
    }
    for warning in &answer.warnings {
        text.push_str(&format!("  {} {}\n", styled(WARNING, "ignored:"), plain(warning)));
    }
    for unknown in &answer.unknown_fields {
        let meant = unknown.did_you_mean.as_ref().map(|name| format!("; did you mean `{name}`?"));
        let notice = format!("`{}` is not known{}", unknown.field, meant.unwrap_or_default());
        text.push_str(&format!("  {} {}\n", styled(WARNING, "ignored:"), plain(&notice)));
    }
    wrap::fit(&text, width)
}

fn line(effect: &Effect, width: Option<usize>) -> String {
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
            format!("  {what}  {}\n{}", styled(FAINT, &format!("{reader}:")), running(text, 4, width))
        }
        (None, Some(text)) => format!("  {what}\n{}", running(text, 4, width)),
        (_, None) => format!("  {what}\n"),
    }
}
