//! The structure of a text: its lists, pipelines and groups, with the words of each command as they are written.
//!
//! [`Line`](super::Line) has every command that a text may run, but neither the one whose exit code is that of the text nor
//! the quotes of a word.

use super::ast::{Join, Kind, Node, Script, Word};

/// Commands one after another.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandList {
    /// The chains, in order.
    pub chains: Vec<CommandChain>,
    /// Set if it is the list behind `if`, `elif`, `while` or `until`, whose exit code only selects another list.
    pub is_condition: bool,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandChain {
    /// The pipelines, in order.
    pub pipelines: Vec<CommandPipeline>,
    /// Set if the shell does not wait for it (`&`).
    pub is_background: bool,
}

/// Commands joined by `|`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandPipeline {
    /// The commands, in order; none behind a single `!` or `time`.
    pub stages: Vec<Stage>,
    /// Set if `!` reverses its exit code.
    pub is_negated: bool,
    /// Set if `||` joins it to the pipeline before it, and `&&` otherwise.
    pub is_alternative: bool,
}

/// A command of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// The words of a simple command, without its assignments and redirections.
    Simple(Vec<String>),
    /// `[[ … ]]` or `(( … ))`: its words, and the whole as it is written.
    Test {
        /// The words that the shell expands.
        words: Vec<String>,
        /// The whole command.
        text: String,
    },
    /// The lists in a group, a loop, an `if` or a `case`: its exit code is that of the list which ran last.
    Compound(Vec<CommandList>),
    /// The body of a function or of a coprocess, which is not waited for here.
    Deferred(CommandList),
}

impl CommandList {
    /// Parses a text; returns `None` if it can't be read, or is too long.
    ///
    /// ```
    /// use becket_rules::shell::{CommandList, Stage};
    /// let list = CommandList::parse("cd a && [ -f 'b c' ] > d").unwrap();
    /// let last = list.chains[0].pipelines.last().unwrap();
    /// assert_eq!(last.stages, [Stage::Simple(["[", "-f", "'b c'", "]"].map(str::to_owned).to_vec())]);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Script::of_text(text).as_ref().map(of_script)
    }
}

impl CommandChain {
    /// Returns whether one of the joins is `||`.
    #[must_use]
    pub fn has_alternative(&self) -> bool {
        self.pipelines.iter().any(|pipeline| pipeline.is_alternative)
    }
}

fn of_script(script: &Script) -> CommandList {
    let mut chains = Vec::new();
    let mut chain = CommandChain::default();
    let mut is_alternative = false;
    for pipeline in &script.pipelines {
        let stages = pipeline.nodes.iter().map(of_node).collect();
        chain.pipelines.push(CommandPipeline { stages, is_negated: pipeline.is_negated, is_alternative });
        is_alternative = pipeline.join == Join::Or;
        match pipeline.join {
            Join::And | Join::Or => continue,
            Join::Background => chain.is_background = true,
            Join::Sequence => {}
        }
        chains.push(std::mem::take(&mut chain));
    }
    CommandList { chains, is_condition: script.is_condition }
}

fn of_node(node: &Node) -> Stage {
    match &node.kind {
        Kind::Simple { words, .. } => Stage::Simple(written(words)),
        Kind::Test { words, raw, .. } => Stage::Test { words: written(words), text: raw.clone() },
        Kind::Group(scripts) => Stage::Compound(scripts.iter().map(of_script).collect()),
        Kind::Loop { body, .. } => Stage::Compound(vec![of_script(body)]),
        Kind::Case { bodies, .. } => Stage::Compound(bodies.iter().map(of_script).collect()),
        Kind::Function(body) | Kind::Coproc(body) => {
            let stages = vec![of_node(body)];
            let pipelines = vec![CommandPipeline { stages, is_negated: false, is_alternative: false }];
            let chains = vec![CommandChain { pipelines, ..CommandChain::default() }];
            Stage::Deferred(CommandList { chains, is_condition: false })
        }
    }
}

fn written(words: &[Word]) -> Vec<String> {
    words.iter().map(|word| word.raw.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::{CommandList, Stage};

    fn shown(list: &CommandList) -> String {
        let chains = list.chains.iter().map(|chain| {
            let pipelines = chain.pipelines.iter().map(|pipeline| {
                let stages: Vec<String> = pipeline.stages.iter().map(of_stage).collect();
                let join = if pipeline.is_alternative { "or" } else { "and" };
                let negation = if pipeline.is_negated { "!" } else { "" };
                format!("{join}{negation}{}", stages.join("|"))
            });
            let end = if chain.is_background { "&" } else { "" };
            format!("{}{end}", pipelines.collect::<String>().trim_start_matches("and"))
        });
        let mark = if list.is_condition { "?" } else { "" };
        format!("{mark}{}", chains.collect::<Vec<_>>().join(";"))
    }

    fn of_stage(stage: &Stage) -> String {
        match stage {
            Stage::Simple(words) => format!("<{}>", words.join(",")),
            Stage::Test { words, text } => format!("<{text}:{}>", words.join(",")),
            Stage::Compound(lists) => {
                format!("{{{}}}", lists.iter().map(shown).collect::<Vec<_>>().join("/"))
            }
            Stage::Deferred(list) => format!("later{{{}}}", shown(list)),
        }
    }

    // rule: P3
    #[test]
    fn the_structure_of_a_text_is_kept() {
        for (text, expected) in [
            ("a; b\nc", "<a>;<b>;<c>"),
            ("a && b || c &", "<a>and<b>or<c>&"),
            ("! a | b; time c", "!<a>|<b>;<c>"),
            ("! ! a", "<a>"),
            ("x=1 a >f 2>&1 'b c' \"$(d; e)\"", "<a,'b c',\"$(d; e)\">"),
            ("if a; then b; elif c; then d; else e; fi", "{?<a>/<b>/?<c>/<d>/<e>}"),
            ("while a & do b; done", "{?<a>&/<b>}"),
            ("for x in y; do a; done; (b; { c; })", "{<a>};{<b>;{<c>}}"),
            ("case $x in y) a && b ;; *) ;; esac", "{<a>and<b>/}"),
            ("[[ $x == a* || $y ]] && ((z > 1))", "<[[ $x == a* || $y ]]:$x,==,a*,$y>and<((z > 1)):>"),
            ("f() { a; }; f", "later{{<a>}};<f>"),
            ("cat <<E | a\nb; c\nE\nd", "<cat>|<a>;<d>"),
        ] {
            let list = CommandList::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(shown(&list), expected, "{text}");
        }
        for text in ["a )", "a &; b", "if a; then b", "echo 'x", "a && ; b"] {
            assert_eq!(CommandList::parse(text), None, "{text}");
        }
    }
}
