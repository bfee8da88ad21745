//! The characters of tool names (X5).

/// Returns whether a tool's name may contain the character: ASCII letters and digits, `_` and `-`, as models allow.
///
/// ```
/// assert!(becket_model::is_tool_name_char('-'));
/// assert!(!becket_model::is_tool_name_char('.'));
/// ```
pub const fn is_tool_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// Replaces each character that a tool's name can't contain with `_`. The names of a server's tools contain its name in
/// this form.
///
/// ```
/// assert_eq!(becket_model::as_tool_name("plugin:tidy:read.all"), "plugin_tidy_read_all");
/// ```
pub fn as_tool_name(text: &str) -> String {
    text.chars().map(|c| if is_tool_name_char(c) { c } else { '_' }).collect()
}
