//! The variables that settings set for hooks (H3), kept by source: a handler sees those of sources that are at least as
//! trusted as its own, so that no project affects the programs of a managed or a user's hook.

use crate::host::names::names;
use becket_model::Source;
use std::collections::BTreeMap;
use std::fmt;

/// The `env` of all settings files that count. `Debug` shows no value (S3).
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SettingsEnv {
    /// The variables of each file with the trust in it, the weakest file first (C5).
    files: Vec<(u8, Vec<(String, String)>)>,
}

impl SettingsEnv {
    /// Adds the variables of a file that is stronger than those before it.
    pub(crate) fn push(&mut self, source: &Source, variables: Vec<(String, String)>) {
        if !variables.is_empty() {
            self.files.push((source.trust_rank(), variables));
        }
    }

    /// Returns the variables that handlers of `source` see, in the order of their names; of equal names the value of
    /// the strongest file.
    pub fn seen_by(&self, source: &Source) -> Vec<(String, String)> {
        self.up_to(source.trust_rank())
    }

    /// Returns the variables of all files that count.
    pub fn all(&self) -> Vec<(String, String)> {
        self.up_to(u8::MAX)
    }

    /// Returns the ranks at which handlers begin to see more, the most trusted first.
    pub(crate) fn ranks(&self) -> Vec<u8> {
        let mut ranks: Vec<u8> = self.files.iter().map(|(rank, _)| *rank).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    /// Returns the variables of files whose rank of trust is at most this.
    pub(crate) fn up_to(&self, rank: u8) -> Vec<(String, String)> {
        let seen = self.files.iter().filter(|(of_file, _)| *of_file <= rank);
        let merged: BTreeMap<&String, &String> =
            seen.flat_map(|(_, variables)| variables.iter().map(|(name, value)| (name, value))).collect();
        merged.into_iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

impl fmt::Debug for SettingsEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = self.files.iter().map(|(rank, variables)| (rank, names(variables)));
        f.debug_list().entries(files).finish()
    }
}
