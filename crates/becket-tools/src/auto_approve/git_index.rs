//! The check that an index lists only files and links: a submodule is a repository of its own, which `git status`
//! enters under its own configuration.
//!
//! Accepts versions 2 and 3; any other version, a shared index and a sparse one are rejected. Never panics, for any
//! bytes.

/// The mode of a submodule.
const SUBMODULE: u32 = 0o160_000;
/// The length of an entry in bytes up to its flags, and including them.
const FLAGS_AT: usize = 60;
const NAME_AT: usize = 62;
/// The flag for two more bytes of flags.
const EXTENDED: u16 = 0x4000;
/// The length of the hash at the end.
const HASH: usize = 20;

/// Returns whether the index can be read and contains no submodule.
pub(super) fn has_only_files(bytes: &[u8]) -> bool {
    let Some(header) = bytes.strip_prefix(b"DIRC") else { return false };
    let (Some(version), Some(count)) = (number(header, 0), number(header, 4)) else { return false };
    if !matches!(version, 2 | 3) {
        return false;
    }
    let mut rest = header.get(8..).unwrap_or_default();
    for _ in 0..count {
        match entry(rest) {
            Some((mode, length)) if mode & 0o170_000 != SUBMODULE => {
                rest = rest.get(length..).unwrap_or_default()
            }
            Some(_) | None => return false,
        }
    }
    extensions_are_optional(rest)
}

/// Returns the mode and the length of the first entry.
fn entry(bytes: &[u8]) -> Option<(u32, usize)> {
    let mode = number(bytes, 24)?;
    let flags = u16::from_be_bytes(bytes.get(FLAGS_AT..NAME_AT)?.try_into().ok()?);
    let name_at = if flags & EXTENDED == 0 { NAME_AT } else { NAME_AT + 2 };
    let name = bytes.get(name_at..)?.iter().position(|byte| *byte == 0)?;
    // One to eight zeros make the length a multiple of eight.
    Some((mode, (name_at + name + 8) & !7))
}

/// Returns whether all extensions are optional. Those that git must understand have lowercase names: a shared index, a
/// sparse one.
fn extensions_are_optional(mut rest: &[u8]) -> bool {
    while rest.len() > HASH {
        let (Some(first), Some(length)) = (rest.first(), number(rest, 4)) else { return false };
        let Some(after) = usize::try_from(length).ok().and_then(|length| rest.get(8 + length..)) else {
            return false;
        };
        if !first.is_ascii_uppercase() {
            return false;
        }
        rest = after;
    }
    rest.len() == HASH
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn index(version: u32, entries: &[(u32, &str)], extension: &[u8]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        for (mode, name) in entries {
            let mut entry = vec![0; NAME_AT];
            entry[24..28].copy_from_slice(&mode.to_be_bytes());
            entry.extend(name.bytes());
            entry.resize((entry.len() + 8) & !7, 0);
            bytes.extend(entry);
        }
        bytes.extend(extension);
        bytes.extend([7; HASH]);
        bytes
    }

    // rule: P14
    #[test]
    fn a_submodule_is_found_wherever_it_stands() {
        let (file, link, module) = (0o100_644, 0o120_000, 0o160_000);
        assert!(has_only_files(&index(2, &[], b"")));
        assert!(has_only_files(&index(
            2,
            &[(file, "a"), (link, "sub/long-name"), (file, "z")],
            b"TREE\0\0\0\x02xx"
        )));
        assert!(!has_only_files(&index(2, &[(file, "a"), (module, "sub"), (file, "z")], b"")));
        assert!(!has_only_files(&index(4, &[(file, "a")], b"")));
        assert!(!has_only_files(&index(2, &[(file, "a")], b"link\0\0\0\x01x")));
        assert!(!has_only_files(&index(2, &[(file, "a")], b"TREE\0\0\0\x7fx")));
        let whole = index(2, &[(file, "a"), (file, "b")], b"");
        assert!((0..whole.len()).all(|end| !has_only_files(&whole[..end])), "a part of an index is none");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..200), count in any::<u32>()) {
            let mut whole = b"DIRC\0\0\0\x02".to_vec();
            whole.extend(count.to_be_bytes());
            whole.extend(&bytes);
            let _ = has_only_files(&whole);
            let _ = has_only_files(&bytes);
        }
    }
}
