//! Four components and `app_idx`: all apps, a single app, a hole. Each module is one of the seed's test files.

use crate::job::{mapped, placed_by, procs, with_hole};
use stowplan_engine::stage::component::AppIndex;

fn maps_only(mapping: &str, component: &str, index: AppIndex, expected: &[u32]) {
    let mapped = mapped(&with_hole(mapping), index).expect("it can be mapped");
    assert_eq!(procs(&mapped), expected);
    let nothing = expected.iter().all(|&procs| procs == 0);
    let placed: Vec<_> = placed_by(&mapped)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(placed, if nothing { vec![] } else { vec![component] });
}

macro_rules! component {
    ($module:ident, $component:literal, $mapping:literal) => {
        mod $module {
            use super::{AppIndex, maps_only};

            #[test]
            fn maps_all() {
                maps_only($mapping, $component, AppIndex::All, &[2, 0, 2]);
            }

            #[test]
            fn maps_first_only() {
                maps_only($mapping, $component, AppIndex::Only(0), &[2, 0, 0]);
            }

            #[test]
            fn maps_second_only() {
                maps_only($mapping, $component, AppIndex::Only(2), &[0, 0, 2]);
            }

            #[test]
            fn skips_hole() {
                maps_only($mapping, $component, AppIndex::Only(1), &[0, 0, 0]);
                maps_only($mapping, $component, AppIndex::Only(99), &[0, 0, 0]);
            }
        }
    };
}

component!(test_round_robin, "round_robin", "slot");
component!(test_ppr, "ppr", "ppr:2:node");
component!(test_seq, "seq", "seq:file=seq");
component!(test_rank_file, "rank_file", "rankfile:file=ranks");
