//! A profile as one self-contained HTML file.

use super::report::ProfileReport;

/// The placeholder for the data in the template.
const DATA: &str = "/* data */ null";

/// Returns the page.
///
/// # Errors
/// Errors if the report can't be serialized, which does not happen.
pub fn page(report: &ProfileReport) -> Result<String, serde_json::Error> {
    // A `</script>` in a name must not end the data.
    let data = serde_json::to_string(report)?.replace('<', "\\u003c");
    Ok(include_str!("page.html").replace(DATA, &data))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use becket_engine::config::HookBudget;
    use becket_fire::times::{RunTime, TimeRecord, VERSION};

    #[test]
    fn a_name_can_t_leave_its_place_and_nothing_is_loaded() {
        let mut profile = Profile::default();
        let run = RunTime {
            hook: "</script><script>alert(1)".to_owned(),
            place: String::new(),
            status: "success".into(),
            from: 0,
            us: 1,
            background: false,
        };
        profile.add(TimeRecord {
            version: VERSION,
            host: "run".into(),
            at: 1,
            session: "s".into(),
            event: "Stop".into(),
            subject: None,
            us: 1,
            runs: vec![run],
        });
        let page = page(&profile.report(&HookBudget::default())).unwrap();
        assert_eq!(page.matches("</script>").count(), 1);
        assert!(!page.contains(DATA) && !page.contains("src=") && !page.contains("href="));
    }
}
