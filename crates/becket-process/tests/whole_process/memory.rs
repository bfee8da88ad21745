//! Memory used per amount of output.

use crate::common::{MIB, patient, run, sh};
use becket_process::End;
use becket_testkit::proc::{self, Marker};

// rule: H3
#[test]
fn a_gigabyte_of_output_costs_its_cap_and_is_counted() {
    let _alone = crate::alone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let _ = run(&sh(&Marker::new(), "echo warm; echo up >&2"), &patient()).await;
        let before = proc::resident_peak();
        let finished = run(&sh(&Marker::new(), "head -c 1073741824 /dev/zero"), &patient()).await;
        let growth = proc::resident_peak() - before;
        assert_eq!(finished.end, End::Exited(0));
        assert_eq!(finished.stdout.bytes.len(), MIB);
        assert_eq!(finished.stdout.total, 1 << 30);
        assert!(before > 0 && growth < 3 * MIB as u64, "{growth} bytes more than before");
    });
}
