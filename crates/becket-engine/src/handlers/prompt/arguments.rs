//! Puts the input of an event into the text of a `prompt` or `agent` handler (H7).
//!
//! Pure. Inserted text is not expanded again: an input that contains `$ARGUMENTS` stays as it is.

const PLACEHOLDER: &str = "$ARGUMENTS";

/// Replaces `$ARGUMENTS` by `input` everywhere in a text. `\$` is a plain `$`, so `\$ARGUMENTS` stays text. Without any
/// `$ARGUMENTS` the input is appended after a blank line.
pub(crate) fn fill(text: &str, input: &str) -> String {
    let mut out = String::with_capacity(text.len() + input.len());
    let mut filled = false;
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '$']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        if let Some(after) = from.strip_prefix(PLACEHOLDER) {
            out.push_str(input);
            filled = true;
            rest = after;
        } else if let Some(after) = from.strip_prefix(r"\$") {
            out.push('$');
            rest = after;
        } else {
            let (one, after) = from.split_at(1);
            out.push_str(one);
            rest = after;
        }
    }
    out.push_str(rest);
    if !filled {
        out.push_str("\n\nARGUMENTS: ");
        out.push_str(input);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::fill;
    use proptest::prelude::*;

    #[test]
    fn arguments_are_filled_in_everywhere_or_appended() {
        // rule: H7
        for (text, expected) in [
            ("$ARGUMENTS", "{}"),
            ("a $ARGUMENTS b $ARGUMENTS", "a {} b {}"),
            ("$ARGUMENTS$ARGUMENTS", "{}{}"),
            ("no place", "no place\n\nARGUMENTS: {}"),
            ("", "\n\nARGUMENTS: {}"),
            (r"\$ARGUMENTS", "$ARGUMENTS\n\nARGUMENTS: {}"),
            (r"\$ARGUMENTS and $ARGUMENTS", "$ARGUMENTS and {}"),
            (r"\\$ARGUMENTS $ARGUMENTS", r"\$ARGUMENTS {}"),
            (r"costs \$5 or $5: $ARGUMENTS", "costs $5 or $5: {}"),
            ("$ARGUMENT $arguments ${ARGUMENTS}", "$ARGUMENT $arguments ${ARGUMENTS}\n\nARGUMENTS: {}"),
            (r"C:\dir\ $ARGUMENTS \", r"C:\dir\ {} \"),
            ("é$ARGUMENTSé", "é{}é"),
        ] {
            assert_eq!(fill(text, "{}"), expected, "{text}");
        }
    }

    #[test]
    fn an_input_is_not_filled_again() {
        // rule: H7
        assert_eq!(fill("<$ARGUMENTS>", r#"{"a":"$ARGUMENTS \$"}"#), r#"<{"a":"$ARGUMENTS \$"}>"#);
    }

    proptest! {
        // rule: H7
        #[test]
        fn the_input_is_always_there_whole(text in r"[a\\$ \nARGUMENTS]{0,40}", input in r"\{[^$\\]{0,20}\}") {
            prop_assert!(fill(&text, &input).contains(&input));
        }
    }
}
