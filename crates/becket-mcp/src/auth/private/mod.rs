//! Private files, which contain secrets or are written by several processes: readable by their owner only, replaced as
//! a whole, and changed under a lock.

mod error;
mod file;
mod lock;

pub use error::FileError;
pub(crate) use file::{read, replace};
pub(crate) use lock::{beside, lock};
