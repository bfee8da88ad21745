//! A Unix socket for clients of the same user, and nobody else.
//!
//! INVARIANT: the directory of the socket is the user's and closed to others, so nobody else reaches it, not even in the
//! moment before its own permissions are set; who connects all the same is turned away by his user id.

use super::connection::{Client, Ended};
use super::lender::Lender;
use super::presence::Presence;
use super::room::Room;
use crate::error::CliError;
use crate::out::Out;
use crate::run::Done;
use becket_engine::CancellationToken;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream as StdStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;

/// How many clients are served at the same time.
const MOST: usize = 1_024;
/// How long nobody is let in after the system could give no connection, as when all its descriptors are taken.
const REST: Duration = Duration::from_millis(100);

/// Serves all who connect, until a signal comes; then the socket is gone.
pub(super) async fn served(
    path: &Path,
    host: Arc<Lender>,
    patience: Duration,
    (cancel, out): (&CancellationToken, Out),
) -> Done {
    let place = Place::taken(path).map_err(|why| CliError::Serve { why })?;
    out.tell(&format!("listening on {}\n", path.display()));
    let room = Arc::new(Room::default());
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
            if let Ended::CutOff(why) = client.served(from, to, &cancel).await {
                out.tell(&format!("{why}\n"));
            }
        });
    }
    // Nobody new comes in while the others are ended.
    drop(place);
    while clients.join_next().await.is_some() {}
    Ok(0)
}

/// The other end, where it belongs to the user of this process.
fn of_own_user(stream: &UnixStream) -> Option<Presence> {
    let peer = stream.peer_cred().ok()?.uid();
    let is_own = peer == rustix::process::geteuid().as_raw();
    is_own.then(|| Presence::of(stream).ok()).flatten()
}

/// A socket that is listened on. It is removed at the end, unless another one stands there by then.
struct Place {
    listener: UnixListener,
    path: PathBuf,
    id: (u64, u64),
}

impl Place {
    /// Takes a path: makes its directory, and takes the place of a socket on which nobody listens any more.
    fn taken(path: &Path) -> Result<Self, String> {
        let said = |what: &Path, why: &dyn std::fmt::Display| format!("`{}`: {why}", what.display());
        let directory =
            path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let held = private(directory).map_err(|why| said(directory, &why))?;
        // Two who start at once must not both take the place of a third.
        flock(&held, FlockOperation::LockExclusive).map_err(|error| said(directory, &error))?;
        free(path).map_err(|why| said(path, &why))?;
        let bound = || -> std::io::Result<Place> {
            let listener = UnixListener::bind(path)?;
            fs::set_permissions(path, Permissions::from_mode(0o600))?;
            let metadata = fs::symlink_metadata(path)?;
            Ok(Place { listener, path: path.to_owned(), id: (metadata.dev(), metadata.ino()) })
        };
        bound().map_err(|error| said(path, &error))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let here = fs::symlink_metadata(&self.path).map(|metadata| (metadata.dev(), metadata.ino()));
        if here.is_ok_and(|here| here == self.id) {
            // It can't be told any more to anybody who would mind.
            drop(fs::remove_file(&self.path));
        }
    }
}

/// The directory, made where it is not there, if nobody else can go into it.
fn private(directory: &Path) -> Result<File, String> {
    match DirBuilder::new().mode(0o700).create(directory) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error.to_string()),
        Ok(()) | Err(_) => {}
    }
    let held = File::open(directory).map_err(|error| error.to_string())?;
    let metadata = held.metadata().map_err(|error| error.to_string())?;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err("the directory of a socket must be your own".to_owned());
    }
    if metadata.mode() & 0o077 != 0 {
        return Err("others can go into this directory: choose one with the permissions 0700".to_owned());
    }
    Ok(held)
}

/// Removes what an earlier process has left behind.
fn free(path: &Path) -> Result<(), String> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    if !metadata.file_type().is_socket() {
        return Err("there is something else than a socket: choose another path".to_owned());
    }
    match StdStream::connect(path) {
        Ok(_) => Err("another process listens there already".to_owned()),
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(|error| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    }
}
