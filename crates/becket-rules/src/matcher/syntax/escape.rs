//! Escapes, with the leniencies of Annex B: octal numbers, identity escapes, a lone `\c`.

use super::{Node, ParseFailure, Read, Reader};
use crate::matcher::units::Units;

/// The meaning of a character escape, in a class or outside.
pub(super) enum Escape {
    Unit(u16),
    Set(Units),
}

impl Reader<'_> {
    /// Reads an escape outside a class; the cursor is on the backslash.
    pub(super) fn escape(&mut self) -> Read<Node> {
        match self.peek_at(1) {
            Some(b'b') => return Ok(self.word_edge(false)),
            Some(b'B') => return Ok(self.word_edge(true)),
            Some(b'k') if self.named => {
                while self.next_unit().ok_or(ParseFailure::Malformed("`\\k` without a name"))?
                    != u16::from(b'>')
                {}
                return Ok(self.back_reference());
            }
            Some(b'1'..=b'9') => {
                if let Some((group, end)) = self.number_at(1)
                    && group <= self.groups
                {
                    self.at += end;
                    return Ok(self.back_reference());
                }
            }
            _ => {}
        }
        Ok(Node::Unit(match self.character_escape(false)? {
            Escape::Unit(unit) => Units::one(unit),
            Escape::Set(set) => set,
        }))
    }

    /// Reads an escape that means units; the cursor is on the backslash.
    pub(super) fn character_escape(&mut self, in_class: bool) -> Read<Escape> {
        self.at += 1;
        let byte = self.peek().ok_or(ParseFailure::Malformed("`\\` at the end"))?;
        if let Some(set) = Units::escape(byte) {
            self.at += 1;
            return Ok(Escape::Set(set));
        }
        if byte == b'c' {
            return Ok(Escape::Unit(self.control(in_class)));
        }
        if matches!(byte, b'0'..=b'7') {
            return Ok(Escape::Unit(self.octal()));
        }
        let unit = self.next_unit().unwrap_or_default();
        Ok(Escape::Unit(match byte {
            b't' => 0x09,
            b'n' => 0x0A,
            b'v' => 0x0B,
            b'f' => 0x0C,
            b'r' => 0x0D,
            b'x' => self.hexadecimal(2).unwrap_or(unit),
            b'u' => self.hexadecimal(4).unwrap_or(unit),
            _ => unit,
        }))
    }

    fn word_edge(&mut self, negated: bool) -> Node {
        self.at += 2;
        Node::WordEdge { negated }
    }

    fn back_reference(&mut self) -> Node {
        self.has_back_reference = true;
        Node::Back
    }

    /// Parses `\cA`; without a letter the backslash is literal and `c` comes next.
    fn control(&mut self, in_class: bool) -> u16 {
        match self.peek_at(1) {
            Some(letter) if letter.is_ascii_alphabetic() || (in_class && is_class_control(letter)) => {
                self.at += 2;
                u16::from(letter % 32)
            }
            _ => u16::from(b'\\'),
        }
    }

    /// Parses one to three octal digits, at most `\377`.
    fn octal(&mut self) -> u16 {
        let mut value = 0u16;
        for _ in 0..3 {
            match self.peek() {
                Some(digit @ b'0'..=b'7') if value * 8 + u16::from(digit - b'0') <= 0o377 => {
                    value = value * 8 + u16::from(digit - b'0');
                    self.at += 1;
                }
                _ => break,
            }
        }
        value
    }

    fn hexadecimal(&mut self, digits: usize) -> Option<u16> {
        let mut value = 0u16;
        for ahead in 0..digits {
            let digit = char::from(self.peek_at(ahead)?).to_digit(16)?;
            value = (value << 4) | u16::try_from(digit).ok()?;
        }
        self.at += digits;
        Some(value)
    }
}

fn is_class_control(letter: u8) -> bool {
    letter.is_ascii_digit() || letter == b'_'
}
