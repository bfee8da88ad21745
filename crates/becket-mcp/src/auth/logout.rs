//! Logout: tokens are deleted locally, and revoked at the authorisation server if it supports that.

use std::time::Duration;

use reqwest::Method;
use tokio::time::timeout;
use url::Url;
use url::form_urlencoded::Serializer;

use crate::auth::AuthError;
use crate::auth::endpoint::authenticated;
use crate::auth::http_client::HttpClient;
use crate::auth::session::Session;
use crate::auth::tokens::{Client, Tokens};
use becket_base::secret::Secret;

/// The time limit on the revocation. The local tokens are deleted by then.
const LIMIT: Duration = Duration::from_secs(5);

/// The result of a logout.
#[derive(Debug, Clone)]
pub enum LoggedOut {
    /// There were no tokens.
    NoTokens,
    /// The tokens are deleted locally; the authorisation server has no revocation endpoint.
    LocalOnly,
    /// The tokens are deleted locally and revoked.
    Everywhere,
    /// The tokens are deleted locally; the revocation failed or timed out.
    NotRevoked {
        /// The cause; `None` after a timeout.
        why: Option<AuthError>,
    },
}

pub(crate) async fn logout(session: &Session) -> Result<LoggedOut, AuthError> {
    let tokens = {
        let guard = session.guard().await?;
        let tokens = session.options().store.load(session.key()).await?;
        session.forget(&guard).await?;
        tokens
    };
    let had_others = session.unattended().lock().await.forget();
    let Some(tokens) = tokens else {
        return Ok(if had_others { LoggedOut::LocalOnly } else { LoggedOut::NoTokens });
    };
    Ok(match timeout(LIMIT, revoke(session, &tokens)).await {
        Ok(Ok(true)) => LoggedOut::Everywhere,
        Ok(Ok(false)) => LoggedOut::LocalOnly,
        Ok(Err(why)) => LoggedOut::NotRevoked { why: Some(why) },
        Err(_) => LoggedOut::NotRevoked { why: None },
    })
}

/// Revokes the tokens; false if there is no revocation endpoint. The refresh token comes first: it lives longer.
async fn revoke(session: &Session, tokens: &Tokens) -> Result<bool, AuthError> {
    let Some(endpoint) = &tokens.issued.revocation_endpoint else { return Ok(false) };
    let web = session.web().await?;
    let kinds = [("refresh_token", tokens.refresh.as_ref()), ("access_token", Some(&tokens.access))];
    for (kind, token) in kinds.into_iter().filter_map(|(kind, token)| Some((kind, token?))) {
        let request = request(web, endpoint, &tokens.client, kind, token)?;
        let answer = web.send("revocation endpoint", request).await?;
        if !answer.status.is_success() {
            let error = format!("HTTP {}", answer.status.as_u16());
            return Err(AuthError::Refused { error, description: "it does not revoke the token".to_owned() });
        }
    }
    Ok(true)
}

fn request(
    web: &HttpClient,
    endpoint: &Url,
    client: &Client,
    kind: &str,
    token: &Secret,
) -> Result<reqwest::Request, AuthError> {
    let mut form = Serializer::new(String::new());
    form.append_pair("token", token.expose()).append_pair("token_type_hint", kind);
    authenticated(web.request(Method::POST, endpoint), form, client)
}
