//! Units, however cores are cut, compared with asking each PU.

use stowplan_engine::policy::{CpuMode, ObjKind};
use stowplan_engine::stage::inside::{Bits, Hardware, There, ones, shared};
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::topologies::{DraftObject, Topologies, TopologyDraft, TopologyId};

const PUS: u32 = 6;

/// Which of three cores each PU belongs to, for every way to assign them; 3 is none.
fn owners(way: u32) -> Vec<u32> {
    (0..PUS).map(|pu| way / 4_u32.pow(pu) % 4).collect()
}

fn cores(owners: &[u32]) -> (Topologies, TopologyId) {
    let object = |kind, pus: Vec<u32>| DraftObject {
        kind,
        os: None,
        pus: pus.into_iter().map(|pu| pu..pu + 1).collect(),
    };
    let of = |core| (0..PUS).filter(move |&pu| owners[pu as usize] == core);
    let mut objects = vec![object(ObjKind::Machine, (0..PUS).collect())];
    let used = (0..3).filter(|core| owners.contains(core));
    objects.extend(used.map(|core| object(ObjKind::Core, of(core).collect())));
    for object in &mut objects {
        // Neighbours are one range.
        object.pus.dedup_by(|next, last| {
            let joined = last.end == next.start;
            last.end = if joined { next.end } else { last.end };
            joined
        });
    }
    let draft = TopologyDraft {
        pus_os: (0..PUS).collect(),
        objects,
        ..TopologyDraft::default()
    };
    let mut topologies = Topologies::default();
    let added = topologies.add(draft, &mut Cpusets::default());
    (topologies, added.expect("cores of any PUs are sound"))
}

#[test]
fn units_are_found_however_they_are_cut() {
    let stretches = (0..PUS).flat_map(|first| (first + 1..=PUS).map(move |end| (first, end)));
    let stretches: Vec<(u32, u32)> = stretches.collect();
    // Every core has PUs.
    let sound = |owners: &Vec<u32>| {
        let used = |core| owners.contains(&core);
        used(0) && (used(1) || !used(2))
    };
    for owners in (0..4_u32.pow(PUS)).map(owners).filter(sound) {
        let (topologies, id) = cores(&owners);
        let hardware = Hardware::new(&topologies, id);
        let units = hardware.units(CpuMode::Core);
        let of = &owners;
        let own = |unit: u32| (0..PUS).filter(move |&pu| of[pu as usize] == unit);
        let count = owners
            .iter()
            .filter(|&&unit| unit < 3)
            .max()
            .map_or(0, |last| last + 1);
        let all = Bits::of(&[u64::MAX], count);
        for pu in 0..PUS {
            let owner = Some(owners[pu as usize]).filter(|&unit| unit < 3);
            assert_eq!(units.of_pu(pu), owner, "{owners:?}");
        }
        for &(first, end) in &stretches {
            // Also without the PU before the last.
            let gap = [(first, end.saturating_sub(2).max(first)), (end - 1, end)];
            let gap = if gap[0].0 < gap[0].1 {
                &gap[..]
            } else {
                &gap[1..]
            };
            for pus in [&[(first, end)][..], gap] {
                let has = |pu: &u32| pus.iter().any(|&(a, b)| a <= *pu && *pu < b);
                let whole = |&unit: &u32| own(unit).all(|pu| has(&pu));
                let wanted: Vec<u32> = (0..count).filter(whole).collect();
                let found = units.inside(pus);
                assert!(found.iter().all(|(a, b)| a < b), "{owners:?} {pus:?}");
                let listed: Vec<u32> = found.iter().flat_map(|&(a, b)| a..b).collect();
                assert_eq!(listed, wanted, "{owners:?} {pus:?}");
                assert_eq!(
                    units.count_inside(all.words(), pus),
                    u32::try_from(wanted.len()).unwrap()
                );
                for from in 0..count {
                    let next = wanted.iter().copied().find(|&unit| unit >= from);
                    assert_eq!(units.first_inside(all.words(), pus, from), next);
                }
                let mut set = Bits::none(PUS);
                pus.iter().for_each(|&pus| set.fill(pus, There::Yes));
                let within = units.within(set.words(), PUS);
                let within: Vec<u32> = ones(within.words(), &[(0, count)]).collect();
                assert_eq!(within, wanted, "{owners:?} {pus:?}");
            }
        }
    }
}

#[test]
fn what_two_lists_share_is_what_is_in_both() {
    // Sets of six PUs as lists of stretches.
    let list = |set: u32| -> Vec<(u32, u32)> {
        let starts =
            (0..PUS).filter(|pu| set >> pu & 1 == 1 && (*pu == 0 || set >> (pu - 1) & 1 == 0));
        starts
            .map(|first| (first, first + (set >> first).trailing_ones()))
            .collect()
    };
    for (a, b) in (0..64).flat_map(|a| (0..64).map(move |b| (a, b))) {
        assert_eq!(shared(&list(a), &list(b)).to_vec(), list(a & b));
    }
}
