//! The location that releases are downloaded from: a server, or a directory.

use becket_base::address::is_loopback_host;
use becket_base::http::deepest;
use becket_base::text::hex;
use becket_engine::CancellationToken;
use becket_llm::{HttpOptions, http_client_builder};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode, Url};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The time without any data after which a download fails.
const STALLED: Duration = Duration::from_secs(60);
/// The size of a chunk of a file, in bytes.
const PIECE: usize = 64 * 1024;

/// A location with releases.
#[derive(Debug)]
pub(crate) enum ReleaseSource {
    Directory(PathBuf),
    Server { client: Client, base: String },
}

/// The reason why a file was not downloaded.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DownloadError {
    #[error("`{url}` can't be used as the place of releases: {why}; write https://… or file:///…")]
    Place { url: String, why: String },
    #[error("there is no `{name}`: the release does not exist, or has nothing for this platform")]
    Missing { name: String },
    #[error("`{name}` can't be downloaded: {why}")]
    Failed { name: String, why: String },
    #[error("`{name}` is larger than {limit} bytes")]
    TooLarge { name: String, limit: u64 },
    #[error("`{}` can't be written: {why}", path.display())]
    Unwritten { path: PathBuf, why: io::Error },
    #[error("it was interrupted")]
    Interrupted,
}

impl ReleaseSource {
    /// Parses the URL of a location.
    pub(crate) fn of(url: &str, options: &HttpOptions) -> Result<Self, DownloadError> {
        let refused = |why: String| DownloadError::Place { url: url.to_owned(), why };
        let parsed = Url::parse(url).map_err(|error| refused(error.to_string()))?;
        let is_here = parsed.host_str().is_some_and(is_loopback_host);
        match parsed.scheme() {
            "file" => {
                let path = parsed
                    .to_file_path()
                    .map_err(|()| refused("it is not the path of a directory".to_owned()))?;
                Ok(ReleaseSource::Directory(path))
            }
            // The checksum comes from the same location as the archive, so the connection has to be secure.
            "http" if !is_here => Err(refused("plain HTTP is accepted from this machine only".to_owned())),
            "http" | "https" => {
                let builder = http_client_builder(options).map_err(|error| refused(error.to_string()))?;
                let builder =
                    builder.redirect(Policy::limited(10)).https_only(!is_here).read_timeout(STALLED);
                let client = builder.build().map_err(|error| refused(error.to_string()))?;
                Ok(ReleaseSource::Server { client, base: url.trim_end_matches('/').to_owned() })
            }
            scheme => Err(refused(format!("`{scheme}` is not supported"))),
        }
    }

    /// Returns the full name of a file.
    pub(crate) fn name(&self, path: &str) -> String {
        match self {
            ReleaseSource::Directory(directory) => directory.join(path).display().to_string(),
            ReleaseSource::Server { base, .. } => format!("{base}/{path}"),
        }
    }

    /// Downloads a small text.
    pub(crate) async fn text(&self, path: &str, cancel: &CancellationToken) -> Result<String, DownloadError> {
        const LIMIT: u64 = 4096;
        let mut bytes = Vec::new();
        self.copy(
            path,
            LIMIT,
            &mut |piece| {
                bytes.extend_from_slice(piece);
                Ok(())
            },
            cancel,
        )
        .await?;
        String::from_utf8(bytes)
            .map_err(|_| DownloadError::Failed { name: self.name(path), why: "it is not a text".to_owned() })
    }

    /// Downloads a file to a new one, and returns its SHA-256 sum in hexadecimal digits.
    pub(crate) async fn file(
        &self,
        path: &str,
        to: &Path,
        limit: u64,
        cancel: &CancellationToken,
    ) -> Result<String, DownloadError> {
        let unwritten = |why| DownloadError::Unwritten { path: to.to_owned(), why };
        let mut file = File::create_new(to).map_err(unwritten)?;
        let mut digest = Sha256::new();
        self.copy(
            path,
            limit,
            &mut |piece| {
                digest.update(piece);
                file.write_all(piece).map_err(unwritten)
            },
            cancel,
        )
        .await?;
        Ok(hex(&digest.finalize()))
    }

    async fn copy(
        &self,
        path: &str,
        limit: u64,
        take: &mut impl FnMut(&[u8]) -> Result<(), DownloadError>,
        cancel: &CancellationToken,
    ) -> Result<(), DownloadError> {
        let name = self.name(path);
        let mut left = limit;
        let mut take = |piece: &[u8]| {
            left = left
                .checked_sub(piece.len() as u64)
                .ok_or_else(|| DownloadError::TooLarge { name: name.clone(), limit })?;
            take(piece)
        };
        match self {
            ReleaseSource::Directory(directory) => copy_file(&directory.join(path), &name, &mut take, cancel),
            ReleaseSource::Server { client, .. } => tokio::select! {
                () = cancel.cancelled() => Err(DownloadError::Interrupted),
                done = copy_body(client, &name, &mut take) => done,
            },
        }
    }
}

fn copy_file(
    file: &Path,
    name: &str,
    take: &mut impl FnMut(&[u8]) -> Result<(), DownloadError>,
    cancel: &CancellationToken,
) -> Result<(), DownloadError> {
    let failed = |error: io::Error| match error.kind() == io::ErrorKind::NotFound {
        true => DownloadError::Missing { name: name.to_owned() },
        false => DownloadError::Failed { name: name.to_owned(), why: error.to_string() },
    };
    let mut file = File::open(file).map_err(failed)?;
    let mut piece = vec![0; PIECE];
    loop {
        if cancel.is_cancelled() {
            return Err(DownloadError::Interrupted);
        }
        match file.read(&mut piece).map_err(failed)? {
            0 => return Ok(()),
            read => take(&piece[..read])?,
        }
    }
}

async fn copy_body(
    client: &Client,
    url: &str,
    take: &mut impl FnMut(&[u8]) -> Result<(), DownloadError>,
) -> Result<(), DownloadError> {
    let failed = |why: String| DownloadError::Failed { name: url.to_owned(), why };
    let broken = |error: reqwest::Error| failed(deepest(&error.without_url()));
    let mut response = client.get(url).send().await.map_err(broken)?;
    match response.status() {
        StatusCode::NOT_FOUND => return Err(DownloadError::Missing { name: url.to_owned() }),
        status if !status.is_success() => return Err(failed(format!("the server answers {status}"))),
        _ => {}
    }
    while let Some(piece) = response.chunk().await.map_err(broken)? {
        take(&piece)?;
    }
    Ok(())
}
