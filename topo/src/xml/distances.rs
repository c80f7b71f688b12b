//! Reads matrices of distances. Only latencies between NUMA nodes are kept (`per-app` 9.2).

use super::dialect::Dialect;
use super::object::number;
use super::{Closes, Fault, File};
use crate::error::XmlFault;
use crate::kind::{self, Kind};
use quick_xml::events::{BytesStart, Event};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::topologies::{Latency, TopologyDraft};

/// The bit in a matrix' kind which says that the values are latencies.
const MEANS_LATENCY: u64 = 1 << 2;

/// A matrix of latencies between NUMA nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Matrix {
    /// NUMA nodes by OS number. `None`: all nodes of the file, in its order.
    nodes: Option<Vec<u32>>,
    /// How many nodes.
    size: usize,
    /// Row by row.
    values: Vec<u64>,
}

impl File<'_> {
    /// Reads a whole matrix, and keeps it if it is of interest.
    pub(super) fn distances(&mut self, tag: &BytesStart<'_>, closes: Closes) -> Result<(), Fault> {
        if closes == Closes::AtOnce {
            return Ok(());
        }
        let matrix = match self.dialect {
            Dialect::One => self.old_matrix(tag)?,
            Dialect::Two | Dialect::Three => self.matrix(tag)?,
        };
        self.matrices.extend(matrix);
        Ok(())
    }

    /// `<distances2 type="NUMANode" indexing="os" kind="5"><indexes>…</indexes><u64values>…</u64values></distances2>`
    fn matrix(&mut self, tag: &BytesStart<'_>) -> Result<Option<Matrix>, Fault> {
        let (mut of_nodes, mut by_os, mut latency, mut size) = (false, false, false, 0);
        self.attributes(tag, |key, value| {
            match key {
                "type" => of_nodes = kind::scan(value.as_bytes()) == Some(Kind::Numa),
                "indexing" => by_os = value == "os",
                "kind" => latency = number("kind", value)? & MEANS_LATENCY != 0,
                "nbobjs" => size = number("nbobjs", value)?,
                _ => {}
            }
            Ok(())
        })?;
        if !(of_nodes && by_os && latency) {
            self.pass_over()?;
            return Ok(None);
        }
        let at = self.at;
        let (mut nodes, mut values) = (Vec::new(), Vec::new());
        loop {
            match self.event()? {
                Event::Start(inner) => {
                    let into = match inner.name().as_ref() {
                        "indexes" => &mut nodes,
                        "u64values" => &mut values,
                        _ => return Err((self.at, bad_matrix())),
                    };
                    self.numbers(into)?;
                }
                Event::End(_) => break,
                Event::Eof => return Err(self.not_xml("it ends before its last tag")),
                Event::Empty(_)
                | Event::Text(_)
                | Event::CData(_)
                | Event::Comment(_)
                | Event::Decl(_)
                | Event::PI(_)
                | Event::DocType(_)
                | Event::GeneralRef(_) => {}
            }
        }
        let nodes: Option<Vec<u32>> = nodes.iter().map(|&os| u32::try_from(os).ok()).collect();
        let nodes = nodes.ok_or_else(|| (at, bad_matrix()))?;
        let count = nodes.len();
        if count as u64 != size || count.checked_mul(count) != Some(values.len()) {
            return Err((at, bad_matrix()));
        }
        let (size, nodes) = (count, Some(nodes));
        Ok(Some(Matrix {
            nodes,
            size,
            values,
        }))
    }

    /// Numbers with spaces between them, up to the end of the tag.
    fn numbers(&mut self, into: &mut Vec<u64>) -> Result<(), Fault> {
        loop {
            match self.event()? {
                Event::Text(text) => {
                    for part in text.split_ascii_whitespace() {
                        into.push(number("u64values", part).map_err(|fault| (self.at, fault))?);
                    }
                }
                Event::End(_) => return Ok(()),
                Event::Comment(_) => {}
                Event::Start(_)
                | Event::Empty(_)
                | Event::CData(_)
                | Event::Decl(_)
                | Event::PI(_)
                | Event::DocType(_)
                | Event::GeneralRef(_)
                | Event::Eof => return Err((self.at, bad_matrix())),
            }
        }
    }

    /// `<distances nbobjs="2" relative_depth="1" latency_base="10"><latency value="1.0"/>…</distances>`
    fn old_matrix(&mut self, tag: &BytesStart<'_>) -> Result<Option<Matrix>, Fault> {
        let (mut size, mut depth, mut base) = (0, 0, None);
        self.attributes(tag, |key, value| {
            match key {
                "nbobjs" => size = number("nbobjs", value)?,
                "relative_depth" => depth = number("relative_depth", value)?,
                "latency_base" => base = decimal(value),
                _ => return Err(bad_matrix()),
            }
            Ok(())
        })?;
        let at = self.at;
        let mut values = Vec::new();
        loop {
            match self.event()? {
                Event::Empty(inner) => self.old_value(&inner, &mut values)?,
                Event::Start(inner) => {
                    self.old_value(&inner, &mut values)?;
                    self.pass_over()?;
                }
                Event::End(_) => break,
                Event::Eof => return Err(self.not_xml("it ends before its last tag")),
                Event::Text(_)
                | Event::CData(_)
                | Event::Comment(_)
                | Event::Decl(_)
                | Event::PI(_)
                | Event::DocType(_)
                | Event::GeneralRef(_) => {}
            }
        }
        let Some(base) = base.filter(|&base| size > 0 && depth > 0 && base > 0) else {
            return Ok(None);
        };
        let found = usize::try_from(size).ok();
        let size = found.filter(|size| size.checked_mul(*size) == Some(values.len()));
        let size = size.ok_or_else(|| (at, bad_matrix()))?;
        // Only a matrix in the outermost object covers all nodes.
        if self.frames.len() != 1 {
            return Ok(None);
        }
        let values = scaled(&values, base);
        Ok(Some(Matrix {
            nodes: None,
            size,
            values,
        }))
    }

    fn old_value(&self, tag: &BytesStart<'_>, values: &mut Vec<u64>) -> Result<(), Fault> {
        let known = values.len();
        self.attributes(tag, |key, value| {
            values.extend(decimal(value).filter(|_| key == "value"));
            Ok(())
        })?;
        if tag.name().as_ref() != "latency" || values.len() != known + 1 {
            return Err((self.at, bad_matrix()));
        }
        Ok(())
    }
}

fn bad_matrix() -> XmlFault {
    XmlFault::BadObject {
        what: "distances whose numbers are not nbobjs times nbobjs".to_owned(),
    }
}

/// Reads a decimal fraction in millionths: `1.5` is 1,500,000. hwloc writes six places.
fn decimal(text: &str) -> Option<u64> {
    let text = text.trim_ascii();
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(part) || (whole.is_empty() && part.is_empty()) {
        return None;
    }
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().ok()?
    };
    let mut millionths = 0;
    for place in 0..6 {
        let digit = part.as_bytes().get(place).map_or(0, |byte| byte - b'0');
        millionths = millionths * 10 + u64::from(digit);
    }
    whole.checked_mul(1_000_000)?.checked_add(millionths)
}

/// Values times base. If all products are nearly whole, they are rounded to whole numbers; otherwise they are multiplied by 1000.
/// `values` and `base` are in millionths.
fn scaled(values: &[u64], base: u64) -> Vec<u64> {
    const ONE: u128 = 1_000_000_000_000;
    let products: Vec<u128> = values
        .iter()
        .map(|&value| u128::from(value) * u128::from(base))
        .collect();
    let near = |product: &u128| {
        let rest = product % ONE;
        rest <= ONE / 1000 || rest >= ONE - ONE / 1000
    };
    let whole = products.iter().all(near);
    let rounded = |product: u128| {
        let number = match whole {
            true => (product + ONE / 2) / ONE,
            false => product * 1000 / ONE,
        };
        u64::try_from(number).unwrap_or(u64::MAX)
    };
    products.into_iter().map(rounded).collect()
}

/// The first matrix that covers at least two of the nodes that are left, for these nodes. `in_file`: all nodes by OS number, in the
/// order of the file.
pub(super) fn latency(
    matrices: Vec<Matrix>,
    in_file: &[u32],
    draft: &TopologyDraft,
) -> Option<Latency> {
    let by_logical: Vec<Option<u32>> = draft
        .objects
        .iter()
        .filter(|object| object.kind == ObjKind::Numa)
        .map(|object| object.os)
        .collect();
    let logical = |os: u32| {
        let place = by_logical.iter().position(|&known| known == Some(os));
        place.and_then(|place| u32::try_from(place).ok())
    };
    for matrix in matrices {
        let named = matrix.nodes.as_deref().unwrap_or(in_file);
        if named.len() != matrix.size {
            continue;
        }
        let kept: Vec<(usize, u32)> = (0..)
            .zip(named)
            .filter_map(|(row, &os)| Some((row, logical(os)?)))
            .collect();
        if kept.len() < 2 {
            continue;
        }
        let values = kept.iter().flat_map(|(from, _)| {
            let row = &matrix.values[from * matrix.size..(from + 1) * matrix.size];
            kept.iter().map(|(to, _)| row[*to])
        });
        return Some(Latency {
            values: values.collect(),
            nodes: kept.iter().map(|(_, node)| *node).collect(),
        });
    }
    None
}
