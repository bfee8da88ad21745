//! The description of a connected server.

use rmcp::model::ServerPeerInfo;

/// A server's description of itself. Untrusted: a server can say anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerInfo {
    /// The name of the program.
    pub name: Option<String>,
    /// The version of the program.
    pub version: Option<String>,
    /// The negotiated version of the protocol.
    pub protocol: String,
    /// The server's instructions for use.
    pub instructions: Option<String>,
    /// True if it offers tools.
    pub tools: bool,
    /// True if it offers resources.
    pub resources: bool,
    /// True if it offers prompts.
    pub prompts: bool,
}

impl ServerInfo {
    pub(super) fn new(peer: &ServerPeerInfo) -> Self {
        let program = peer.server_info.as_ref();
        Self {
            name: program.map(|program| program.name.clone()),
            version: program.map(|program| program.version.clone()),
            protocol: peer.protocol_version.as_str().to_owned(),
            instructions: peer.instructions.clone(),
            tools: peer.capabilities.tools.is_some(),
            resources: peer.capabilities.resources.is_some(),
            prompts: peer.capabilities.prompts.is_some(),
        }
    }
}
