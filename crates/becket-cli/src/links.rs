//! The addresses of the documentation. The repository of the workspace (`Cargo.toml`) is their only source.

/// The address of the pages in `docs/`.
pub(crate) const PAGES: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs");

/// Returns the address of a page of `docs/`.
pub(crate) fn page(path: &str) -> String {
    format!("{PAGES}/{path}")
}
