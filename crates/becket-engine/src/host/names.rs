//! Variables as `Debug` may show them: their names, and never their values (S3).

/// Returns the names alone.
pub(crate) fn names(variables: &[(String, String)]) -> Vec<&str> {
    variables.iter().map(|(name, _)| name.as_str()).collect()
}
