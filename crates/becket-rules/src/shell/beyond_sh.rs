//! Constructs of a line that only bash understands: hooks in shell form run under `/bin/sh`, which often is another
//! shell (H2).

use super::ast::{Assign, ExpansionKind, Kind, Node, Part, RedirectOp, Script, Word};

/// Returns the first construct of a line that `sh` need not support, as people write it; `None` if there is none, or if
/// the line can't be read. The text of another program (`bash -c '…'`) does not count.
///
/// ```
/// use becket_rules::shell::beyond_sh;
/// assert_eq!(beyond_sh("if [[ -n $X ]]; then make; fi"), Some("[[ ]] or (( ))"));
/// assert_eq!(beyond_sh("[ -n \"$X\" ] && bash -c '[[ $X = a* ]]'"), None);
/// ```
#[must_use]
pub fn beyond_sh(text: &str) -> Option<&'static str> {
    let script = Script::of_text(text)?;
    of_script(&script).or(script.beyond)
}

fn of_script(script: &Script) -> Option<&'static str> {
    script.pipelines.iter().flat_map(|pipeline| &pipeline.nodes).find_map(of_node)
}

fn of_node(node: &Node) -> Option<&'static str> {
    let redirect = node.redirects.iter().find_map(|redirect| match redirect.op {
        RedirectOp::Text => Some("<<<"),
        RedirectOp::Read
        | RedirectOp::Write
        | RedirectOp::ReadWrite
        | RedirectOp::DuplicateInput
        | RedirectOp::DuplicateOutput
        | RedirectOp::Document => of_word(&redirect.target),
    });
    redirect.or_else(|| of_kind(&node.kind))
}

fn of_kind(kind: &Kind) -> Option<&'static str> {
    match kind {
        Kind::Simple { assigns, words } => of_simple(assigns, words),
        Kind::Group(scripts) => scripts.iter().find_map(of_script),
        Kind::Loop { words, body, .. } => of_words(words).or_else(|| of_script(body)),
        Kind::Case { words, bodies } => of_words(words).or_else(|| bodies.iter().find_map(of_script)),
        Kind::Function(body) => of_node(body),
        Kind::Test { .. } => Some("[[ ]] or (( ))"),
        Kind::Coproc(_) => Some("coproc"),
    }
}

fn of_simple(assigns: &[Assign], words: &[Word]) -> Option<&'static str> {
    if assigns
        .iter()
        .any(|assign| assign.raw.split_once('=').is_some_and(|(_, value)| value.starts_with('(')))
    {
        return Some("name=( )");
    }
    match words.first().map(|word| word.raw.as_str()) {
        Some("source") => Some("source"),
        Some("declare" | "typeset") => Some("declare"),
        Some("mapfile" | "readarray") => Some("mapfile"),
        Some("shopt") => Some("shopt"),
        Some("disown") => Some("disown"),
        Some("pushd" | "popd") => Some("pushd"),
        _ => assigns.iter().find_map(|assign| of_words(&assign.words)).or_else(|| of_words(words)),
    }
}

fn of_words(words: &[Word]) -> Option<&'static str> {
    words.iter().find_map(of_word)
}

fn of_word(word: &Word) -> Option<&'static str> {
    word.parts.iter().find_map(|part| match part {
        Part::Text { .. } => None,
        Part::Expansion(expansion) => match expansion.kind {
            ExpansionKind::Process { .. } => Some("<( )"),
            ExpansionKind::Parameter
            | ExpansionKind::Home
            | ExpansionKind::Prompt
            | ExpansionKind::Command
            | ExpansionKind::Arithmetic { .. }
            | ExpansionKind::Opaque => {
                expansion.scripts.iter().find_map(of_script).or_else(|| of_words(&expansion.words))
            }
        },
    })
}

#[cfg(test)]
mod tests {
    use super::beyond_sh;

    #[test]
    fn what_only_bash_knows_is_found_wherever_it_stands() {
        // rule: H2
        for (line, found) in [
            ("if [[ -n x ]]; then a; fi", Some("[[ ]] or (( ))")),
            ("a && { b; (( x > 1 )); }", Some("[[ ]] or (( ))")),
            ("x=$(cat <<< y)", Some("<<<")),
            ("diff <(a) b", Some("<( )")),
            ("for f in $(source x); do :; done", Some("source")),
            ("list=(a b)", Some("name=( )")),
            ("case $x in a) mapfile y;; esac", Some("mapfile")),
            ("./watch.sh >/dev/null 2>&1 & disown; exit 0", Some("disown")),
            ("pushd src && make", Some("pushd")),
            ("[ -n \"$x\" ] && . ./env && x=$((1 + 1)) && y=\"(a)\"", None),
            ("bash -c '[[ a ]]'", None),
            ("echo '[[ a ]]' \"<<<\"", None),
            ("if", None),
        ] {
            assert_eq!(beyond_sh(line), found, "{line}");
        }
    }
}
