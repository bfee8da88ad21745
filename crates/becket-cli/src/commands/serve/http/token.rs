//! The secret that every request must contain. It is in a file that only its owner can read, never on a command line.

use becket_base::private_file::{self, NotPrivate};
use becket_base::text::hex;
use std::fs::File;
use std::hint::black_box;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The number of random bytes in a token.
const BYTES: usize = 32;
/// The minimum length of a custom token, in characters.
const SHORTEST: usize = 32;
/// The maximum length of a token.
const LONGEST: u64 = 4_096;

/// A token and its file. A file that was created for it is removed with it.
pub(super) struct Token {
    secret: Vec<u8>,
    file: PathBuf,
    is_own: bool,
}

impl Token {
    /// Returns the token of a file; if the file does not exist, it is created with a new token.
    ///
    /// # Errors
    /// Errors if the file is unsuitable for a secret, or can't be created.
    pub(super) fn of(file: &Path) -> Result<Self, String> {
        let describe = |why: String| format!("`{}`: {why}", file.display());
        match File::open(file) {
            Ok(open) => Token::read(open, file).map_err(describe),
            Err(error) if error.kind() == ErrorKind::NotFound => Token::made(file).map_err(describe),
            Err(error) => Err(describe(error.to_string())),
        }
    }

    fn read(open: File, file: &Path) -> Result<Self, String> {
        is_private(&open)?;
        let mut text = String::new();
        open.take(LONGEST).read_to_string(&mut text).map_err(|error| error.to_string())?;
        let secret = text.trim();
        if secret.len() < SHORTEST || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!(
                "a token has {SHORTEST} visible characters of ASCII at least, and no others"
            ));
        }
        Ok(Token { secret: secret.into(), file: file.to_owned(), is_own: false })
    }

    fn made(file: &Path) -> Result<Self, String> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
        let secret = hex(&bytes);
        private_file::create_parent(file).map_err(|error| error.to_string())?;
        let mut open = private_file::create_new(file).map_err(|error| error.to_string())?;
        let token = Token { secret: secret.into(), file: file.to_owned(), is_own: true };
        open.write_all(&token.secret)
            .and_then(|()| open.write_all(b"\n"))
            .map_err(|error| error.to_string())?;
        Ok(token)
    }

    /// Returns the file of the token.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// Returns true if `given` is the token. The comparison takes constant time.
    pub(super) fn is(&self, given: &[u8]) -> bool {
        let pairs = self.secret.iter().zip(given);
        let differing = pairs.fold(0, |differing, (own, given)| differing | (own ^ given));
        given.len() == self.secret.len() && black_box(differing) == 0
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        if self.is_own {
            // An error can no longer be reported here.
            drop(std::fs::remove_file(&self.file));
        }
    }
}

fn is_private(open: &File) -> Result<(), String> {
    private_file::check(open).map_err(|error| match error {
        NotPrivate::NotFile | NotPrivate::OtherOwner(_) => "the file of a token must be your own".to_owned(),
        NotPrivate::Mode(_) => "others can read this token: give its file the permissions 0600".to_owned(),
        NotPrivate::Io(error) => error.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_itself_and_nothing_else() {
        let place = tempfile::tempdir().expect("it can be made");
        let [one, other] =
            ["a/one", "a/other"].map(|name| Token::of(&place.path().join(name)).expect("it is made"));
        assert_eq!(one.secret.len(), 2 * BYTES);
        assert_ne!(one.secret, other.secret);
        let secret = one.secret.clone();
        assert!(one.is(&secret) && !one.is(&other.secret));
        assert!(!one.is(b"") && !one.is(&secret[1..]) && !one.is(&[&secret[..], b"0"].concat()));
        let file = one.file().to_owned();
        let again = Token::of(&file).expect("it is read");
        assert!(again.is(&secret));
        drop(again);
        assert!(file.exists(), "it was there before");
        drop(one);
        assert!(!file.exists());
    }

    #[test]
    fn what_is_no_secret_is_refused() {
        let place = tempfile::tempdir().expect("it can be made");
        let file = place.path().join("token");
        for text in ["", "short", &"ü".repeat(40), &format!("{} {}", "a".repeat(30), "b".repeat(30))] {
            drop(std::fs::remove_file(&file));
            let mut open = private_file::create_new(&file).expect("it is made");
            open.write_all(text.as_bytes()).expect("it is written");
            assert!(Token::of(&file).is_err_and(|why| why.contains("visible characters")), "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_token_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().expect("it can be made");
        let file = place.path().join("token");
        std::fs::write(&file, "a".repeat(40)).expect("it is written");
        for (mode, is_good) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).expect("it is ours");
            assert_eq!(Token::of(&file).is_ok(), is_good, "{mode:o}");
        }
    }
}
