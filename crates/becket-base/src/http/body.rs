//! Bodies of responses, read up to a cap.
//!
//! INVARIANT: no more than the cap and one chunk is ever in memory, however much arrives.

use reqwest::Response;

/// The reason why a body was not read to its end.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The body is longer than the cap.
    #[error("the body is longer than {0} bytes")]
    TooLong(usize),
    /// The connection failed.
    #[error(transparent)]
    Transport(#[from] reqwest::Error),
}

/// Reads a complete body.
///
/// # Errors
/// Errors if the body is longer than `cap` bytes, or breaks off.
pub async fn read(response: &mut Response, cap: usize) -> Result<Vec<u8>, BodyError> {
    if response.content_length().is_some_and(|length| length > cap as u64) {
        return Err(BodyError::TooLong(cap));
    }
    let mut body = Vec::new();
    match read_up_to(response, cap, &mut body).await? {
        true => Ok(body),
        false => Err(BodyError::TooLong(cap)),
    }
}

/// Reads the first `cap` bytes of a body into `body`, and returns whether that is all of it. After an error, or when
/// it is cancelled, `body` contains what has arrived.
///
/// # Errors
/// Errors if the body breaks off.
pub async fn read_up_to(
    response: &mut Response,
    cap: usize,
    body: &mut Vec<u8>,
) -> Result<bool, reqwest::Error> {
    while let Some(chunk) = response.chunk().await? {
        let room = cap.saturating_sub(body.len());
        body.extend_from_slice(&chunk[..chunk.len().min(room)]);
        if chunk.len() > room {
            return Ok(false);
        }
    }
    Ok(true)
}
