//! A path rule's pattern: where it starts from, and what it matches there.

use super::glob::Segment;
use super::normal::Normal;
use super::places::Places;

/// Who asks: the same text means more in a rule that restricts than in one that grants (P7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// An allow rule: as narrow as the text permits.
    Allow,
    /// A deny or ask rule.
    Restrict,
    /// A handler's `if`: as wide as the text permits, since a guard must not miss.
    If,
}

/// A compiled path pattern.
#[derive(Debug, Clone)]
pub(crate) struct PathPattern {
    base: Base,
    parts: Vec<Part>,
    /// Starts at its base; otherwise anywhere below.
    anchored: bool,
    /// Ends in `/`: only directories, and what is in them.
    directory: bool,
    /// `name/**` without a sign of where it starts.
    single: bool,
    negated: bool,
}

/// Where a pattern starts from.
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
    /// Every text is a pattern. One that starts with `!` matches nothing: there is no list that it could take from.
    pub(crate) fn new(text: &str) -> Self {
        let (negated, text) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
        let (base, text) = base(trim_end(text));
        let directory = text.ends_with('/') && !text.ends_with("\\/");
        let body = text.strip_suffix('/').unwrap_or(text);
        let segments: Vec<&str> = body.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        let parts: Vec<Part> = segments
            .iter()
            .map(|part| if *part == "**" { Part::Deep } else { Part::One(Segment::new(part)) })
            .collect();
        let single = base == Base::Cwd && matches!(parts.as_slice(), [Part::One(_), Part::Deep]);
        let anchored = base != Base::Cwd || parts.len() > 1;
        Self { base, parts, anchored, directory, single, negated }
    }

    /// Whether the pattern starts with `!`.
    pub(crate) fn is_negated(&self) -> bool {
        self.negated
    }

    /// Whether the path, or a directory that it is in, matches.
    pub(crate) fn matches(&self, path: &Normal, places: &Places<'_>, reading: Reading) -> bool {
        !self.negated
            && self
                .bases(places, reading)
                .iter()
                .any(|base| path.below(base).is_some_and(|below| self.matches_below(below, reading)))
    }

    fn bases(&self, places: &Places<'_>, reading: Reading) -> Vec<Normal> {
        let mut bases = match self.base {
            Base::Root => vec![places.root()],
            Base::Home => places.home(),
            Base::Settings => places.settings(),
            Base::Cwd => places.cwd(),
        };
        let wide = self.base == Base::Settings || (self.base == Base::Cwd && !self.anchored);
        if reading == Reading::If && wide {
            bases.push(places.root());
        }
        bases
    }

    fn matches_below(&self, below: &str, reading: Reading) -> bool {
        let segments: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
        let floating = !self.anchored || (self.single && reading == Reading::Restrict);
        // A directory's own path has no mark of one: who restricts takes it for one, who grants does not.
        let inside = self.directory && reading == Reading::Allow;
        let fold = reading != Reading::Allow && cfg!(any(windows, target_os = "macos"));
        matches_start(&self.parts, &segments, floating, inside, fold)
    }
}

/// Whether the parts match the first segments, or all; `floating` from any segment on; `inside` with one left over.
///
/// INVARIANT: the shortest match leaves most for what follows, so only the last `**` is ever taken back.
fn matches_start(parts: &[Part], segments: &[&str], floating: bool, inside: bool, fold: bool) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut retry = floating.then_some((0, 0));
    loop {
        match (parts.get(at), segments.get(from)) {
            // A pattern of nothing, or only `**`, is the base and all that is below.
            (None, rest) => return !inside || rest.is_some() || parts.is_empty(),
            (Some(Part::Deep), _) if at + 1 == parts.len() && inside => return segments.len() > from + 1,
            (Some(Part::Deep), next) if at + 1 == parts.len() => return next.is_some() || at == 0,
            (Some(Part::Deep), _) => {
                at += 1;
                retry = Some((at, from));
                continue;
            }
            (Some(Part::One(segment)), Some(text)) if segment.matches(text, fold) => {
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

fn base(text: &str) -> (Base, &str) {
    if let Some(rest) = text.strip_prefix("//") {
        return (Base::Root, rest);
    }
    match text.strip_prefix('~') {
        Some("") => return (Base::Home, ""),
        Some(rest) if rest.starts_with('/') => return (Base::Home, rest),
        Some(_) | None => {}
    }
    match text.strip_prefix('/') {
        Some(rest) => (Base::Settings, rest),
        None => (Base::Cwd, text.strip_prefix("./").unwrap_or(text)),
    }
}

/// Without trailing blanks, unless a backslash keeps them.
fn trim_end(text: &str) -> &str {
    let trimmed = text.trim_end_matches(' ');
    let kept = trimmed.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
    let length = trimmed.len() + usize::from(kept && trimmed.len() < text.len());
    text.get(..length).unwrap_or(trimmed)
}
