//! Files that hold secrets, or that several processes write: nobody else reads them, nobody sees half of one, and who
//! changes one holds its lock.

mod error;
mod file;
mod lock;

#[cfg(unix)]
mod unix;
#[cfg(unix)]
use unix as sys;
#[cfg(not(unix))]
mod other;
#[cfg(not(unix))]
use other as sys;

pub use error::FileError;
pub(crate) use file::{read, replace};
pub(crate) use lock::{beside, lock};
