//! `becket lsp`: the findings, fixes, completion and documentation of hooks in an editor, over the Language Server Protocol.
//!
//! A document is checked as by `becket check FILE`, with the text in the editor.

mod completion;
mod document;
mod findings;
mod hover;
mod place;
mod schema;

use super::check;
use crate::args::Global;
use crate::env::Surroundings;
use crate::error::{CliError, CommandResult};
use crate::session::{self, Session};
use becket_engine::config::Diagnostic;
use becket_fire::FiringError;
use document::Document;
use place::Place;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    CodeActionParams, CodeActionProviderCapability, CodeActionResponse, CompletionOptions, CompletionParams,
    CompletionResponse, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, Hover, HoverContents, HoverParams, HoverProviderCapability, InitializeParams,
    InitializeResult, MarkupContent, MarkupKind, ServerCapabilities, ServerInfo, TextDocumentPositionParams,
    TextDocumentSyncCapability, TextDocumentSyncKind, Uri,
};
use tower_lsp_server::{Client, LanguageServer, LspService, Server};

/// Serves an editor on stdin and stdout until it disconnects.
pub(crate) fn run(global: &Global, around: &Surroundings) -> CommandResult {
    let session = Arc::new(session::launched(global, around)?);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| CliError::from(FiringError::Runtime(error)))?;
    runtime.block_on(async {
        let (service, socket) =
            LspService::new(|client| Editor { client, session, documents: Mutex::default() });
        Server::new(tokio::io::stdin(), tokio::io::stdout(), socket).serve(service).await;
    });
    // A thread may still be waiting for stdin.
    runtime.shutdown_background();
    Ok(0)
}

/// The editor at the other end, and the documents that it has open.
struct Editor {
    client: Client,
    session: Arc<Session>,
    documents: Mutex<HashMap<Uri, OpenDocument>>,
}

/// An open document with its findings.
#[derive(Clone)]
struct OpenDocument {
    document: Arc<Document>,
    found: Arc<[Diagnostic]>,
}

impl Editor {
    fn documents(&self) -> MutexGuard<'_, HashMap<Uri, OpenDocument>> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self, uri: &Uri) -> Option<OpenDocument> {
        self.documents().get(uri).cloned()
    }

    /// Returns a JSON document and the place of a position in it; `None` for the frontmatter of skills and agents.
    fn place(&self, at: &TextDocumentPositionParams) -> Option<(Arc<Document>, Place)> {
        let uri = &at.text_document.uri;
        let document = self.open(uri).filter(|_| !uri.path().as_str().ends_with(".md"))?.document;
        let place = place::at(&document.text, document.offset(at.position));
        Some((document, place))
    }

    /// Checks the text of a document and publishes its findings, unless a newer text has arrived meanwhile.
    async fn take(&self, uri: Uri, text: String, version: i32) {
        let document = Arc::new(Document::new(text, version));
        let open = OpenDocument { document: document.clone(), found: Arc::default() };
        self.documents().insert(uri.clone(), open);
        let (session, path, checked) =
            (self.session.clone(), uri.to_file_path().map(|path| path.into_owned()), document.clone());
        let found =
            tokio::task::spawn_blocking(move || findings_of(path.as_deref(), &checked.text, &session)).await;
        let found: Arc<[Diagnostic]> = found.unwrap_or_default().into();
        {
            let mut documents = self.documents();
            match documents.get_mut(&uri) {
                Some(open) if open.document.version == version => open.found = found.clone(),
                Some(_) | None => return,
            }
        }
        let shown = found.iter().map(|found| findings::diagnostic(found, &document)).collect();
        self.client.publish_diagnostics(uri, shown, Some(version)).await;
    }
}

/// Returns the findings of a text, without those in other files.
fn findings_of(path: Option<&Path>, text: &str, session: &Session) -> Vec<Diagnostic> {
    let mut found = check::findings_of_text(path, text, session);
    if let Some(path) = path {
        found.retain(|found| *found.file == *path || found.file.to_string_lossy().starts_with('<'));
    }
    found
}

impl LanguageServer for Editor {
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        let triggers = ["\"", ":", "{", "[", ","].map(str::to_owned).to_vec();
        Ok(InitializeResult {
            capabilities: ServerCapabilities {
                text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
                hover_provider: Some(HoverProviderCapability::Simple(true)),
                completion_provider: Some(CompletionOptions {
                    trigger_characters: Some(triggers),
                    ..CompletionOptions::default()
                }),
                code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
                ..ServerCapabilities::default()
            },
            server_info: Some(ServerInfo {
                name: "becket".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            ..InitializeResult::default()
        })
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let opened = params.text_document;
        self.take(opened.uri, opened.text, opened.version).await;
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let changed = params.text_document;
        if let Some(last) = params.content_changes.into_iter().next_back() {
            self.take(changed.uri, last.text, changed.version).await;
        }
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        // The scripts that the document names may have changed.
        let uri = params.text_document.uri;
        if let Some(open) = self.open(&uri) {
            self.take(uri, open.document.text.clone(), open.document.version).await;
        }
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        self.documents().remove(&uri);
        self.client.publish_diagnostics(uri, Vec::new(), None).await;
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let place = self.place(&params.text_document_position);
        Ok(place.map(|(document, place)| CompletionResponse::Array(completion::items(&document, &place))))
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let Some((document, place)) = self.place(&params.text_document_position_params) else {
            return Ok(None);
        };
        Ok(hover::text(&place).map(|value| Hover {
            contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
            range: Some(document.range(&place.token)),
        }))
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let uri = params.text_document.uri;
        let Some(open) = self.open(&uri) else { return Ok(None) };
        Ok(Some(findings::actions(&open.found, &uri, &open.document, &params.range)))
    }
}
