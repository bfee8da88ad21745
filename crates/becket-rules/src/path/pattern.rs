//! The pattern of a path rule: where it starts, and what it matches there.

use super::glob::{Segment, SegmentMode, is_all_of_directory};
use super::normal::Normal;
use super::places::Places;

/// The purpose of a comparison: the same text covers more in a rule that restricts than in one that grants (P7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatchMode {
    /// An allow rule: as narrow as the text permits.
    Allow,
    /// A deny or ask rule.
    Restrict,
    /// A handler's `if`: as wide as the text permits, since a guard must not miss.
    If,
}

/// Rules that restrict ignore the case of letters.
const FOLDS: bool = cfg!(any(windows, target_os = "macos"));

/// A compiled path pattern.
#[derive(Debug, Clone)]
pub(crate) struct PathPattern {
    base: Base,
    /// The number of directories above its base at which it starts: leading `..`.
    up: usize,
    parts: Vec<Part>,
    /// True for a name without a slash but a trailing one, which matches at any depth.
    bare: bool,
    /// Starts with `./`.
    dotted: bool,
    /// Ends in `/`: only directories, and what is in them.
    directory: bool,
    /// True for `name/**` without a prefix that says where it starts.
    single: bool,
    negated: bool,
    /// The longest of its literal segments.
    literal: Option<String>,
}

/// The directory from which a pattern starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    Root,
    Home,
    Settings,
    Cwd,
}

#[derive(Debug, Clone)]
enum Part {
    /// `**`: any number of segments.
    Deep,
    One(Segment),
}

impl PathPattern {
    /// Parses a pattern; every text is one. A text that starts with `!` matches nothing, since a rule stands alone and
    /// has no list to exclude from.
    pub(crate) fn new(text: &str) -> Self {
        let text = text.trim_start_matches(' ');
        let (negated, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        let (base, dotted, text) = base(trim_end(text));
        let directory = text.ends_with('/') && !text.ends_with("\\/");
        let (up, parts) = parts(text);
        let own = base == Base::Cwd && up == 0;
        let single = own && matches!(parts.as_slice(), [Part::One(_), Part::Deep]);
        let bare = own && !text.trim_end_matches('/').contains('/');
        let literals = parts.iter().filter_map(|part| match part {
            Part::One(segment) => segment.literal(),
            Part::Deep => None,
        });
        let literal = literals.max_by_key(|name| name.len()).map(str::to_owned);
        Self { base, up, parts, bare, dotted, directory, single, negated, literal }
    }

    /// Returns whether the pattern starts with `!`.
    pub(crate) fn is_negated(&self) -> bool {
        self.negated
    }

    /// Returns whether a part of it is not a valid glob (`[a`, a `\` at the end, a `..` after a `**`).
    pub(crate) fn is_malformed(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::One(segment) if segment.is_malformed()))
    }

    /// Returns the pattern with its starting points resolved.
    pub(crate) fn at(&self, places: &Places<'_>, reading: MatchMode) -> PlacedPattern<'_> {
        // Without a home directory `~` may be any directory.
        let homeless = self.base == Base::Home && places.home.is_none() && reading != MatchMode::Allow;
        let bases = if homeless { vec![places.root()] } else { self.bases(places, reading) };
        let bases = bases.iter().map(|base| base.up(self.up)).collect();
        PlacedPattern { pattern: self, bases, homeless, reading }
    }

    fn bases(&self, places: &Places<'_>, reading: MatchMode) -> Vec<Normal> {
        let mut bases = match self.base {
            Base::Root => vec![places.root()],
            Base::Home => places.home(),
            Base::Settings => places.settings(),
            Base::Cwd => places.cwd(),
        };
        let anywhere =
            self.bare || (self.base == Base::Cwd && matches!(self.parts.first(), Some(Part::Deep)));
        // A call may run elsewhere than the author of a guard expects, and the file with the guard stays where it is.
        if reading == MatchMode::Restrict && self.base == Base::Cwd {
            let settings = places.settings();
            bases.extend(settings.into_iter().filter(|base| !bases.contains(base)).collect::<Vec<_>>());
        }
        if reading == MatchMode::If && (anywhere || self.base == Base::Settings) {
            bases.push(places.root());
        }
        bases
    }

    /// Returns whether the path can't match, since a literal segment of the pattern occurs nowhere in it: most paths
    /// are compared with rules about other files.
    fn lacks_literal(&self, path: &Normal) -> bool {
        !FOLDS && self.literal.as_ref().is_some_and(|name| !path.text().contains(name.as_str()))
    }

    fn matches_below(&self, below: &str, homeless: bool, reading: MatchMode, globs: bool) -> bool {
        let segments: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
        // `rm -r build/*` is all of a directory, and no `secrets` or `*.pem` that may be in it.
        let all = globs && is_all_of_directory(&segments);
        if all && self.bare {
            return false;
        }
        let floating = match reading {
            // `name/` is a directory pattern like `name/**`.
            MatchMode::Allow => self.bare && !self.dotted && !self.directory,
            MatchMode::Restrict => self.bare || (self.single && !all) || homeless,
            MatchMode::If => self.bare || homeless,
        };
        // The path of a directory does not show that it is one: a rule that restricts assumes it, one that grants does
        // not.
        let inside = self.directory && reading == MatchMode::Allow;
        let wide = reading != MatchMode::Allow;
        let fold = wide && FOLDS;
        matches_start(&self.parts, &segments, floating, inside, SegmentMode { wide, fold, globs })
    }
}

/// A pattern with resolved starting points.
pub(crate) struct PlacedPattern<'p> {
    pattern: &'p PathPattern,
    bases: Vec<Normal>,
    homeless: bool,
    reading: MatchMode,
}

impl PlacedPattern<'_> {
    /// Returns whether the path, or a directory that contains it, matches.
    pub(crate) fn matches(&self, path: &Normal) -> bool {
        !self.pattern.lacks_literal(path) && self.matches_as(path, false)
    }

    /// Returns whether a path with shell globs may expand to a match.
    pub(crate) fn could_match(&self, path: &Normal) -> bool {
        self.matches_as(path, true)
    }

    fn matches_as(&self, path: &Normal, globs: bool) -> bool {
        let Self { pattern, bases, homeless, reading } = self;
        let matches = |base: &Normal| {
            path.below(base).is_some_and(|below| pattern.matches_below(below, *homeless, *reading, globs))
        };
        !pattern.negated && bases.iter().any(matches)
    }
}

/// Returns the number of directories above its base at which a pattern starts, and its parts from there.
fn parts(text: &str) -> (usize, Vec<Part>) {
    let (mut up, mut parts) = (0, Vec::new());
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.pop() {
                None => up += 1,
                Some(Part::One(_)) => {}
                Some(Part::Deep) => parts.extend([Part::Deep, Part::One(Segment::nothing())]),
            },
            _ if part.len() > 1 && part.bytes().all(|byte| byte == b'*') => parts.push(Part::Deep),
            _ => parts.push(Part::One(Segment::new(part))),
        }
    }
    (up, parts)
}

/// Returns whether the parts match the first segments, or all of them; with `floating` from any segment on; with
/// `inside` with one segment remaining.
///
/// INVARIANT: the shortest match leaves most for the parts that follow, so only the last `**` ever backtracks.
fn matches_start(
    parts: &[Part],
    segments: &[&str],
    floating: bool,
    inside: bool,
    manner: SegmentMode,
) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut retry = floating.then_some((0, 0));
    loop {
        match (parts.get(at), segments.get(from)) {
            // An empty pattern, or only `**`, is the base and everything below it.
            (None, rest) => return !inside || rest.is_some() || parts.is_empty(),
            (Some(Part::Deep), _) if at + 1 == parts.len() && inside => return segments.len() > from + 1,
            (Some(Part::Deep), next) if at + 1 == parts.len() => return next.is_some() || at == 0,
            (Some(Part::Deep), _) => {
                at += 1;
                retry = Some((at, from));
                continue;
            }
            (Some(Part::One(segment)), Some(text)) if segment.matches(text, manner) => {
                (at, from) = (at + 1, from + 1);
                continue;
            }
            (Some(Part::One(_)), _) => {}
        }
        let Some((part, start)) = retry else { return false };
        if start >= segments.len() {
            return false;
        }
        (at, from) = (part, start + 1);
        retry = Some((part, start + 1));
    }
}

/// Returns the base, whether the text starts with `./`, and the rest.
fn base(text: &str) -> (Base, bool, &str) {
    if let Some(rest) = text.strip_prefix("//") {
        return (Base::Root, false, rest);
    }
    match text.strip_prefix('~') {
        Some("") => return (Base::Home, false, ""),
        Some(rest) if rest.starts_with('/') => return (Base::Home, false, rest),
        Some(_) | None => {}
    }
    match (text.strip_prefix('/'), text.strip_prefix("./")) {
        (Some(rest), _) => (Base::Settings, false, rest),
        (None, Some(rest)) => (Base::Cwd, true, rest),
        (None, None) => (Base::Cwd, false, text),
    }
}

/// Trims trailing blanks, unless a backslash keeps them.
fn trim_end(text: &str) -> &str {
    let trimmed = text.trim_end_matches(' ');
    let kept = trimmed.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
    let length = trimmed.len() + usize::from(kept && trimmed.len() < text.len());
    text.get(..length).unwrap_or(trimmed)
}
