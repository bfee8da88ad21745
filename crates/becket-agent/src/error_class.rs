//! The error classes of StopFailure, and the report of a failed request to the user.

use becket_llm::ModelError;

/// The class of a failed request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// Too many requests or tokens.
    RateLimit,
    /// The provider is overloaded.
    Overloaded,
    /// The key is missing, wrong, or lacks the permission.
    AuthenticationFailed,
    /// The organisation does not allow its members to log in this way.
    OauthOrgNotAllowed,
    /// A payment problem.
    BillingError,
    /// The request is wrong or too large, or the model declined it.
    InvalidRequest,
    /// The model does not exist.
    ModelNotFound,
    /// The provider failed, or its answer can't be parsed.
    ServerError,
    /// The answer was cut off at its limit repeatedly.
    MaxOutputTokens,
    /// Any other error, usually a missing connection.
    Unknown,
}

impl ErrorClass {
    /// Returns the name on the wire, as StopFailure matchers use it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RateLimit => "rate_limit",
            Self::Overloaded => "overloaded",
            Self::AuthenticationFailed => "authentication_failed",
            Self::OauthOrgNotAllowed => "oauth_org_not_allowed",
            Self::BillingError => "billing_error",
            Self::InvalidRequest => "invalid_request",
            Self::ModelNotFound => "model_not_found",
            Self::ServerError => "server_error",
            Self::MaxOutputTokens => "max_output_tokens",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the class of a model's error.
    #[must_use]
    pub fn of(error: &ModelError) -> Self {
        match error {
            ModelError::RateLimited { .. } => Self::RateLimit,
            ModelError::Overloaded { .. } => Self::Overloaded,
            ModelError::Unauthorized { message, .. } if is_about_an_organisation(message) => {
                Self::OauthOrgNotAllowed
            }
            ModelError::Unauthorized { .. } | ModelError::NoKey { .. } => Self::AuthenticationFailed,
            ModelError::BadRequest { message, .. } if is_about_money(message) => Self::BillingError,
            ModelError::BadRequest { .. } => Self::InvalidRequest,
            ModelError::NotFound { .. } | ModelError::UnknownModel { .. } | ModelError::NoModel => {
                Self::ModelNotFound
            }
            ModelError::Provider { status: Some(402), .. } => Self::BillingError,
            ModelError::Provider { kind, .. } if kind == "billing_error" => Self::BillingError,
            ModelError::Provider { status: Some(status), .. } if *status < 500 => Self::Unknown,
            ModelError::Provider { .. }
            | ModelError::Idle { .. }
            | ModelError::Truncated { .. }
            | ModelError::BadAnswer { .. }
            | ModelError::TooLarge { .. } => Self::ServerError,
            ModelError::NothingListens { .. }
            | ModelError::Connection { .. }
            | ModelError::Broken { .. }
            | ModelError::Setup { .. }
            | ModelError::Script { .. } => Self::Unknown,
        }
    }
}

fn is_about_money(message: &str) -> bool {
    let message = message.to_lowercase();
    ["credit balance", "billing", "payment"].iter().any(|word| message.contains(word))
}

fn is_about_an_organisation(message: &str) -> bool {
    let message = message.to_lowercase();
    message.contains("oauth") && message.contains("organization")
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_model::EventKind;

    fn provider(status: Option<u16>, kind: &str) -> ModelError {
        ModelError::Provider {
            from: "h".into(),
            status,
            kind: kind.into(),
            retry_after: None,
            message: "x".into(),
        }
    }

    fn bad_request(message: &str) -> ModelError {
        ModelError::BadRequest { from: "h".into(), message: message.into() }
    }

    // rule: L3
    #[test]
    fn each_error_has_its_class() {
        let from = || "h".to_owned();
        let unauthorized = |message: &str| ModelError::Unauthorized {
            from: from(),
            status: 401,
            message: message.to_owned(),
        };
        let x = || "x".to_owned();
        let cases = [
            (ModelError::RateLimited { from: from(), retry_after: None, message: x() }, "rate_limit"),
            (ModelError::Overloaded { from: from(), retry_after: None, message: x() }, "overloaded"),
            (unauthorized("bad key"), "authentication_failed"),
            (unauthorized("OAuth is not allowed for this organization"), "oauth_org_not_allowed"),
            (bad_request("Your credit balance is too low"), "billing_error"),
            (bad_request("messages: at least one"), "invalid_request"),
            (ModelError::NoModel, "model_not_found"),
            (provider(Some(402), ""), "billing_error"),
            (provider(None, "billing_error"), "billing_error"),
            (provider(Some(418), ""), "unknown"),
            (provider(Some(500), ""), "server_error"),
            (provider(None, "api_error"), "server_error"),
            (ModelError::Truncated { from: from() }, "server_error"),
            (ModelError::Connection { from: from(), message: x() }, "unknown"),
        ];
        let known = EventKind::StopFailure.spec().matcher.unwrap().values;
        for (error, expected) in cases {
            let class = ErrorClass::of(&error).as_str();
            assert_eq!(class, expected, "{error}");
            assert!(known.contains(&class), "{class}");
        }
        assert!(known.contains(&ErrorClass::MaxOutputTokens.as_str()));
    }
}
