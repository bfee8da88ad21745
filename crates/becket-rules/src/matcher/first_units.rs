//! The set of units that a match of a program can begin with; decides most values without running the program.
//!
//! It can only rule a match out; the program runs for all other values.

use super::program::Step;
use super::units::Units;

/// The first unit of every match.
#[derive(Debug)]
pub(super) struct FirstUnits {
    /// The units that can be the first; `None` if a match may be empty.
    first: Option<Units>,
    /// True if a match can only begin at the start of the value.
    anchored: bool,
}

impl FirstUnits {
    pub(super) fn of(steps: &[Step]) -> Self {
        let anywhere = Reach::of(steps, false);
        let reach = Reach::of(steps, true);
        Self { first: (!reach.accepts).then(|| Units::of(reach.ranges)), anchored: !anywhere.goes_on() }
    }

    /// Returns true if no match can begin anywhere in the value.
    pub(super) fn excludes(&self, value: &str) -> bool {
        let Some(first) = &self.first else { return false };
        let mut units = value.encode_utf16();
        if self.anchored {
            units.next().is_none_or(|unit| !first.contains(unit))
        } else {
            !units.any(|unit| first.contains(unit))
        }
    }
}

/// The steps reachable from the first step without consuming anything; assertions are assumed to hold.
struct Reach {
    ranges: Vec<(u16, u16)>,
    accepts: bool,
}

impl Reach {
    fn of(steps: &[Step], past_start: bool) -> Self {
        let mut reach = Self { ranges: Vec::new(), accepts: false };
        let mut seen = vec![false; steps.len()];
        let mut next = vec![0];
        while let Some(index) = next.pop() {
            let (Some(step), Some(seen)) = (steps.get(index), seen.get_mut(index)) else { continue };
            if std::mem::replace(seen, true) {
                continue;
            }
            match step {
                Step::Unit(set) => reach.ranges.extend(set.ranges()),
                Step::Accept => reach.accepts = true,
                Step::Jump(to) => next.push(*to),
                Step::Split(one, other) => next.extend([*one, *other]),
                Step::Start if !past_start => {}
                Step::Start | Step::End | Step::WordEdge { .. } | Step::Look { .. } => next.push(index + 1),
            }
        }
        reach
    }

    fn goes_on(&self) -> bool {
        self.accepts || !self.ranges.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Alphabet, Matcher, Renames, Verdict};

    #[test]
    fn nothing_is_excluded_that_could_match() {
        // rule: M3
        for (text, value, matches) in [
            ("^mcp__.*$", "mcp__git", true),
            ("^mcp__.*$", "New", false),
            ("a|^b", "xxb", false),
            ("a|^b", "xxa", true),
            ("(?:^)*b", "xxb", true),
            ("(?:^x)?b", "ab", true),
            ("x*", "", true),
            ("x+", "", false),
            ("$", "abc", true),
            ("\\bgit", "a git", true),
            ("(?=.*z)[ab]", "bz", true),
            ("(?=.*z)[ab]", "zz", false),
            ("[^a-z]", "abc", false),
            ("[^]", "😀", true),
        ] {
            let matcher = Matcher::compile(Some(text), Alphabet::Wide, &Renames::none()).unwrap();
            assert_eq!(matcher.judge(value) == Verdict::Match, matches, "{text} on {value}");
        }
    }
}
