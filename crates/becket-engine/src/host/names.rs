//! Variables as `Debug` may show them: their names, and never a value (S3).

/// The names alone.
pub(crate) fn names(variables: &[(String, String)]) -> Vec<&str> {
    variables.iter().map(|(name, _)| name.as_str()).collect()
}
