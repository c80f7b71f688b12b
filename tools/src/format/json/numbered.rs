//! Numbers patterns and cpu sets in the order in which they are first used: the tables of a plan may hold unused ones.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::patterns::{Pattern, PatternId, Patterns, Segment};

/// The numbers of patterns and cpu sets in the document.
#[derive(Default)]
pub(super) struct Numbered {
    patterns: Vec<PatternId>,
    pattern_numbers: HashMap<PatternId, usize>,
    cpusets: Vec<CpusetId>,
    cpuset_numbers: HashMap<CpusetId, usize>,
}

impl Numbered {
    pub(super) fn new(plan: &Plan) -> Self {
        let mut numbered = Self::default();
        for run in plan.apps().iter().flat_map(|app| app.runs()) {
            numbered.meet(run.pattern, plan.patterns());
        }
        numbered
    }

    fn meet(&mut self, id: PatternId, patterns: &Patterns) {
        if self.pattern_numbers.contains_key(&id) {
            return;
        }
        self.pattern_numbers.insert(id, self.patterns.len());
        self.patterns.push(id);
        let segments = patterns.get(id).segments().iter();
        for set in segments
            .flat_map(|segment| &segment.runs)
            .filter_map(|run| run.place.cpus)
        {
            self.cpuset_numbers.entry(set).or_insert_with(|| {
                self.cpusets.push(set);
                self.cpusets.len() - 1
            });
        }
    }

    pub(super) fn pattern(&self, id: PatternId) -> usize {
        self.pattern_numbers[&id]
    }
    pub(super) fn cpusets(&self) -> &[CpusetId] {
        &self.cpusets
    }
    pub(super) fn views<'a>(&'a self, patterns: &'a Patterns) -> Vec<PatternView<'a>> {
        let rows = self.patterns.iter();
        rows.map(|&id| PatternView {
            numbered: self,
            pattern: patterns.get(id),
        })
        .collect()
    }
}

/// The places that processes of an app get on a node.
pub(super) struct PatternView<'a> {
    numbered: &'a Numbered,
    pattern: &'a Pattern,
}

impl Serialize for PatternView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let segments = self.pattern.segments().iter();
        serializer.collect_seq(segments.map(|segment| SegmentView {
            numbered: self.numbered,
            segment,
        }))
    }
}

struct SegmentView<'a> {
    numbered: &'a Numbered,
    segment: &'a Segment,
}

impl Serialize for SegmentView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("procs", &self.segment.procs)?;
        map.serialize_entry("cycle", &self.segment.cycle)?;
        map.serialize_entry("runs", &RunsView { of: self })?;
        map.end()
    }
}

struct RunsView<'a> {
    of: &'a SegmentView<'a>,
}

impl Serialize for RunsView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let numbers = &self.of.numbered.cpuset_numbers;
        let runs = self.of.segment.runs.iter();
        serializer.collect_seq(runs.map(|run| {
            let cpus = run.place.cpus.map(|set| numbers[&set]);
            (run.count, run.place.object, cpus)
        }))
    }
}
