//! A Unix socket for clients of the same user only.
//!
//! INVARIANT: only the user can enter the directory of the socket, so no other user can reach it, not even before the
//! socket's own permissions are set; a connection of another user id is rejected as well.

use super::connection::{Client, ConnectionEnd};
use super::memory_budget::MemoryBudget;
use super::presence::Presence;
use super::session_defaults::SessionDefaults;
use crate::error::{CliError, CommandResult};
use crate::out::Out;
use crate::report::style::plain;
use becket_base::private_file;
use becket_engine::CancellationToken;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream as StdStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

/// The limit on concurrent clients.
const MOST: usize = 1_024;
/// The pause before accepting connections again after the system could not provide one, for example without free
/// descriptors.
const REST: Duration = Duration::from_millis(100);

/// Serves all connections, until a signal arrives; then the socket is removed.
pub(super) async fn serve(
    path: &Path,
    host: Arc<SessionDefaults>,
    patience: Duration,
    cancel: &CancellationToken,
    out: Out,
) -> CommandResult {
    let place = Place::taken(path).map_err(|why| CliError::Serve { why })?;
    if !out.is_quiet() {
        out.eprint_to_copy(&format!("listening on {}\n", plain(&path.display().to_string())));
    }
    let room = Arc::new(MemoryBudget::default());
    let mut clients = JoinSet::new();
    loop {
        let stream = tokio::select! {
            biased;
            () = cancel.cancelled() => break,
            Some(_) = clients.join_next(), if !clients.is_empty() => continue,
            stream = place.listener.accept(), if clients.len() < MOST => stream,
        };
        let Ok((stream, _)) = stream else {
            tokio::time::sleep(REST).await;
            continue;
        };
        let Some(presence) = of_own_user(&stream) else { continue };
        let client = Client { host: host.clone(), patience, presence, room: Some(room.clone()) };
        let cancel = cancel.clone();
        clients.spawn(async move {
            let (from, to) = stream.into_split();
            if let ConnectionEnd::CutOff(why) = client.serve(from, to, &cancel).await {
                out.eprint(&format!("{why}\n"));
            }
        });
    }
    // No new client is accepted while the others are ended.
    drop(place);
    while clients.join_next().await.is_some() {}
    Ok(0)
}

/// Returns the presence of the other end, if it belongs to the user of this process.
fn of_own_user(stream: &UnixStream) -> Option<Presence> {
    let peer = stream.peer_cred().ok()?.uid();
    let is_own = peer == rustix::process::geteuid().as_raw();
    is_own.then(|| Presence::of(stream).ok()).flatten()
}

/// A listening socket. It is removed at the end, unless another one has replaced it.
struct Place {
    listener: UnixListener,
    path: PathBuf,
    id: (u64, u64),
}

impl Place {
    /// Claims a path: creates its directory, and replaces a socket on which no process listens.
    fn taken(path: &Path) -> Result<Self, String> {
        let describe = |what: &Path, why: &dyn std::fmt::Display| format!("`{}`: {why}", what.display());
        let directory =
            path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let held = private(directory).map_err(|why| describe(directory, &why))?;
        // Two processes that start at the same time must not both replace a third one's socket.
        flock(&held, FlockOperation::LockExclusive).map_err(|error| describe(directory, &error))?;
        free(path).map_err(|why| describe(path, &why))?;
        let bound = || -> std::io::Result<Place> {
            let listener = UnixListener::bind(path)?;
            fs::set_permissions(path, Permissions::from_mode(0o600))?;
            let metadata = fs::symlink_metadata(path)?;
            Ok(Place { listener, path: path.to_owned(), id: (metadata.dev(), metadata.ino()) })
        };
        bound().map_err(|error| describe(path, &error))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let here = fs::symlink_metadata(&self.path).map(|metadata| (metadata.dev(), metadata.ino()));
        if here.is_ok_and(|here| here == self.id) {
            // An error can no longer be reported here.
            drop(fs::remove_file(&self.path));
        }
    }
}

/// Returns the directory, which is created if it is missing, if no other user can enter it.
fn private(directory: &Path) -> Result<File, String> {
    match private_file::create_new_dir(directory) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error.to_string()),
        Ok(()) | Err(_) => {}
    }
    let held = File::open(directory).map_err(|error| error.to_string())?;
    let metadata = held.metadata().map_err(|error| error.to_string())?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err("the directory of a socket must be your own".to_owned());
    }
    if metadata.mode() & 0o077 != 0 {
        return Err("other users can enter this directory: choose one with the permissions 0700".to_owned());
    }
    Ok(held)
}

/// Removes the socket of an earlier process.
fn free(path: &Path) -> Result<(), String> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    if !metadata.file_type().is_socket() {
        return Err("a file there is not a socket: choose another path".to_owned());
    }
    match StdStream::connect(path) {
        Ok(_) => Err("another process listens there already".to_owned()),
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(|error| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    }
}
