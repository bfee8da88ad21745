//! Sets of UTF-16 code units, which one step of an expression may consume.
//!
//! An ECMAScript expression without the `u` flag matches UTF-16 units, so a character outside the basic plane is two
//! steps there, and here.
//!
//! INVARIANT: ranges are sorted, disjoint and not adjacent.

/// A set of code units.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Units(Vec<(u16, u16)>);

const DIGITS: &[(u16, u16)] = &[(0x30, 0x39)];
const WORD: &[(u16, u16)] = &[(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
const LINE_ENDS: &[(u16, u16)] = &[(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];
/// White space and line terminators of ECMAScript.
const SPACE: &[(u16, u16)] = &[
    (0x09, 0x0D),
    (0x20, 0x20),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
];

impl Units {
    pub(super) fn one(unit: u16) -> Self {
        Self(vec![(unit, unit)])
    }

    pub(super) fn of(mut ranges: Vec<(u16, u16)>) -> Self {
        ranges.sort_unstable();
        let mut merged: Vec<(u16, u16)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match merged.last_mut() {
                Some(last) if u32::from(low) <= u32::from(last.1) + 1 => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        Self(merged)
    }

    /// Returns the units that `.` consumes.
    pub(super) fn dot() -> Self {
        Self::of(LINE_ENDS.to_vec()).negated()
    }

    /// Returns the units that a class escape (`d D w W s S`) consumes.
    pub(super) fn escape(letter: u8) -> Option<Self> {
        let ranges = match letter.to_ascii_lowercase() {
            b'd' => DIGITS,
            b'w' => WORD,
            b's' => SPACE,
            _ => return None,
        };
        let set = Self(ranges.to_vec());
        Some(if letter.is_ascii_uppercase() { set.negated() } else { set })
    }

    pub(super) fn negated(&self) -> Self {
        let mut gaps = Vec::with_capacity(self.0.len() + 1);
        let mut from = 0u32;
        for (low, high) in &self.0 {
            push_gap(&mut gaps, from, u32::from(*low));
            from = u32::from(*high) + 1;
        }
        push_gap(&mut gaps, from, 0x1_0000);
        Self(gaps)
    }

    pub(super) fn ranges(&self) -> &[(u16, u16)] {
        &self.0
    }

    pub(super) fn contains(&self, unit: u16) -> bool {
        match self.0.as_slice() {
            [(low, high)] => *low <= unit && unit <= *high,
            ranges => {
                let at = ranges.partition_point(|(_, high)| *high < unit);
                ranges.get(at).is_some_and(|(low, _)| *low <= unit)
            }
        }
    }
}

/// Returns whether a unit is part of a word, for `\b`.
pub(super) fn is_word(unit: u16) -> bool {
    u8::try_from(unit).is_ok_and(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}

fn push_gap(gaps: &mut Vec<(u16, u16)>, from: u32, to: u32) {
    if let (Ok(low), Some(Ok(high))) = (u16::try_from(from), to.checked_sub(1).map(u16::try_from))
        && low <= high
    {
        gaps.push((low, high));
    }
}
