//! Where the command of a wrapper starts.

use super::arg::Arg;
use super::wrapper_table::{WRAPPERS, Wrapper};

/// What a wrapper's arguments say.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wrapped {
    /// Index of the command's first word; the number of arguments if there is none.
    pub(crate) start: usize,
    /// Whether every option was known; if not, any later word may be the start.
    pub(crate) certain: bool,
    /// Whether any option was given.
    pub(crate) options: bool,
}

/// The entry of a wrapper.
pub(crate) fn lookup(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.name == name)
}

impl Wrapper {
    /// Finds the command in `args`, of which the first is the wrapper's own name.
    pub(crate) fn locate(&self, args: &[Arg]) -> Wrapped {
        let mut found = Wrapped { start: 1, certain: true, options: false };
        while let Some(arg) = args.get(found.start) {
            let Some(text) = arg.value() else {
                // What may be an option moves the start.
                found.certain = false;
                return found;
            };
            if text == "--" {
                found.start += 1;
                break;
            }
            let assigns = self.assigns && text.contains('=') && !text.starts_with('-');
            if assigns || (self.name == "env" && text == "-") {
                found.start += 1;
                continue;
            }
            if !text.starts_with('-') || text.len() == 1 {
                break;
            }
            found.options = true;
            found.start += 1 + usize::from(self.takes_next(&text[1..], &mut found.certain));
        }
        found.start += self.operands;
        while self.assigns && args.get(found.start).is_some_and(|arg| is_assignment(&arg.text)) {
            found.start += 1;
        }
        found.start = found.start.min(args.len());
        found
    }

    /// Whether the next argument is the option's value.
    fn takes_next(&self, option: &str, certain: &mut bool) -> bool {
        if let Some(long) = option.strip_prefix('-') {
            let (name, attached) = long.split_once('=').map_or((long, false), |(name, _)| (name, true));
            let valued = self.long_valued.contains(&name);
            *certain &= valued || self.long_flags.contains(&name);
            return valued && !attached;
        }
        let mut letters = option.chars();
        for letter in letters.by_ref() {
            if self.valued.contains(letter) {
                return letters.as_str().is_empty();
            }
            if !self.flags.contains(letter) {
                *certain = false;
            }
        }
        false
    }
}

/// `NAME=value`.
pub(crate) fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && !name.starts_with('-') && name.bytes().all(super::cursor::in_name)
    })
}

/// What is left of a command after the wrappers that allow rules look through (P5), and whether `xargs` was one.
pub(crate) fn strip(args: &[Arg]) -> (&[Arg], bool) {
    let (mut left, mut open) = (args, false);
    while let Some(name) = left.first().and_then(Arg::value) {
        let Some(wrapper) = lookup(name) else { break };
        let found = wrapper.locate(left);
        let bare_xargs = name == "xargs" && !found.options;
        if !found.certain || found.start >= left.len() || !(wrapper.stripped || bare_xargs) {
            break;
        }
        open |= bare_xargs;
        left = &left[found.start..];
    }
    (left, open)
}
