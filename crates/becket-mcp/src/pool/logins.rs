//! Logging in to servers, and out of them.

use super::face::PoolState;
use crate::auth::{LoggedOut, Login, Logins, Target};
use crate::challenge::Challenge;
use crate::config::Transport;
use crate::connection::login_target;
use crate::login_error::LoginError;

impl PoolState {
    pub(super) async fn login(&self, server: &str) -> Result<Login, LoginError> {
        let (logins, target) = self.login_of(server)?;
        let challenge = self.challenge(server);
        logins.login(&target, &challenge).await.map_err(|why| failed(server, why))
    }

    pub(super) async fn logout(&self, server: &str) -> Result<LoggedOut, LoginError> {
        let (logins, target) = self.login_of(server)?;
        let done = logins.logout(&target).await.map_err(|why| failed(server, why))?;
        let slot = self.slot(server)?;
        if let Some(old) = slot.let_go(&self.common) {
            self.draining.drain(&self.common, old);
        }
        Ok(done)
    }

    fn login_of(&self, server: &str) -> Result<(&Logins, Target), LoginError> {
        let slot = self.slot(server)?;
        let not_for_it = |why| LoginError::NotForIt { server: server.to_owned(), why };
        let config = slot.usable().map_err(|why| self.no_attempt(server, why))?;
        let (Transport::Http(remote) | Transport::Sse(remote) | Transport::WebSocket(remote)) =
            &config.transport
        else {
            return Err(not_for_it("it is not reached over a network by a URL of its own"));
        };
        match &self.common.options.logins {
            Some(logins) => Ok((logins, login_target(server, remote, &self.common.options.cwd))),
            None => Err(not_for_it("this host keeps no tokens")),
        }
    }

    /// Returns the server's last challenge.
    fn challenge(&self, server: &str) -> Challenge {
        let Ok(slot) = self.slot(server) else { return Challenge::default() };
        slot.usable()
            .map_or_else(|_| Challenge::default(), |config| self.common.needed.asked_for(&slot.name, config))
    }
}

fn failed(server: &str, why: crate::auth::AuthError) -> LoginError {
    LoginError::Auth { server: server.to_owned(), why }
}
