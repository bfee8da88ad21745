//! Caches verdicts by the whole request, if the host enables that.
//!
//! Only usable verdicts are kept, never a failure. The key is the model and the whole request, so a changed input,
//! prompt, conversation or system text is a different key, and two keys can't be confused.
//!
//! INVARIANT: no more entries than the capacity, and no more bytes than [`MOST_BYTES`]; the least recently used go
//! first.

use super::answer;
use becket_llm::Request;
use becket_model::interpret::ModelAnswer;
use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

/// The largest size of all entries together, in bytes of text.
const MOST_BYTES: usize = 16 << 20;

/// The verdicts that were given before.
#[derive(Debug)]
pub(crate) struct VerdictCache {
    capacity: NonZeroUsize,
    kept: Mutex<CacheEntries>,
}

/// The key of a verdict: the model and the text, in full.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    model: String,
    request: String,
}

#[derive(Debug, Default)]
struct CacheEntries {
    entries: HashMap<Key, Entry>,
    bytes: usize,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    text: String,
    used: u64,
}

impl Key {
    /// Creates the key of a request to a model. The debug form of a request quotes and escapes every text in it, so
    /// that no two requests have the same one.
    pub(crate) fn new(model: &str, request: &Request) -> Self {
        Key { model: model.to_owned(), request: format!("{request:?}") }
    }

    fn bytes(&self) -> usize {
        self.model.len() + self.request.len()
    }
}

impl VerdictCache {
    pub(crate) fn new(capacity: NonZeroUsize) -> Self {
        VerdictCache { capacity, kept: Mutex::default() }
    }

    /// Returns the answer that is stored under this key, as text and parsed.
    pub(crate) fn find(&self, key: &Key) -> Option<(String, ModelAnswer)> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let now = kept.clock;
        let entry = kept.entries.get_mut(key)?;
        entry.used = now;
        let text = entry.text.clone();
        drop(kept);
        answer::verdict(&text).ok().map(|answer| (text, answer))
    }

    /// Stores a text that contains a verdict.
    pub(crate) fn keep(&self, key: Key, text: String) {
        let size = key.bytes() + text.len();
        if size > MOST_BYTES {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        kept.remove(&key);
        while kept.entries.len() >= self.capacity.get() || kept.bytes + size > MOST_BYTES {
            kept.forget_longest_unused();
        }
        kept.bytes += size;
        let used = kept.clock;
        kept.entries.insert(key, Entry { text, used });
    }
}

impl CacheEntries {
    fn forget_longest_unused(&mut self) {
        let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
        match oldest {
            Some(key) => self.remove(&key),
            None => self.bytes = 0,
        }
    }

    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.entries.remove(key) {
            self.bytes = self.bytes.saturating_sub(key.bytes() + entry.text.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OK: &str = r#"{"reason":"fine","ok":true}"#;

    fn cache(capacity: usize) -> VerdictCache {
        VerdictCache::new(NonZeroUsize::new(capacity).unwrap())
    }

    fn key(text: &str) -> Key {
        Key::new("m", &Request::user(text))
    }

    #[test]
    fn the_longest_unused_goes_first() {
        let cache = cache(2);
        cache.keep(key("a"), OK.into());
        cache.keep(key("b"), OK.into());
        assert!(cache.find(&key("a")).is_some());
        cache.keep(key("c"), OK.into());
        assert!(cache.find(&key("b")).is_none());
        assert!(cache.find(&key("a")).is_some() && cache.find(&key("c")).is_some());
    }

    #[test]
    fn memory_is_bounded_whatever_the_capacity() {
        let cache = cache(1_000_000);
        for n in 0..40 {
            cache.keep(key(&format!("{n}{}", "x".repeat(1 << 20))), OK.into());
        }
        let kept = cache.kept.lock().unwrap();
        assert!(kept.bytes <= MOST_BYTES && kept.entries.len() > 5, "{} {}", kept.bytes, kept.entries.len());
        let counted: usize = kept.entries.iter().map(|(key, entry)| key.bytes() + entry.text.len()).sum();
        assert_eq!(counted, kept.bytes);
        drop(kept);
        cache.keep(key(&"y".repeat(MOST_BYTES)), OK.into());
        assert!(cache.find(&key(&"y".repeat(MOST_BYTES))).is_none());
    }

    #[test]
    fn everything_in_a_request_and_the_model_make_the_key() {
        let base = Request::user("a");
        let others = [
            Request { system: Some("a".into()), ..base.clone() },
            Request { max_tokens: 1, ..base.clone() },
            Request { messages: vec![], ..base.clone() },
            Request::user("a\", \"b"),
            Request { stop: vec!["a".into()], ..base.clone() },
        ];
        for other in &others {
            assert_ne!(Key::new("m", &base), Key::new("m", other));
        }
        assert_ne!(Key::new("m", &base), Key::new("n", &base));
    }
}
