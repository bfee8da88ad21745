//! The selection of the scopes that a login requests. Pure.
//!
//! - If a server wants more than was granted, the scopes requested before and those it wants now, once.
//! - Otherwise those that the user configured, unchanged; else those of the challenge; else those of the metadata.
//! - `offline_access` is added if the authorisation server supports it and the user has not configured any scopes.

use crate::auth::AuthError;
use crate::auth::tokens::Tokens;
use crate::challenge::Challenge;

/// The scope for tokens that are renewed without the user.
const OFFLINE: &str = "offline_access";

/// Returns the scopes to request. `found` are those of the metadata, `supported` those of the authorisation server.
pub(crate) fn requested(
    configured: &[String],
    challenge: &Challenge,
    kept: Option<&Tokens>,
    supported: &[String],
    found: Vec<String>,
) -> Result<Vec<String>, AuthError> {
    if challenge.is_insufficient_scope()
        && let Some(kept) = kept
    {
        return more(challenge.scopes(), kept);
    }
    if !configured.is_empty() {
        return Ok(configured.to_vec());
    }
    let named = challenge.scopes();
    let mut scopes = if named.is_empty() { found } else { named };
    let is_known = supported.iter().any(|scope| scope == OFFLINE);
    if is_known && !scopes.is_empty() && !scopes.iter().any(|scope| scope == OFFLINE) {
        scopes.push(OFFLINE.to_owned());
    }
    Ok(scopes)
}

fn more(named: Vec<String>, kept: &Tokens) -> Result<Vec<String>, AuthError> {
    let mut scopes = Vec::new();
    for scope in kept.requested_scopes.iter().chain(&kept.scopes).chain(&named) {
        if !scopes.contains(scope) {
            scopes.push(scope.clone());
        }
    }
    if scopes.iter().all(|scope| kept.requested_scopes.contains(scope)) {
        return Err(AuthError::NotGranted { wanted: named });
    }
    Ok(scopes)
}
