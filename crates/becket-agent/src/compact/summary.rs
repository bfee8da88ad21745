//! The model's answer to a request for a summary.

/// The tags that the request asks for.
const TAGS: (&str, &str) = ("<summary>", "</summary>");

/// Returns the summary in an answer: the text in the tags, or all of it if they are missing. `None` if it is blank.
pub(super) fn summary_of(answer: &str) -> Option<&str> {
    let inside = answer.find(TAGS.0).map(|at| &answer[at + TAGS.0.len()..]);
    let text = match inside {
        Some(inside) => inside.rfind(TAGS.1).map_or(inside, |end| &inside[..end]),
        None => answer,
    };
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// Returns the text that replaces the conversation for the model.
pub(super) fn in_place(summary: &str) -> String {
    format!(
        "This session goes on from a conversation that grew too long to be sent. In short, this was said and done:\n\n\
         {summary}\n\nGo on from there. Do not ask the user to repeat what stands above."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_read_with_and_without_its_tags() {
        for (answer, summary) in [
            ("<analysis>x</analysis>\n<summary>\nall done\n</summary>\n", Some("all done")),
            ("all done", Some("all done")),
            ("<summary>cut off", Some("cut off")),
            ("<summary>a </summary> b</summary>", Some("a </summary> b")),
            ("<summary> \n</summary>", None),
            ("</summary>", Some("</summary>")),
            (" \n", None),
        ] {
            assert_eq!(summary_of(answer), summary, "{answer}");
        }
    }
}
