//! The position of a handler among the handlers of one event (C6), as one number that sorts.

use crate::host::profile::Profile;
use becket_model::Source;

/// The parts of a handler's position, most significant first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandlerOrder<'a> {
    /// The source of the handler.
    pub source: &'a Source,
    /// Its number among the sources of the same kind, from 0: the third plugin has 2.
    pub nth: u16,
    /// The handler's own `order`; lower runs first.
    pub order: i64,
    /// A running number: file order, or the order of registration.
    pub sequence: u32,
}

/// The largest absolute `order`; values beyond it are not distinguished.
const FAR: i64 = (1 << 23) - 1;

/// Returns the sort key of [`becket_model::HandlerOrigin::position`]: source, then `order`, then file order; or `order`
/// first, if the profile compares it among all sources (C6).
///
/// Handlers that are registered later use the same scale: give them a higher sequence.
pub fn position(profile: &Profile, seat: HandlerOrder<'_>) -> u64 {
    let source = (u64::from(seat.source.list_rank()) << 12) | u64::from(seat.nth.min(0xfff));
    let order = u64::try_from(seat.order.clamp(-FAR, FAR) + FAR + 1).unwrap_or_default();
    let sequence = u64::from(seat.sequence.min(0xff_ffff));
    if profile.order_among_all {
        (order << 40) | (source << 24) | sequence
    } else {
        (source << 48) | (order << 24) | sequence
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(source: &Source, order: i64, sequence: u32) -> HandlerOrder<'_> {
        HandlerOrder { source, nth: 0, order, sequence }
    }

    // rule: C6
    #[test]
    fn order_moves_a_handler_within_its_source_only() {
        let profile = Profile::claude();
        let key = |seat| position(&profile, seat);
        let (user, project) = (Source::User, Source::Project);
        assert!(key(at(&user, 0, 1)) < key(at(&user, 0, 2)));
        assert!(key(at(&user, -1, 2)) < key(at(&user, 0, 1)));
        assert!(key(at(&user, i64::MAX, 9)) < key(at(&project, i64::MIN, 1)));
        let (a, b) = (Source::Plugin("a".into()), Source::Plugin("b".into()));
        assert!(key(HandlerOrder { nth: 0, ..at(&a, 5, 9) }) < key(HandlerOrder { nth: 1, ..at(&b, -5, 1) }));
    }

    // rule: C6
    #[test]
    fn order_moves_among_all_in_profile_agent() {
        let profile = Profile::agent();
        let key = |seat| position(&profile, seat);
        let (user, flag) = (Source::User, Source::Flag);
        assert!(key(at(&flag, -1, 9)) < key(at(&user, 0, 1)));
        assert!(key(at(&user, 0, 9)) < key(at(&flag, 0, 1)));
    }
}
