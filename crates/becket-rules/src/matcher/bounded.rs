//! Expressions with back-references run on `regress`, a backtracking engine without a step limit.
//!
//! So the limit is on the value: the tree determines how many ways there are, at worst, to match a value of a given
//! length, and the longest value whose worst case stays small is the longest that is decided. `(a|b)*\1` gets a handful
//! of units, `(\w+)__\1` thousands.

use regress::Regex;

use super::syntax::Node;
use super::{MatcherError, Verdict};

/// The maximum number of steps of the backtracking engine for one value: some tens of milliseconds.
const MOST_STEPS: f64 = 2_000_000.0;
/// The maximum length of a value.
const LONGEST: usize = 4_096;

/// An expression with back-references.
#[derive(Debug)]
pub(super) struct BoundedRegex {
    regex: Regex,
    longest: usize,
}

/// Compiles the expression.
///
/// # Errors
/// [`MatcherError`] if the text is not an expression.
pub(super) fn compile(text: &str) -> Result<Regex, MatcherError> {
    let units = text.encode_utf16().map(u32::from);
    Regex::from_unicode(units, regress::Flags::default())
        .map_err(|error| MatcherError::invalid(text, &error.to_string()))
}

impl BoundedRegex {
    pub(super) fn new(regex: Regex, node: &Node) -> Self {
        let fits = |length: usize| worst_case(node, length) <= MOST_STEPS;
        let (mut low, mut high) = (0, LONGEST + 1);
        // INVARIANT: lengths below `low` fit, `high` and above do not; the worst case grows with the length.
        while low < high {
            let middle = low.midpoint(high);
            if middle <= LONGEST && fits(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Self { regex, longest: low.saturating_sub(1) }
    }

    pub(super) fn longest(&self) -> usize {
        self.longest
    }

    pub(super) fn judge(&self, value: &str) -> Verdict {
        let units: Vec<u16> = value.encode_utf16().take(self.longest + 1).collect();
        if units.len() > self.longest {
            return Verdict::Unknown;
        }
        match self.regex.find_from_ucs2(&units, 0).next() {
            Some(_) => Verdict::Match,
            None => Verdict::NoMatch,
        }
    }
}

/// Returns the steps for a value of `length` units: every start, every way, every unit and node on the way.
fn worst_case(node: &Node, length: usize) -> f64 {
    let length = as_float(length);
    (length + 1.0) * ways(node, length) * (length + nodes(node))
}

/// Returns an upper bound of the ways, finished or not, to match the node from one position.
fn ways(node: &Node, length: f64) -> f64 {
    match node {
        Node::Unit(_) | Node::Start | Node::End | Node::WordEdge { .. } | Node::Back => 1.0,
        Node::Sequence(nodes) => nodes.iter().map(|node| ways(node, length)).product(),
        Node::Choice(branches) => branches.iter().map(|node| ways(node, length)).sum(),
        Node::Look { node, .. } => ways(node, length) + 1.0,
        Node::Repeat { node, least, most } => {
            // Beyond `least`, every round consumes a unit, so there are no more rounds than units.
            let rounds = length.max(f64::from(*least)).min(most.map_or(f64::INFINITY, f64::from));
            let each = ways(node, length);
            if each > 1.0 { each.powf(rounds + 1.0) } else { rounds + 1.0 }
        }
    }
}

fn nodes(node: &Node) -> f64 {
    1.0 + match node {
        Node::Unit(_) | Node::Start | Node::End | Node::WordEdge { .. } | Node::Back => 0.0,
        Node::Sequence(inner) | Node::Choice(inner) => inner.iter().map(nodes).sum(),
        Node::Look { node, .. } => nodes(node),
        Node::Repeat { node, least, .. } => nodes(node) * f64::from((*least).max(1)),
    }
}

fn as_float(length: usize) -> f64 {
    u32::try_from(length).map_or(f64::INFINITY, f64::from)
}
