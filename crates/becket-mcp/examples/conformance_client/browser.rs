//! The browser of a user who agrees to everything.

use becket_mcp::CancellationToken;
use becket_mcp::auth::Login;

/// Opens the login page and follows its redirects; the last one leads to the login itself, which waits for it.
pub(crate) async fn agree(login: Login) -> Result<(), String> {
    let client = reqwest::Client::builder().no_proxy().build().map_err(|error| error.to_string())?;
    let page = client.get(login.url().clone()).send();
    let browser = async {
        let page = page.await.and_then(reqwest::Response::error_for_status);
        if let Err(error) = page {
            return error.to_string();
        }
        std::future::pending().await
    };
    let cancel = CancellationToken::new();
    tokio::select! {
        done = login.finish(&cancel) => done.map(drop).map_err(|error| error.to_string()),
        lost = browser => Err(format!("the browser got lost: {lost}")),
    }
}
