//! Rights of hooks, enforced by this system (`protocol.md` E5).

use becket_engine::HookConfinement;
use becket_exec::{Confinement, Rights, SignalRights, StartError, real_rights};

/// A confinement of hook processes by Landlock and seccomp. On systems other than Linux it refuses.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemConfinement;

impl HookConfinement for SystemConfinement {
    /// Prepares the rights. The hook also can't send signals to other processes, if the system can take that right
    /// away.
    fn prepare(&self, rights: &Rights) -> Result<becket_process::Confinement, String> {
        let real = real_rights(rights, &[]).map_err(|why| why.to_string())?;
        let apart = Rights { signals: SignalRights::Own, ..real.clone() };
        let prepared = match Confinement::new(&apart) {
            Err(StartError::Rights { .. }) => Confinement::new(&real),
            prepared => prepared,
        };
        let confinement = prepared.map_err(|why| why.to_string())?;
        Ok(becket_process::Confinement::new(move || confinement.enter()))
    }
}
