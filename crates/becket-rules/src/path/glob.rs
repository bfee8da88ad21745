//! One segment of a gitignore pattern: `*`, `?`, `[…]` and `\`, never across a `/`.
//!
//! INVARIANT: at most text × pattern steps: only the last star is ever backtracked to.

/// A path segment for any entry of a directory. Only a segment that consists of stars matches it: a directory that is
/// searched, copied or removed is covered as a whole, or not at all.
pub(crate) const INSIDE: &str = "\u{1}inside\u{1}";

/// The start of a path segment for any name with the ending that follows. The rules of shells about leading dots do not
/// hold for it.
pub(crate) const ANY: &str = "\u{1}any\u{1}";

/// The start of a path segment for a name in any case of letters.
pub(crate) const FOLDED: &str = "\u{1}folded\u{1}";

/// The start of a path segment for a shell glob at the end of a path. Such globs are common (`cat README*`), so one
/// that has no text in common with `*.pem` does not match it, although a name could match both.
pub(crate) const GLOB_AT_END: &str = "\u{1}end\u{1}";

/// Returns whether a path is everything in what `*` at its end may become.
pub(super) fn is_all_of_directory(segments: &[&str]) -> bool {
    let [.., glob, INSIDE] = segments else { return false };
    glob.strip_prefix(GLOB_AT_END).is_some_and(is_any_name)
}

/// Returns whether a glob has no fixed text.
pub(crate) fn is_any_name(glob: &str) -> bool {
    glob.trim_matches(['*', '?']).is_empty()
}

/// Returns whether a text, slashes included, matches a glob; a malformed one matches itself.
pub(crate) fn glob_matches(glob: &str, text: &str) -> bool {
    Segment::new(glob).matches(text, SegmentMode { wide: true, fold: false, globs: false })
}

/// A compiled segment.
#[derive(Debug, Clone)]
pub(super) struct Segment {
    /// `None` if the text is malformed (`[a`, a `\` at the end).
    tokens: Option<Vec<Token>>,
    text: String,
}

/// The way in which a segment is compared with a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct SegmentMode {
    /// A name that equals the segment's text letter by letter matches as well: `[id].ts` may be the name of a file. A
    /// malformed segment, which matches nothing in git, matches its own text.
    pub(super) wide: bool,
    /// The case of letters does not count.
    pub(super) fold: bool,
    /// The name is a shell glob, and matches if it may expand to a name that does.
    pub(super) globs: bool,
}

#[derive(Debug, Clone)]
enum Token {
    Letter(char),
    Any,
    Star,
    Class { negated: bool, items: Vec<Item> },
}

#[derive(Debug, Clone)]
enum Item {
    Range(char, char),
    Posix(fn(&char) -> bool),
}

impl Segment {
    /// Parses a segment; every text is one.
    pub(super) fn new(text: &str) -> Self {
        Self { tokens: tokens(text), text: text.to_owned() }
    }

    /// Returns a segment that no name matches.
    pub(super) fn nothing() -> Self {
        Self { tokens: None, text: String::new() }
    }

    /// Returns the only name that it matches, if it is not a glob.
    pub(super) fn literal(&self) -> Option<&str> {
        let plain = self.tokens.is_some() && !self.text.contains(['*', '?', '[', '\\']);
        plain.then_some(self.text.as_str())
    }

    pub(super) fn is_malformed(&self) -> bool {
        self.tokens.is_none()
    }

    pub(super) fn matches(&self, name: &str, manner: SegmentMode) -> bool {
        if name == INSIDE {
            let stars = |token: &Token| matches!(token, Token::Star);
            return self.tokens.as_ref().is_some_and(|tokens| !tokens.is_empty() && tokens.iter().all(stars));
        }
        if let Some(ending) = name.strip_prefix(ANY).filter(|_| manner.globs) {
            return self.could_end(ending);
        }
        if let Some(name) = name.strip_prefix(FOLDED).filter(|_| manner.globs) {
            return self.matches(name, SegmentMode { fold: true, ..manner })
                || name.eq_ignore_ascii_case(&self.text);
        }
        if let Some(glob) = name.strip_prefix(GLOB_AT_END).filter(|_| manner.globs) {
            return self.could_meet(glob) && self.shares_text(glob);
        }
        if manner.globs && name.contains(WILDCARDS) && self.could_meet(name) {
            return true;
        }
        let globbed = self.tokens.as_ref().is_some_and(|tokens| runs(tokens, name, manner.fold));
        globbed || (manner.wide && self.text == name)
    }
}

impl Segment {
    /// Returns whether the segment matches the fixed text of a glob, or the glob that of the segment; true for a
    /// segment without wildcards.
    fn shares_text(&self, glob: &str) -> bool {
        let fixed = |text: &str| text.replace(['*', '?'], "");
        let (own, other) = (fixed(&self.text), fixed(glob));
        let manner = SegmentMode { wide: true, fold: false, globs: false };
        self.literal().is_some()
            || own.is_empty()
            || self.matches(&other, manner)
            || glob_matches(glob, &own)
            || own.contains(&other)
    }

    /// Returns whether some name with this ending, in any case of letters, may match.
    fn could_end(&self, ending: &str) -> bool {
        let own = self.text.rsplit(['*', '?', ']', '\\']).next().unwrap_or_default().to_lowercase();
        let ending = ending.to_lowercase();
        match self.literal() {
            Some(name) => name.to_lowercase().ends_with(&ending),
            None => own.ends_with(&ending) || ending.ends_with(&own),
        }
    }

    /// Returns whether some name may match both the segment and a shell glob: of two globs only the fixed text at their
    /// ends is compared. A shell wildcard never matches a leading dot.
    fn could_meet(&self, glob: &str) -> bool {
        if self.text.starts_with('.') && glob.starts_with(WILDCARDS) {
            return false;
        }
        if let Some(name) = self.literal() {
            let manner = SegmentMode { wide: false, fold: false, globs: false };
            return Self::new(glob).matches(name, manner) || glob.contains('(');
        }
        let ends = |text: &'_ str| {
            let head = text.split(WILDCARDS).next().unwrap_or_default().to_owned();
            let tail = text.rsplit(['*', '?', ']', ')']).next().unwrap_or_default().to_owned();
            (head, tail)
        };
        let ((own_head, own_tail), (head, tail)) = (ends(&self.text), ends(glob));
        (own_head.starts_with(&head) || head.starts_with(&own_head))
            && (own_tail.ends_with(&tail) || tail.ends_with(&own_tail))
    }
}

/// Characters that start a shell wildcard.
const WILDCARDS: [char; 4] = ['*', '?', '[', '('];

/// Parses the tokens of a segment; `None` if the text is malformed.
fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut letters = text.chars().peekable();
    let mut tokens = Vec::new();
    while let Some(letter) = letters.next() {
        let token = match letter {
            '*' if matches!(tokens.last(), Some(Token::Star)) => continue,
            '*' => Token::Star,
            '?' => Token::Any,
            '\\' => Token::Letter(letters.next()?),
            '[' => class(&mut letters)?,
            _ => Token::Letter(letter),
        };
        tokens.push(token);
    }
    Some(tokens)
}

fn runs(tokens: &[Token], text: &str, fold: bool) -> bool {
    let (mut at, mut rest) = (0, text.chars());
    let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
    loop {
        if matches!(tokens.get(at), Some(Token::Star)) {
            at += 1;
            retry = Some((at, rest.clone()));
            continue;
        }
        match (tokens.get(at), rest.next()) {
            (None, None) => return true,
            (Some(token), Some(letter)) if token.takes(letter, fold) => at += 1,
            _ => {
                let Some((star, mut from)) = retry.take() else { return false };
                if from.next().is_none() {
                    return false;
                }
                (at, rest) = (star, from.clone());
                retry = Some((star, from));
            }
        }
    }
}

impl Token {
    fn takes(&self, letter: char, fold: bool) -> bool {
        let other = if letter.is_lowercase() { upper(letter) } else { lower(letter) };
        self.takes_exactly(letter) || (fold && self.takes_exactly(other))
    }

    fn takes_exactly(&self, letter: char) -> bool {
        match self {
            Self::Letter(own) => *own == letter,
            Self::Any => true,
            Self::Star => false,
            Self::Class { negated, items } => items.iter().any(|item| item.holds(letter)) != *negated,
        }
    }
}

impl Item {
    fn holds(&self, letter: char) -> bool {
        match self {
            Self::Range(low, high) => (*low..=*high).contains(&letter),
            Self::Posix(test) => test(&letter),
        }
    }
}

fn lower(letter: char) -> char {
    letter.to_lowercase().next().unwrap_or(letter)
}

fn upper(letter: char) -> char {
    letter.to_uppercase().next().unwrap_or(letter)
}

/// Parses a class after its `[`; `None` if it is never closed.
fn class(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Token> {
    let negated = letters.next_if(|c| matches!(c, '!' | '^')).is_some();
    let mut items = Vec::new();
    loop {
        let low = match letters.next()? {
            ']' if !items.is_empty() => return Some(Token::Class { negated, items }),
            '[' if letters.peek() == Some(&':') => {
                items.push(posix(letters)?);
                continue;
            }
            '\\' => letters.next()?,
            letter => letter,
        };
        let mut ahead = letters.clone();
        if ahead.next() == Some('-') && ahead.peek().is_some_and(|c| *c != ']') {
            let high = match ahead.next()? {
                '\\' => ahead.next()?,
                letter => letter,
            };
            *letters = ahead;
            items.push(Item::Range(low, high));
        } else {
            items.push(Item::Range(low, low));
        }
    }
}

/// Parses `[:name:]` after its `[`; an unknown name makes the whole pattern malformed.
fn posix(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Item> {
    letters.next();
    let name: String = letters.by_ref().take_while(|c| *c != ':').take(8).collect();
    letters.next_if_eq(&']')?;
    Some(Item::Posix(match name.as_str() {
        "alnum" => char::is_ascii_alphanumeric,
        "alpha" => char::is_ascii_alphabetic,
        "blank" => |c| matches!(c, ' ' | '\t'),
        "cntrl" => char::is_ascii_control,
        "digit" => char::is_ascii_digit,
        "graph" => char::is_ascii_graphic,
        "lower" => char::is_ascii_lowercase,
        "print" => |c| c.is_ascii_graphic() || *c == ' ',
        "punct" => char::is_ascii_punctuation,
        "space" => |c| c.is_ascii_whitespace() || *c == '\x0b',
        "upper" => char::is_ascii_uppercase,
        "xdigit" => char::is_ascii_hexdigit,
        _ => return None,
    }))
}
