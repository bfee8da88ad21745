//! The last bytes of a stream, however long it is.
//!
//! INVARIANT: at most `KEPT` bytes are kept.

use std::collections::VecDeque;

/// The limit on the kept part of a server's stderr.
pub(super) const KEPT: usize = 8 << 10;

/// The end of the pushed bytes.
#[derive(Debug, Default)]
pub(super) struct Tail(VecDeque<u8>);

impl Tail {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let bytes = &bytes[bytes.len().saturating_sub(KEPT)..];
        let over = (self.0.len() + bytes.len()).saturating_sub(KEPT);
        self.0.drain(..over);
        self.0.extend(bytes);
    }

    /// Returns the text, starting at a character boundary.
    pub(super) fn text(&self) -> String {
        let (front, back) = self.0.as_slices();
        let bytes = [front, back].concat();
        let cut = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
        String::from_utf8_lossy(&bytes[cut..]).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_whatever_the_pieces() {
        let whole: Vec<u8> = (0..5 * KEPT).map(|n| b'a' + (n % 26) as u8).collect();
        let end = String::from_utf8(whole[4 * KEPT..].to_vec()).unwrap();
        for size in [1, 7, KEPT - 1, KEPT, KEPT + 1, 5 * KEPT] {
            let mut tail = Tail::default();
            whole.chunks(size).for_each(|piece| tail.push(piece));
            assert_eq!(tail.text(), end, "{size}");
        }
    }

    #[test]
    fn no_half_character_is_shown() {
        let mut tail = Tail::default();
        tail.push("€".repeat(KEPT).as_bytes());
        assert!(tail.text().chars().all(|c| c == '€'));
        assert!(tail.text().len() > KEPT - 3);
    }
}
