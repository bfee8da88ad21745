//! Namespaces of a program's own: of mounts, for denied files, and of the network, for hosts that are reached through
//! a proxy alone. A user namespace, in which the user stays the same, permits both without root.
//!
//! INVARIANT: even root has no rights over the outer namespaces, since those belong to another user namespace.

#![expect(unsafe_code, reason = "namespaces have no safe interface that is usable after a fork")]

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use becket_model::{NetworkRights, Rights};
use rustix::net::{
    AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags, SocketType, bind,
    listen, sendmsg, socket_with,
};
use rustix::process::{getegid, geteuid};

use super::mounts::{Mounts, succeeded};
use crate::proxy::PORT;

/// The number of connections that may wait to be accepted.
const BACKLOG: i32 = 128;

/// Namespaces, prepared before the fork.
#[derive(Debug)]
pub(super) struct Namespaces {
    user_map: Vec<u8>,
    group_map: Vec<u8>,
    mounts: Option<Mounts>,
    has_network: bool,
}

/// A namespace that could not be created.
#[derive(Debug)]
pub(super) enum NamespaceError {
    Mounts(io::Error),
    Network(io::Error),
}

impl Namespaces {
    /// Returns the namespaces that the rights need; `None` if they deny no path and allow no single hosts.
    pub(super) fn of(rights: &Rights) -> io::Result<Option<Self>> {
        let mounts = Mounts::of(rights)?;
        let has_network = matches!(rights.network, NetworkRights::Domains(_));
        if mounts.is_none() && !has_network {
            return Ok(None);
        }
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        Ok(Some(Self {
            user_map: format!("{user} {user} 1").into_bytes(),
            group_map: format!("{group} {group} 1").into_bytes(),
            mounts,
            has_network,
        }))
    }

    pub(super) fn has_mounts(&self) -> bool {
        self.mounts.is_some()
    }

    /// Creates the namespaces for this process and everything that it will start, and sends the listener of its
    /// network to the proxy.
    ///
    /// Safe after a fork: it makes system calls and allocates nothing.
    ///
    /// # Errors
    /// Errors if the system forbids it. The process must not continue then.
    pub(super) fn enter(&self, proxy: Option<BorrowedFd<'_>>) -> Result<(), NamespaceError> {
        let failed = |why| match &self.mounts {
            Some(_) if !self.has_network => NamespaceError::Mounts(why),
            Some(_) | None => NamespaceError::Network(why),
        };
        let mounts = if self.mounts.is_some() { libc::CLONE_NEWNS } else { 0 };
        let network = if self.has_network { libc::CLONE_NEWNET } else { 0 };
        // SAFETY: a plain system call; this process has one thread.
        succeeded(unsafe { libc::unshare(libc::CLONE_NEWUSER | mounts | network) }).map_err(failed)?;
        write(c"/proc/self/setgroups", b"deny").map_err(failed)?;
        write(c"/proc/self/uid_map", &self.user_map).map_err(failed)?;
        write(c"/proc/self/gid_map", &self.group_map).map_err(failed)?;
        if let Some(mounts) = &self.mounts {
            mounts.make().map_err(NamespaceError::Mounts)?;
        }
        if self.has_network {
            let listener = listener().map_err(NamespaceError::Network)?;
            let proxy = proxy.ok_or_else(|| NamespaceError::Network(io::ErrorKind::NotConnected.into()))?;
            send(&listener, proxy).map_err(NamespaceError::Network)?;
        }
        Ok(())
    }
}

/// Returns a listener on the loopback address of a new network, which is down at first.
fn listener() -> io::Result<OwnedFd> {
    let listener = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    // SAFETY: a request of zeros is valid; its name fits and is ended by a zero, and it outlives the calls.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        for (to, from) in request.ifr_name.iter_mut().zip(b"lo") {
            *to = *from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        succeeded(libc::ioctl(listener.as_raw_fd(), libc::SIOCSIFFLAGS as _, &raw const request))?;
    }
    bind(&listener, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, PORT))?;
    listen(&listener, BACKLOG)?;
    Ok(listener)
}

fn send(listener: &OwnedFd, proxy: BorrowedFd<'_>) -> io::Result<()> {
    let descriptors = [listener.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = SendAncillaryBuffer::new(&mut space);
    message.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(proxy, &[io::IoSlice::new(b"l")], &mut message, SendFlags::NOSIGNAL)?;
    Ok(())
}

fn write(path: &CStr, text: &[u8]) -> io::Result<()> {
    // SAFETY: the path and the text outlive the calls; the descriptor is closed once.
    unsafe {
        let file = libc::open(path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        succeeded(file)?;
        let written = libc::write(file, text.as_ptr().cast(), text.len());
        let result = if written < 0 { Err(io::Error::last_os_error()) } else { Ok(()) };
        libc::close(file);
        result
    }
}
