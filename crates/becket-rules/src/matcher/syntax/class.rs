//! Character classes: `[…]` and `[^…]`, `[]` (nothing) and `[^]` (anything) included.

use super::escape::Escape;
use super::{ParseFailure, Read, Reader};
use crate::matcher::units::Units;

impl Reader<'_> {
    /// Reads a class; the cursor is on the `[`.
    pub(super) fn class(&mut self) -> Read<Units> {
        self.eat("[");
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        while !self.eat("]") {
            self.class_item(&mut ranges)?;
        }
        let set = Units::of(ranges);
        Ok(if negated { set.negated() } else { set })
    }

    /// Parses one atom, or a range of two.
    fn class_item(&mut self, ranges: &mut Vec<(u16, u16)>) -> Read<()> {
        let low = self.class_atom()?;
        if self.peek() != Some(b'-') || matches!(self.peek_at(1), Some(b']') | None) {
            push(ranges, &low);
            return Ok(());
        }
        self.at += 1;
        let high = self.class_atom()?;
        match (&low, &high) {
            (Escape::Unit(low), Escape::Unit(high)) if low <= high => ranges.push((*low, *high)),
            (Escape::Unit(_), Escape::Unit(_)) => {
                return Err(ParseFailure::Malformed("range out of order in a class"));
            }
            // Annex B: a dash beside `\d` and similar escapes is literal.
            (Escape::Unit(_) | Escape::Set(_), Escape::Unit(_) | Escape::Set(_)) => {
                push(ranges, &low);
                push(ranges, &high);
                ranges.push((u16::from(b'-'), u16::from(b'-')));
            }
        }
        Ok(())
    }

    fn class_atom(&mut self) -> Read<Escape> {
        if self.peek() == Some(b'\\') {
            if self.peek_at(1) == Some(b'b') {
                self.at += 2;
                return Ok(Escape::Unit(0x08));
            }
            return self.character_escape(true);
        }
        self.next_unit().map(Escape::Unit).ok_or(ParseFailure::Malformed("unmatched `[`"))
    }
}

fn push(ranges: &mut Vec<(u16, u16)>, escaped: &Escape) {
    match escaped {
        Escape::Unit(unit) => ranges.push((*unit, *unit)),
        Escape::Set(set) => ranges.extend_from_slice(set.ranges()),
    }
}
