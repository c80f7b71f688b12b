//! Gives the devices that `--devices` states to the topologies of a job's nodes.

use crate::job::error::{JobError, told};
use crate::job::named_nodes::hosts;
use crate::job::node_topologies::{ROWS_MAX, Row, change, numbered};
use std::collections::HashSet;
use stowplan_engine::table::names::NameRange;
use stowplan_topo::devices::Stated;

/// Options that name single nodes, none of them twice: in any order they give the same devices. So those that state the same
/// are one, however many there are.
#[derive(Default)]
struct Batch<'j> {
    named: HashSet<NameRange>,
    /// What is stated, the nodes it is stated of, and the first text that says so.
    stated: Vec<(Stated, Vec<NameRange>, &'j str)>,
}

/// Replaces the devices of all nodes, or of some, as the options say, in their order.
///
/// # Errors
/// `bad-devices`, `bad-hostlist`.
///
/// Cost: as [`change`], for each distinct statement of neighbouring options.
pub(crate) fn give_all(rows: &mut Vec<Row>, texts: &[String]) -> Result<(), JobError> {
    let mut batch = Batch::default();
    for text in texts {
        let (nodes, stated) = stowplan_topo::devices::read(text)?;
        let nodes = nodes.map(hosts).transpose()?;
        match nodes {
            Some(nodes) if batch.takes(&nodes) => batch.add(stated, nodes, text),
            Some(nodes) => {
                batch.flush(rows)?;
                if batch.takes(&nodes) {
                    batch.add(stated, nodes, text);
                } else {
                    give(rows, Some(nodes), &stated, text)?;
                }
            }
            None => {
                batch.flush(rows)?;
                give(rows, None, &stated, text)?;
            }
        }
    }
    batch.flush(rows)
}

impl<'j> Batch<'j> {
    /// Whether these nodes are single ones, and none of them is named already.
    fn takes(&self, nodes: &[NameRange]) -> bool {
        let mut met = HashSet::new();
        nodes.iter().all(|range| {
            let name = numbered(range);
            range.count == 1 && !self.named.contains(&name) && met.insert(name)
        })
    }

    fn add(&mut self, stated: Stated, nodes: Vec<NameRange>, text: &'j str) {
        self.named.extend(nodes.iter().map(numbered));
        match self.stated.iter_mut().find(|(own, ..)| own.same(&stated)) {
            Some((_, all, _)) => all.extend(nodes),
            None => self.stated.push((stated, nodes, text)),
        }
    }

    fn flush(&mut self, rows: &mut Vec<Row>) -> Result<(), JobError> {
        self.named.clear();
        for (stated, nodes, text) in self.stated.drain(..) {
            give(rows, Some(nodes), &stated, text)?;
        }
        Ok(())
    }
}

/// Replaces the devices of all nodes, or of some.
fn give(
    rows: &mut Vec<Row>,
    nodes: Option<Vec<NameRange>>,
    stated: &Stated,
    text: &str,
) -> Result<(), JobError> {
    change(rows, nodes, &|draft| -> Result<(), JobError> {
        Ok(stated.replace(draft)?)
    })?;
    if rows.len() > ROWS_MAX {
        return Err(told(
            "bad-devices",
            format!(
                "--devices {text}: with the options before it there are {} kinds of nodes, at most {ROWS_MAX} are possible",
                rows.len()
            ),
        ));
    }
    Ok(())
}
