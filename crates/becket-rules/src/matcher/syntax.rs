//! Reads an ECMAScript expression without flags, Annex B included, into a tree.
//!
//! Validity is not checked here: `regress` does that, and this parser reads only what it accepts. Captures are not
//! kept, since a matcher only needs to know whether there is a match.

mod class;
mod escape;

use super::units::Units;

/// The maximum nesting of groups.
const DEEPEST: usize = 60;
/// The maximum length of an expression, in UTF-16 units.
const LONGEST: usize = 16_384;

/// One node of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// One unit of the set.
    Unit(Units),
    /// `^`.
    Start,
    /// `$`.
    End,
    /// `\b`, or `\B` if negated.
    WordEdge { negated: bool },
    /// One after the other; none is the empty expression.
    Sequence(Vec<Node>),
    /// One of several.
    Choice(Vec<Node>),
    /// A repetition, `least` to `most` times.
    Repeat { node: Box<Node>, least: u32, most: Option<u32> },
    /// A lookahead or lookbehind.
    Look { node: Box<Node>, behind: bool, negated: bool },
    /// A back-reference.
    Back,
}

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pattern {
    pub(super) node: Node,
    pub(super) has_back_reference: bool,
}

/// The reason why an expression was not parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ParseFailure {
    TooDeep,
    TooLong,
    Modifiers,
    Malformed(&'static str),
}

type Read<T> = Result<T, ParseFailure>;

/// Reads `text`.
pub(super) fn parse(text: &str) -> Read<Pattern> {
    let units: Vec<u16> = text.encode_utf16().take(LONGEST + 1).collect();
    if units.len() > LONGEST {
        return Err(ParseFailure::TooLong);
    }
    let (groups, named) = count_groups(&units);
    let mut reader = Reader { units: &units, at: 0, groups, named, depth: 0, has_back_reference: false };
    let node = reader.choice()?;
    if reader.peek().is_some() {
        return Err(ParseFailure::Malformed("unmatched `)`"));
    }
    Ok(Pattern { node, has_back_reference: reader.has_back_reference })
}

struct Reader<'a> {
    units: &'a [u16],
    at: usize,
    /// Capturing groups in the whole expression: `\2` is a back-reference only if there are two.
    groups: u32,
    /// True if a group has a name: only then is `\k` a back-reference.
    named: bool,
    depth: usize,
    has_back_reference: bool,
}

impl Reader<'_> {
    /// Returns the next unit if it is ASCII; other units are 0xFF here, which no syntax uses.
    fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.units
            .get(self.at + ahead)
            .map(|unit| u8::try_from(*unit).ok().filter(u8::is_ascii).unwrap_or(0xFF))
    }

    fn next_unit(&mut self) -> Option<u16> {
        let unit = self.units.get(self.at).copied();
        self.at += usize::from(unit.is_some());
        unit
    }

    fn eat(&mut self, text: &str) -> bool {
        let there = text.bytes().enumerate().all(|(ahead, byte)| self.peek_at(ahead) == Some(byte));
        self.at += if there { text.len() } else { 0 };
        there
    }

    fn choice(&mut self) -> Read<Node> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ParseFailure::TooDeep);
        }
        let mut branches = vec![self.sequence()?];
        while self.eat("|") {
            branches.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(match branches.len() {
            1 => branches.swap_remove(0),
            _ => Node::Choice(branches),
        })
    }

    fn sequence(&mut self) -> Read<Node> {
        let mut nodes = Vec::new();
        while let Some(byte) = self.peek() {
            if matches!(byte, b'|' | b')') {
                break;
            }
            let node = self.atom(byte)?;
            nodes.push(self.quantified(node)?);
        }
        Ok(match nodes.len() {
            1 => nodes.swap_remove(0),
            _ => Node::Sequence(nodes),
        })
    }

    fn atom(&mut self, byte: u8) -> Read<Node> {
        match byte {
            b'(' => return self.group(),
            b'[' => return Ok(Node::Unit(self.class()?)),
            b'\\' => return self.escape(),
            b'*' | b'+' | b'?' => return Err(ParseFailure::Malformed("nothing to repeat")),
            b'{' if self.bounds().is_some() => return Err(ParseFailure::Malformed("nothing to repeat")),
            _ => {}
        }
        let unit = self.next_unit().unwrap_or_default();
        Ok(match byte {
            b'^' => Node::Start,
            b'$' => Node::End,
            b'.' => Node::Unit(Units::dot()),
            _ => Node::Unit(Units::one(unit)),
        })
    }

    fn group(&mut self) -> Read<Node> {
        let look = [("(?=", false, false), ("(?!", false, true), ("(?<=", true, false), ("(?<!", true, true)]
            .into_iter()
            .find(|(opener, ..)| self.eat(opener));
        if look.is_none() && !self.eat("(?:") {
            self.eat("(");
            self.group_name()?;
        }
        let node = self.choice()?;
        if !self.eat(")") {
            return Err(ParseFailure::Malformed("unmatched `(`"));
        }
        Ok(match look {
            Some((_, behind, negated)) => Node::Look { node: Box::new(node), behind, negated },
            None => node,
        })
    }

    fn group_name(&mut self) -> Read<()> {
        if self.eat("?<") {
            while self.next_unit().ok_or(ParseFailure::Malformed("unmatched `(`"))? != u16::from(b'>') {}
            return Ok(());
        }
        if self.peek() == Some(b'?') { Err(ParseFailure::Modifiers) } else { Ok(()) }
    }

    fn quantified(&mut self, node: Node) -> Read<Node> {
        let (least, most) = match self.peek() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') => match self.bounds() {
                Some((least, most, length)) => {
                    self.at += length;
                    return self.repeated(node, least, most);
                }
                None => return Ok(node),
            },
            _ => return Ok(node),
        };
        self.at += 1;
        self.repeated(node, least, most)
    }

    /// Parses a lazy quantifier as a greedy one, which finds a match in the same cases.
    fn repeated(&mut self, node: Node, least: u32, most: Option<u32>) -> Read<Node> {
        self.eat("?");
        if most.is_some_and(|most| most < least) {
            return Err(ParseFailure::Malformed("numbers out of order in a quantifier"));
        }
        Ok(Node::Repeat { node: Box::new(node), least, most })
    }

    /// Returns the bounds of `{n}`, `{n,}` or `{n,m}` here, with the length; other text in braces is literal.
    fn bounds(&self) -> Option<(u32, Option<u32>, usize)> {
        let (least, mut length) = self.number_at(1)?;
        let most = match self.peek_at(length) {
            Some(b',') => {
                length += 1;
                let most = self.number_at(length);
                length = most.map_or(length, |(_, end)| end);
                most.map(|(most, _)| most)
            }
            _ => Some(least),
        };
        (self.peek_at(length) == Some(b'}')).then_some((least, most, length + 1))
    }

    fn number_at(&self, start: usize) -> Option<(u32, usize)> {
        let mut end = start;
        let mut number = 0u32;
        while let Some(digit @ b'0'..=b'9') = self.peek_at(end) {
            number = number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
            end += 1;
        }
        (end > start).then_some((number, end))
    }
}

/// Returns the number of capturing groups, and whether one has a name.
fn count_groups(units: &[u16]) -> (u32, bool) {
    let byte = |at: usize| units.get(at).and_then(|unit| u8::try_from(*unit).ok());
    let (mut groups, mut named, mut in_class, mut at) = (0, false, false, 0);
    while at < units.len() {
        match (byte(at), in_class) {
            (Some(b'\\'), _) => at += 1,
            (Some(b'['), false) => in_class = true,
            (Some(b']'), true) => in_class = false,
            (Some(b'('), false) => {
                let name = byte(at + 1) == Some(b'?')
                    && byte(at + 2) == Some(b'<')
                    && !matches!(byte(at + 3), Some(b'=' | b'!'));
                named |= name;
                groups += u32::from(name || byte(at + 1) != Some(b'?'));
            }
            _ => {}
        }
        at += 1;
    }
    (groups, named)
}
