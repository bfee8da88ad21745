//! The chain of hashes.

use becket_base::text::hex;
use sha2::{Digest as _, Sha256};

/// The hash before the first line of a log.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Returns the SHA-256 of some bytes, as 64 lowercase hexadecimal digits. The hash of a line does not include its line
/// feed.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub(crate) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len() == 2 * N)?;
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = pair[0] << 4 | pair[1];
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_from_their_digits() {
        assert_eq!(hex(&[0, 15, 255]), "000fff");
        assert_eq!(unhex::<3>("000fff"), Some([0, 15, 255]));
        for wrong in ["", "000ff", "000ffg", "000fff00", "+00fff"] {
            assert_eq!(unhex::<3>(wrong), None, "{wrong}");
        }
        assert_eq!(digest(b"").len(), GENESIS.len());
    }
}
