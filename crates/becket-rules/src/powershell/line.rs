//! An analysed PowerShell line.

use crate::shell::{Applies, CommandPattern, Coverage, Hit, UnknownReason};

use super::alias;
use super::split::{Word, split};

/// A PowerShell line and the commands it may run (protocol.md P15). Never fails: unsplittable text is kept as such.
///
/// ```
/// use becket_rules::powershell::Line;
/// use becket_rules::shell::CommandPattern;
///
/// let line = Line::parse("cd src; GCI -Recurse");
/// assert!(line.hit(&CommandPattern::new("ls *")).is_some());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    text: String,
    commands: Vec<Command>,
    unknown: Option<UnknownReason>,
    variable: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Command {
    raw: String,
    /// The texts that patterns are compared with: lower case, with and without resolved aliases, with and without a
    /// path.
    forms: Vec<String>,
    /// The texts for allow rules: `forms` without the ones that drop a path.
    allow: Vec<String>,
}

impl Line {
    /// Splits a line. Takes time linear in its length; never fails.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let pieces = split(text);
        let mut line =
            Self { text: text.to_owned(), commands: Vec::new(), unknown: None, variable: pieces.variable };
        if let Some((at, what)) = pieces.obstacle {
            line.unknown = Some(UnknownReason::Unparsable { at, what });
        }
        for words in &pieces.commands {
            line.add(words);
        }
        line
    }

    /// Returns the number of bytes that a pattern is compared with.
    pub(crate) fn weight(&self) -> usize {
        let forms = self.commands.iter().flat_map(|command| &command.forms);
        self.text.len() + forms.map(String::len).sum::<usize>()
    }

    /// Evaluates a handler's `if` for the line.
    #[must_use]
    pub fn condition(&self, pattern: &CommandPattern) -> Applies {
        let folded = fold(pattern);
        if pattern.is_everything() {
            return Applies::Match { command: self.text.clone(), via: None };
        }
        if let Some(command) = self.find(&folded) {
            return Applies::Match { command: command.raw.clone(), via: None };
        }
        if let Some(why) = &self.unknown {
            return Applies::Unknown { why: why.clone() };
        }
        match &self.variable {
            Some(name) if folded.names_words() => {
                Applies::Unknown { why: UnknownReason::Expansion(name.clone()) }
            }
            Some(_) | None => Applies::NoMatch,
        }
    }

    /// Returns the command that a deny or ask rule matches; one is enough. In a line that can't be split, every word is
    /// tried as the start of a command.
    #[must_use]
    pub fn hit(&self, pattern: &CommandPattern) -> Option<Hit> {
        let folded = fold(pattern);
        if let Some(command) = self.find(&folded) {
            return Some(Hit { command: command.raw.clone(), via: None });
        }
        let scanned = self.unknown.is_some() && crate::shell::hit_in_words(&fold_words(&self.text), &folded);
        let hit = pattern.is_everything() || scanned;
        hit.then(|| Hit { command: self.text.clone(), via: None })
    }

    /// Checks that allow rules cover the line: each command must be covered by one, and the line must be splittable.
    #[must_use]
    pub fn uncovered(&self, allows: &[&CommandPattern]) -> Coverage {
        if let Some(why) = &self.unknown {
            return Coverage::Unknown { why: why.clone() };
        }
        if self.commands.is_empty() {
            return Coverage::Uncovered { command: self.text.clone() };
        }
        let folded: Vec<CommandPattern> = allows.iter().map(|pattern| fold(pattern)).collect();
        let covered = |command: &Command| {
            folded.iter().any(|pattern| command.allow.iter().any(|form| pattern.matches_normal(form)))
        };
        match self.commands.iter().find(|command| !covered(command)) {
            Some(command) => Coverage::Uncovered { command: command.raw.clone() },
            None => Coverage::Covered,
        }
    }

    /// Returns the commands, as far as they could be separated, in the order of the line.
    pub fn commands(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().map(|command| command.raw.as_str())
    }

    fn find(&self, folded: &CommandPattern) -> Option<&Command> {
        self.commands.iter().find(|command| command.forms.iter().any(|form| folded.matches_normal(form)))
    }

    fn add(&mut self, words: &[Word]) {
        // `. script` and `& name` run the next word; the `&` has already been removed.
        let words = if words.len() > 1 && words[0].text == "." { &words[1..] } else { words };
        let Some((first, rest)) = words.split_first() else { return };
        let raw = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        let arguments: String = rest.iter().map(|word| format!(" {}", word.text.to_lowercase())).collect();
        let name = first.text.to_lowercase();
        let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let base = [".exe", ".cmd", ".bat", ".ps1", ".com"]
            .iter()
            .find_map(|end| base.strip_suffix(end))
            .unwrap_or(base);
        if first.dynamic {
            self.unknown.get_or_insert(UnknownReason::CommandWord(first.text.clone()));
        } else if alias::runs_arguments(alias::cmdlet(base).unwrap_or(base)) {
            self.unknown.get_or_insert(UnknownReason::ProgramText(raw.clone()));
        }
        let form = |name: &str| crate::shell::normalise_text(&format!("{name}{arguments}"));
        let mut forms = vec![form(&name)];
        forms.extend(alias::cmdlet(&name).map(form));
        // A name with a blank in it is one word: it must not read as a command and its argument.
        let allow = if name.contains(char::is_whitespace) { Vec::new() } else { forms.clone() };
        forms.push(form(base));
        forms.extend(alias::cmdlet(base).map(form));
        forms.dedup();
        self.commands.push(Command { raw, forms, allow });
    }
}

/// Returns a pattern in lower case, with an alias at its start replaced by its cmdlet.
fn fold(pattern: &CommandPattern) -> CommandPattern {
    let lower = crate::shell::normalise_text(&pattern.text().to_lowercase());
    let end = lower.find([' ', ':', '*']).unwrap_or(lower.len());
    let whole = !lower[end..].starts_with('*');
    match alias::cmdlet(&lower[..end]).filter(|_| whole) {
        Some(cmdlet) => CommandPattern::new(&format!("{cmdlet}{}", &lower[end..])),
        None => CommandPattern::new(&lower),
    }
}

/// Returns a line in lower case, with aliases replaced by their cmdlets and without backticks.
fn fold_words(line: &str) -> String {
    let lower = line.to_lowercase().replace('`', "");
    let mut out = String::with_capacity(lower.len());
    for word in lower.split_inclusive(|c: char| c.is_whitespace() || "|;&(){}'\"".contains(c)) {
        let bare = word.trim_end_matches(|c: char| c.is_whitespace() || "|;&(){}'\"".contains(c));
        out.push_str(alias::cmdlet(bare).unwrap_or(bare));
        out.push_str(&word[bare.len()..]);
    }
    out
}
