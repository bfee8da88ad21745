//! The message of a caught panic.

use std::any::Any;

/// Returns the message of a panic's payload.
///
/// ```
/// let payload = std::panic::catch_unwind(|| panic!("no {}", "luck")).unwrap_err();
/// assert_eq!(becket_base::panic_message(&*payload), "no luck");
/// ```
#[must_use]
pub fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message").to_owned()
}
