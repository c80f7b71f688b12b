//! The rules of versions of Slurm.

use stowplan::launchers::slurm::rules::{Change, Rules};
use stowplan::launchers::slurm::version::Version;

#[test]
fn changes_lead_from_a_version_to_a_later_one() {
    let old = Rules::of(Version::V22_05);
    assert!(!old.has(Change::InheritsCpus));
    let steps = old.until(Version::V26_05);
    assert_eq!(steps.len(), Change::ALL.len());
    assert_eq!(
        steps.last().map(|step| step.0),
        Some(Rules::of(Version::V26_05))
    );
    let since: Vec<&str> = steps.iter().map(|step| step.1.since).collect();
    assert!(since.is_sorted());
    for (place, row) in Change::ALL.iter().enumerate() {
        assert_eq!(
            row.0 as usize, place,
            "rows are in the order of the variants"
        );
    }
}
