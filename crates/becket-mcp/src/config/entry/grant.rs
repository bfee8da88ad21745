//! The OAuth grant of an entry.
//!
//! Nothing is guessed: a grant is named, and has exactly the members that it needs.

use super::keys::unknown_within;
use super::provider::RawProvider;
use crate::config::error::{ServerConfigError, cut, near};
use crate::config::expand::Expander;
use crate::config::grant::{Algorithm, Grant, PrivateKey};
use crate::config::members::{At, Members};
use crate::config::place::Place;
use crate::config::warning::ServerWarning;
use becket_base::suggest;

/// The grant as written.
#[derive(Clone)]
pub(super) struct RawGrant {
    /// The position of `oauth`.
    place: Place,
    kind: Kind,
    key: Option<RawKey>,
    assertion: Option<String>,
    provider: Option<RawProvider>,
}

#[derive(Clone)]
struct RawKey {
    file: String,
    algorithm: Option<Algorithm>,
    id: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Client,
    Assertion,
    Exchange,
}

/// Other members of the client that a grant may need.
pub(super) struct ClientMembers {
    pub(super) id: bool,
    pub(super) secret: bool,
}

const KINDS: [(&str, Kind); 4] = [
    ("authorization_code", Kind::Code),
    ("client_credentials", Kind::Client),
    ("jwt_bearer", Kind::Assertion),
    ("token_exchange", Kind::Exchange),
];
const KEY: [&str; 3] = ["file", "algorithm", "id"];
/// Members of `oauth` for logins in a browser.
const OF_A_PERSON: [&str; 2] = ["callbackPort", "clientMetadataUrl"];

impl RawGrant {
    /// Reads the members of `oauth`.
    pub(super) fn read(
        members: &Members<'_, '_>,
        warnings: &mut Vec<ServerWarning>,
    ) -> Result<Self, ServerConfigError> {
        let kind = kind(members)?;
        if kind != Kind::Code {
            let unused = OF_A_PERSON.into_iter().filter_map(|key| Some((key, members.get(key)?)));
            warnings.extend(unused.map(|(key, raw)| ServerWarning::GrantUnused {
                place: members.text.start_of(raw.get()),
                key,
                grant: kind.name(),
            }));
        }
        let key = members.get("privateKey").map(|raw| {
            let members = Members::read(members.text, raw, "`privateKey`")?;
            warnings.extend(unknown_within(&members, &KEY));
            private_key(&members)
        });
        let assertion = members.string("assertionFile")?.map(|file| file.value);
        let provider = members.get("identityProvider").map(|raw| {
            let members = Members::read(members.text, raw, "`identityProvider`")?;
            RawProvider::read(&members, warnings)
        });
        Ok(Self {
            place: members.start.clone(),
            kind,
            key: key.transpose()?,
            assertion: assertion.filter(|file| !file.is_empty()),
            provider: provider.transpose()?,
        })
    }

    /// Returns the grant with variables expanded.
    pub(super) fn expanded(&self, expander: &mut Expander<'_>) -> Self {
        let Self { place, kind, key, assertion, provider } = self.clone();
        let key = key.map(|RawKey { file, algorithm, id }| RawKey {
            file: expander.text(&file),
            algorithm,
            id: id.map(|id| expander.text(&id)),
        });
        let assertion = assertion.map(|file| expander.text(&file));
        let provider = provider.map(|provider| provider.expanded(expander));
        Self { place, kind, key, assertion, provider }
    }

    /// Returns the grant, if it has all its members and none of another grant.
    pub(super) fn resolve(self, has: &ClientMembers) -> Result<Grant, ServerConfigError> {
        let Self { place, kind, key, assertion, provider } = self;
        let provider = provider.map(RawProvider::resolve).transpose()?;
        let no_id = || format!("has the grant `{}` and no `clientId`: write one", kind.name());
        let grant = match (kind, key, assertion, provider) {
            (Kind::Code, None, None, None) => return Ok(Grant::Code),
            (Kind::Code | Kind::Assertion | Kind::Exchange, Some(_), _, _) => Err(KEY_ALONE.to_owned()),
            (Kind::Code | Kind::Client | Kind::Exchange, _, Some(_), _) => Err(ASSERTION_ALONE.to_owned()),
            (Kind::Code | Kind::Client | Kind::Assertion, _, _, Some(_)) => Err(PROVIDER_ALONE.to_owned()),
            (Kind::Assertion, None, None, None) => Err(NO_ASSERTION.to_owned()),
            (Kind::Assertion, None, Some(file), None) => Ok(Grant::Assertion(file.into())),
            (Kind::Exchange, None, None, None) => Err(NO_PROVIDER.to_owned()),
            (Kind::Exchange, None, None, Some(provider)) => Ok(Grant::Exchange(provider)),
            (Kind::Client, Some(_), None, None) if has.secret => Err(TWO_PROOFS.to_owned()),
            (Kind::Client, Some(RawKey { file, algorithm, id }), None, None) => {
                Ok(Grant::Key(PrivateKey { file: file.into(), algorithm, id }))
            }
            (Kind::Client, None, None, None) if has.secret => Ok(Grant::Secret),
            (Kind::Client, None, None, None) => Err(NO_PROOF.to_owned()),
        };
        let grant = grant.and_then(|grant| if has.id { Ok(grant) } else { Err(no_id()) });
        grant.map_err(|why| ServerConfigError::Grant { place, why })
    }
}

impl Kind {
    fn name(self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

const KEY_ALONE: &str = "has a `privateKey`, which belongs to the grant `client_credentials`: \
    write `\"grant\": \"client_credentials\"`, or remove it";
const ASSERTION_ALONE: &str = "has an `assertionFile`, which belongs to the grant `jwt_bearer`: \
    write `\"grant\": \"jwt_bearer\"`, or remove it";
const PROVIDER_ALONE: &str = "has an `identityProvider`, which belongs to the grant `token_exchange`: \
    write `\"grant\": \"token_exchange\"`, or remove it";
const TWO_PROOFS: &str = "has a `clientSecret` and a `privateKey`: remove one";
const NO_PROOF: &str = "has the grant `client_credentials` and nothing to prove who it is: \
    write a `clientSecret` or a `privateKey`";
const NO_ASSERTION: &str = "has the grant `jwt_bearer` and no `assertionFile`: name the file with the JWT";

const NO_PROVIDER: &str = "has the grant `token_exchange` and no `identityProvider`: \
    name the one that vouches for you";

fn kind(members: &Members<'_, '_>) -> Result<Kind, ServerConfigError> {
    let Some(At { value, place }) = members.string("grant")? else { return Ok(Kind::Code) };
    let known = KINDS.iter().find(|(name, _)| *name == value);
    known.map(|(_, kind)| *kind).ok_or_else(|| {
        let why = unknown("grant", &value, &KINDS.map(|(name, _)| name));
        ServerConfigError::Grant { place, why }
    })
}

fn private_key(members: &Members<'_, '_>) -> Result<RawKey, ServerConfigError> {
    let wrong = |place, why| Err(ServerConfigError::Grant { place, why });
    let Some(file) = members.string("file")?.filter(|file| !file.value.is_empty()) else {
        let why = "has a `privateKey` without a `file`: name the PEM file".to_owned();
        return wrong(members.start.clone(), why);
    };
    let algorithm = match members.string("algorithm")? {
        None => None,
        Some(At { value, place }) => match Algorithm::from_name(&value) {
            Some(algorithm) => Some(algorithm),
            None => return wrong(place, unknown("algorithm", &value, &Algorithm::ALL.map(Algorithm::name))),
        },
    };
    Ok(RawKey { file: file.value, algorithm, id: members.string("id")?.map(|id| id.value) })
}

fn unknown(what: &str, value: &str, known: &[&'static str]) -> String {
    let all = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let meant = suggest(value, known);
    format!("has the {what} `{}`, which is unknown{}: write one of {all}", cut(value), near(meant))
}
