//! Fuzz bodies for task maps from any bytes: each reader, and the writer. They check round trips, and compare small maps with their
//! tasks written out.

use stowplan_engine::count::Rank;
use stowplan_engine::limit::TASKMAP_TASKS_MAX;
use stowplan_engine::taskmap::{
    Block, Encoder, FORM_WORDS, Form, JobNode, Limits, TaskMap, TaskMapError,
};

/// Maps of at most this many tasks are written out task by task.
const TASKS_WRITTEN_OUT: u32 = 4096;

/// Answers of at most this many items are written and read back.
const LIMITS: Limits = Limits {
    items: 1 << 12,
    chars: None,
};

/// The reader of the JSON array.
pub fn array(bytes: &[u8]) {
    read(&[b"[", bytes].concat());
}

/// The reader of the wrapped object.
pub fn wrapped(bytes: &[u8]) {
    read(&[b"{", bytes].concat());
}

/// The reader of the PMI vector.
pub fn pmi(bytes: &[u8]) {
    read(&[b"(vector,", bytes].concat());
}

/// The reader of raw task ids, and the choice of the reader.
pub fn raw(bytes: &[u8]) {
    read(bytes);
}

/// Blocks made of the bytes, four bytes each, in every encoding, every form and every scheme.
pub fn written(bytes: &[u8]) {
    let (blocks, _) = bytes.as_chunks::<4>();
    let block = |&[first, nodes, ppn, repeat]: &[u8; 4]| Block {
        // Small numbers often meet; a few are large.
        first: u32::from(first % 16),
        nodes: 1 + u32::from(nodes) % 40,
        ppn: 1 + u32::from(ppn) % 5,
        repeat: 1 + u32::from(repeat) % 12,
    };
    let Ok(map) = TaskMap::from_blocks(blocks.iter().map(block)) else {
        return;
    };
    judge(&map);
    if let Ok(dealt) = map.cyclic(
        1 + u32::from(bytes.first().copied().unwrap_or(0)) % 7,
        LIMITS,
    ) {
        assert_eq!(dealt.counts(), map.counts(), "cyclic keeps the counts");
        judge(&dealt);
    }
}

fn read(text: &[u8]) {
    match TaskMap::read(text) {
        Ok(map) => judge(&map),
        Err(error) => refused(&error, text.len()),
    }
}

/// A refusal has a class of ours, says a sentence, and points into the text.
fn refused(error: &TaskMapError, len: usize) {
    assert!(error.class().starts_with("taskmap-"), "{error}");
    let told = error.to_string();
    assert!(!told.is_empty() && told.len() < 400, "{told}");
    if let TaskMapError::Syntax { at, .. } | TaskMapError::Type { at, .. } = error {
        assert!(*at <= len, "{told}");
    }
}

/// Everything that holds for every map.
fn judge(map: &TaskMap) {
    let spelled = |blocks: &stowplan_engine::taskmap::Blocks| TaskMap::from_blocks(blocks.iter());
    let (fewest, pmi) = (map.fewest_blocks(), map.fewest_pmi_blocks());
    assert_eq!(spelled(map.flux_blocks()).as_ref(), Ok(map));
    assert_eq!(spelled(&fewest).as_ref(), Ok(map));
    assert_eq!(spelled(&pmi).as_ref(), Ok(map));
    assert!(fewest.len() <= map.flux_blocks().len());
    assert!(
        fewest
            .iter()
            .all(|block| block.nodes > 1 || block.repeat == 1)
    );
    for &(word, form) in FORM_WORDS {
        for encoder in [Encoder::Best, Encoder::Flux] {
            let Ok(text) = map.text(form, encoder, LIMITS) else {
                continue;
            };
            let written = text.to_string();
            assert_eq!(text.chars(), written.len() as u64, "{word}");
            if form != Form::Multiline {
                assert_eq!(
                    TaskMap::read(written.as_bytes()).as_ref(),
                    Ok(map),
                    "{word}"
                );
            }
        }
    }
    let Ok(tasks) = map.task_count() else { return };
    assert!(tasks.0 <= TASKMAP_TASKS_MAX);
    if tasks.0 <= TASKS_WRITTEN_OUT {
        written_out(map);
    }
}

/// The answers are those of the tasks written out, and no list of the same tasks has fewer blocks.
fn written_out(map: &TaskMap) {
    let mut nodes: Vec<u32> = Vec::new();
    for block in map.flux_blocks().iter() {
        for _ in 0..block.repeat {
            for node in block.first..block.first + block.nodes {
                nodes.extend((0..block.ppn).map(|_| node));
            }
        }
    }
    for (task, &node) in (0..).zip(&nodes) {
        assert_eq!(map.node_of(Rank(task)), Ok(JobNode(node)));
    }
    for &node in nodes.iter().take(8) {
        let there = (0..)
            .zip(&nodes)
            .filter(|&(_, &on)| on == node)
            .map(|(task, _)| task);
        let ranges = map.tasks_of(JobNode(node)).expect("it has a task");
        assert!(ranges.flatten().eq(there));
    }
    if nodes.len() <= 160 {
        assert_eq!(map.fewest_blocks().len(), fewest(&nodes), "{nodes:?}");
    }
}

/// The fewest blocks that spell these tasks. It tries every block at every task.
fn fewest(nodes: &[u32]) -> usize {
    let mut best = vec![usize::MAX; nodes.len() + 1];
    best[0] = 0;
    for start in 0..nodes.len() {
        let reached = best[start] + 1;
        let first = nodes[start];
        let same = nodes[start..]
            .iter()
            .take_while(|&&node| node == first)
            .count();
        for ppn in 1..=same {
            let (mut end, mut next) = (start, first);
            while nodes.len() - end >= ppn && nodes[end..end + ppn].iter().all(|&node| node == next)
            {
                (end, next) = (end + ppn, next + 1);
                let mut again = end;
                best[again] = best[again].min(reached);
                while nodes[again..].starts_with(&nodes[start..end]) {
                    again += end - start;
                    best[again] = best[again].min(reached);
                }
            }
        }
    }
    best[nodes.len()]
}
