//! A plan as columns, and as an Arrow stream.

use crate::convert;
use crate::indices;
use crate::process::list;
use arrow_array::builder::StringBuilder;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::UInt32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, RecordBatchIterator, UInt32Array};
use arrow_schema::ArrowError;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyIterator, PyMemoryView};
use std::collections::HashMap;
use std::sync::Arc;

/// The columns by name, in the order of `stowplan::Columns`.
const NAMES: [&str; 8] = [
    "app",
    "app_rank",
    "node",
    "local_rank",
    "node_rank",
    "object_kind",
    "object",
    "cpuset",
];

/// Each column in a `bytes` object, viewed as 32-bit numbers. Columns are written directly into these objects.
pub(crate) fn dict<'py>(py: Python<'py>, plan: &stowplan::Plan) -> PyResult<Bound<'py, PyDict>> {
    let size = plan.len() * size_of::<u32>();
    let mut columns = Vec::new();
    nested(py, size, Vec::new(), &mut columns, &|outs| {
        py.detach(|| write(plan, outs))
    })?;
    let dict = PyDict::new(py);
    // The innermost object, which has the last column, was added first.
    for (name, bytes) in NAMES.iter().zip(columns.iter().rev()) {
        dict.set_item(name, numbers(bytes)?)?;
    }
    if plan.has_devices_or_threads() {
        let gpus = py.detach(|| plan.gpu_column());
        dict.set_item("gpus", numbers(&packed(py, gpus.ids()))?)?;
        let threads = py.detach(|| plan.thread_column());
        let threads: Vec<u32> = threads.iter().map(|threads| threads.unwrap_or(0)).collect();
        dict.set_item("threads", numbers(&packed(py, &threads))?)?;
    }
    Ok(dict)
}

/// Bytes as 32-bit numbers that cannot be changed.
fn numbers<'py>(bytes: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyAny>> {
    PyMemoryView::from(bytes.as_any())?.call_method1("cast", ("I",))
}

fn packed<'py>(py: Python<'py>, numbers: &[u32]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, bytemuck::cast_slice(numbers))
}

/// Makes each object inside the initialization of the one before it, so that `write` has all of them at once.
fn nested<'py>(
    py: Python<'py>,
    size: usize,
    outs: Vec<&mut [u8]>,
    made: &mut Vec<Bound<'py, PyBytes>>,
    write: &dyn Fn(Vec<&mut [u8]>) -> PyResult<()>,
) -> PyResult<()> {
    if outs.len() == NAMES.len() {
        return write(outs);
    }
    let bytes = PyBytes::new_with(py, size, |own| {
        let mut outs: Vec<&mut [u8]> = outs;
        outs.push(own);
        nested(py, size, outs, made, write)
    })?;
    made.push(bytes);
    Ok(())
}

fn write(plan: &stowplan::Plan, mut outs: Vec<&mut [u8]>) -> PyResult<()> {
    let failed = |error: &dyn ToString| PyRuntimeError::new_err(error.to_string());
    let numbers: Option<Vec<&mut [u32]>> = outs
        .iter_mut()
        .map(|out| bytemuck::try_cast_slice_mut(out).ok())
        .collect();
    if let Some(Ok(columns)) = numbers.map(TryInto::try_into) {
        let written = plan.write_table(stowplan::Columns(columns));
        return written.map_err(|error| failed(&error));
    }
    // Objects that are not aligned for 32-bit numbers: no Python makes them yet.
    let mut columns = vec![vec![0; plan.len()]; NAMES.len()];
    let numbers: Vec<&mut [u32]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
    if let Ok(columns) = numbers.try_into() {
        plan.write_table(stowplan::Columns(columns))
            .map_err(|error| failed(&error))?;
    }
    for (out, column) in outs.iter_mut().zip(&columns) {
        out.copy_from_slice(bytemuck::cast_slice(column));
    }
    Ok(())
}

/// The cpu sets of a plan, by number: 0 is the empty set.
#[pyclass(frozen, sequence, module = "stowplan", name = "CpuSets")]
pub(crate) struct CpuSets {
    plan: stowplan::Plan,
}

impl CpuSets {
    pub(crate) fn new(plan: &stowplan::Plan) -> Self {
        let plan = plan.clone();
        Self { plan }
    }

    fn text(&self, id: usize) -> String {
        let cpus = u32::try_from(id).ok().and_then(|id| self.plan.cpus(id));
        cpus.map(|cpus| cpus.to_string()).unwrap_or_default()
    }
}

#[pymethods]
impl CpuSets {
    fn __len__(&self) -> usize {
        self.plan.cpusets() as usize
    }
    fn __getitem__<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        indices::items(id, self.__len__(), |id| Ok(self.text(id)))
    }
    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let texts: Vec<String> = (0..self.__len__()).map(|id| self.text(id)).collect();
        texts.into_bound_py_any(py)?.try_iter()
    }
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let all =
            |sets: &Self| -> Vec<String> { (0..sets.__len__()).map(|id| sets.text(id)).collect() };
        other
            .cast::<Self>()
            .is_ok_and(|other| all(self) == all(other.get()))
    }
    fn __hash__(&self) -> usize {
        self.__len__()
    }
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> convert::Again<'py, (Bound<'py, PyAny>, &'static str)> {
        let read = py.import("builtins")?.getattr("getattr")?;
        Ok((read, (convert::plan(py, &self.plan)?, "cpusets")))
    }
    fn __repr__(&self) -> String {
        format!("<{} cpu sets>", self.__len__())
    }
}

/// The rows of the format `tsv`, as an Arrow stream of one batch.
pub(crate) fn stream<'py>(
    py: Python<'py>,
    plan: &stowplan::Plan,
) -> PyResult<Bound<'py, PyCapsule>> {
    let batch = py.detach(|| batch(plan));
    let batch = batch.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let schema = batch.schema();
    let reader = RecordBatchIterator::new([Ok(batch)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

fn batch(plan: &stowplan::Plan) -> Result<RecordBatch, ArrowError> {
    let table = plan.table();
    let numbers = |column: &[u32]| Arc::new(UInt32Array::from(column.to_vec())) as ArrayRef;
    let ranks: Vec<u32> = (0..).take(table.len()).collect();
    let nodes = plan.nodes().map(|node| node.name().to_owned());
    let node = words(
        table.node().iter().map(|&node| Some(node)).collect(),
        nodes.collect(),
    )?;
    let (objects, names) = objects(plan, &table);
    let cpusets = (1..plan.cpusets()).map(|id| {
        plan.cpus(id)
            .map(|cpus| cpus.to_string())
            .unwrap_or_default()
    });
    let cpus = table.cpuset().iter().map(|id| id.checked_sub(1));
    let mut columns = vec![
        ("rank", numbers(&ranks)),
        ("app", numbers(table.app())),
        ("app_rank", numbers(table.app_rank())),
        ("node", node),
        ("local_rank", numbers(table.local_rank())),
        ("node_rank", numbers(table.node_rank())),
        ("object", words(objects, names)?),
        ("cpus", words(cpus.collect(), cpusets.collect())?),
    ];
    if plan.has_devices_or_threads() {
        let gpus = plan.gpu_column();
        let sets = (1..gpus.sets()).map(|id| gpus.set(id).and_then(list).unwrap_or_default());
        let ids = gpus.ids().iter().map(|id| id.checked_sub(1));
        columns.push(("gpus", words(ids.collect(), sets.collect())?));
        let mut threads = plan.thread_column();
        threads.resize(table.len(), None);
        columns.push(("threads", Arc::new(UInt32Array::from(threads))));
    }
    RecordBatch::try_from_iter(columns)
}

/// A dictionary column: `rows` has the index of each row's word, or `None` for no word.
fn words(rows: Vec<Option<u32>>, words: Vec<String>) -> Result<ArrayRef, ArrowError> {
    let mut values = StringBuilder::new();
    words.iter().for_each(|word| values.append_value(word));
    let keys = UInt32Array::from(rows);
    Ok(Arc::new(DictionaryArray::<UInt32Type>::try_new(
        keys,
        Arc::new(values.finish()),
    )?))
}

/// The index of each rank's object, and the distinct objects that processes were mapped to, as `core:5`.
fn objects(plan: &stowplan::Plan, table: &stowplan::Table) -> (Vec<Option<u32>>, Vec<String>) {
    let mut names = Vec::new();
    let mut known: HashMap<(u32, u32), Option<u32>> = HashMap::new();
    let pairs = table.object_kind().iter().zip(table.object());
    let rows = (0..).zip(pairs).map(|(rank, (&kind, &object))| {
        *known.entry((kind, object)).or_insert_with(|| {
            let proc = plan.proc(stowplan::Rank::new(rank))?;
            let name = proc.object()?.to_string();
            names.push(name);
            u32::try_from(names.len() - 1).ok()
        })
    });
    let rows = rows.collect();
    (rows, names)
}
