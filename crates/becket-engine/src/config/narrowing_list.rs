//! Lists of settings that narrow what HTTP handlers may do, kept by source (H5): a list narrows the handlers of sources
//! that are trusted no more than its file, so that no project switches off a guard of the user or of a policy.

use becket_model::Source;

/// The lists of all settings files that count, one for each file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NarrowingList<T> {
    /// The lists with the rank of trust in their files (C3).
    files: Vec<(u8, T)>,
}

impl<T> Default for NarrowingList<T> {
    /// Returns no list: nothing is narrowed.
    fn default() -> Self {
        NarrowingList { files: Vec::new() }
    }
}

impl<T> NarrowingList<T> {
    /// Collects the lists of files. Where a managed file has one, only managed lists count.
    pub(crate) fn new<'s>(files: impl IntoIterator<Item = (&'s Source, T)>) -> Self {
        let mut files: Vec<(u8, T)> =
            files.into_iter().map(|(source, list)| (source.trust_rank(), list)).collect();
        let managed = Source::Policy.trust_rank();
        if files.iter().any(|(rank, _)| *rank == managed) {
            files.retain(|(rank, _)| *rank == managed);
        }
        NarrowingList { files }
    }

    /// Returns the lists that narrow the handlers of a source, which add up. If there is none, nothing narrows them.
    pub fn of(&self, source: &Source) -> impl Iterator<Item = &T> + Clone {
        let rank = source.trust_rank();
        self.files.iter().filter(move |(of_file, _)| *of_file <= rank).map(|(_, list)| list)
    }

    /// Returns whether an item passes a test of one of the lists for a source, or no list narrows it.
    pub(crate) fn allows(&self, source: &Source, test: impl FnMut(&T) -> bool) -> bool {
        let mut lists = self.of(source).peekable();
        lists.peek().is_none() || lists.any(test)
    }

    /// Returns the same lists, each converted.
    pub(crate) fn map<U>(&self, convert: impl Fn(&T) -> U) -> NarrowingList<U> {
        NarrowingList { files: self.files.iter().map(|(rank, list)| (*rank, convert(list))).collect() }
    }
}
