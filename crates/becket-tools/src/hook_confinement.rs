//! Rights of hooks, enforced by this system (`protocol.md` E5).

use becket_engine::HookConfinement;
use becket_exec::{Confinement, Rights, SignalRights, StartError, real_rights};

/// Takes rights away from the processes of hooks, by Landlock and seccomp. Elsewhere than on Linux it refuses.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemConfinement;

impl HookConfinement for SystemConfinement {
    /// The hook can't send signals to other processes either, if the system can take that right away.
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
