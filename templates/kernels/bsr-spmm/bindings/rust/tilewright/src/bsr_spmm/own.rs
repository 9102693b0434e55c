//! The matrix A as one value.
use super::{Operands, Problem};
use crate::error::require;
use crate::{Error, Number, Result};
use std::ops::Deref;

/// Places of the stored blocks of a matrix in block sparse rows: block row `i` owns the blocks `row_ptr[i]..row_ptr[i + 1]`, whose block
/// columns are in `col_idx`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BsrStructure {
    rows: usize,
    columns: usize,
    block: usize,
    row_ptr: Vec<i32>,
    col_idx: Vec<i32>,
}

impl BsrStructure {
    /// Takes the index arrays of a matrix. [`crate::Error::InvalidArgument`] where they contradict each other or the sizes, and where
    /// a block row names a block column twice.
    pub fn new(rows: usize, columns: usize, block: usize, row_ptr: Vec<i32>, col_idx: Vec<i32>) -> Result<Self> {
        require(block > 0, || "block = 0 must be at least 1".into())?;
        let grid = (rows.div_ceil(block), columns.div_ceil(block));
        require(row_ptr.len() == grid.0 + 1, || {
            format!("row_ptr has {} elements, {} block rows need one more than their number", row_ptr.len(), grid.0)
        })?;
        let ends = (row_ptr[0], row_ptr[grid.0]);
        require(ends == (0, index(col_idx.len())?), || {
            format!("row_ptr goes from {} to {}, not from 0 to the {} stored blocks", ends.0, ends.1, col_idx.len())
        })?;
        require(row_ptr.windows(2).all(|pair| pair[0] <= pair[1]), || "row_ptr descends".into())?;
        let mut last = vec![usize::MAX; grid.1];
        for i in 0..grid.0 {
            for &column in &col_idx[offset(row_ptr[i])..offset(row_ptr[i + 1])] {
                let Some(seen) = usize::try_from(column).ok().and_then(|column| last.get_mut(column)) else {
                    return Err(Error::InvalidArgument(format!(
                        "col_idx names block column {column}, there are {}",
                        grid.1
                    )));
                };
                require(*seen != i, || format!("block row {i} names block column {column} twice"))?;
                *seen = i;
            }
        }
        Ok(Self { rows, columns, block, row_ptr, col_idx })
    }

    /// Rows of the matrix.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of the matrix.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Rows, and columns, of a block.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Number of stored blocks.
    pub fn stored(&self) -> usize {
        self.col_idx.len()
    }

    /// Share of the blocks that are stored.
    pub fn density(&self) -> f64 {
        let all = self.rows.div_ceil(self.block) * self.columns.div_ceil(self.block);
        self.stored() as f64 / all.max(1) as f64
    }

    /// First stored block of each block row, and their number at the end.
    pub fn row_ptr(&self) -> &[i32] {
        &self.row_ptr
    }

    /// Block column of each stored block.
    pub fn col_idx(&self) -> &[i32] {
        &self.col_idx
    }

    /// Block row and block column of each stored block, in order.
    pub fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let rows = self.row_ptr.windows(2).enumerate();
        rows.flat_map(move |(i, ends)| (offset(ends[0])..offset(ends[1])).map(move |at| (i, offset(self.col_idx[at]))))
    }
}

/// A matrix in block sparse rows: `values` holds the stored blocks one after the other, each `block` x `block` elements,
/// row-major; its [`BsrStructure`] says where they lie. Where `block` does not divide the rows or columns, the last blocks are stored
/// whole; what they hold behind the matrix counts for nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Bsr<T> {
    structure: BsrStructure,
    values: Vec<T>,
}

impl<T: Number> Bsr<T> {
    /// Stores the blocks of a row-major `rows` x `columns` matrix that have an element above `threshold` in size, with zeros
    /// behind the matrix. [`crate::Error::InvalidArgument`] where `dense` has another number of elements, or `block` is 0.
    pub fn from_dense(dense: &[T], rows: usize, columns: usize, block: usize, threshold: f32) -> Result<Self> {
        require(block > 0, || "block = 0 must be at least 1".into())?;
        let grid = (rows.div_ceil(block), columns.div_ceil(block));
        require(rows.checked_mul(columns) == Some(dense.len()), || {
            format!("dense has {} elements, {rows} x {columns} asks for another number", dense.len())
        })?;
        let mut structure = BsrStructure { rows, columns, block, row_ptr: vec![0], col_idx: Vec::new() };
        let mut stored: Vec<T> = Vec::new();
        for i in 0..grid.0 {
            for j in 0..grid.1 {
                let (height, width) = (block.min(rows - i * block), block.min(columns - j * block));
                let lines = (0..height).map(|line| &dense[(i * block + line) * columns + j * block..][..width]);
                let small = |value: &T| value.to_f32().abs() <= threshold; // NaN is not
                if !lines.clone().flatten().all(small) {
                    structure.col_idx.push(index(j)?);
                    let first = stored.len();
                    stored.resize(first + block * block, T::default());
                    for (line, to) in lines.zip(stored[first..].chunks_exact_mut(block)) {
                        to[..width].copy_from_slice(line);
                    }
                }
            }
            structure.row_ptr.push(index(structure.col_idx.len())?);
        }
        Ok(Self { structure, values: stored })
    }

    /// Takes the arrays of a matrix. [`crate::Error::InvalidArgument`] where they contradict each other or the sizes, and where
    /// a block row names a block column twice.
    pub fn from_parts(
        rows: usize,
        columns: usize,
        block: usize,
        row_ptr: Vec<i32>,
        col_idx: Vec<i32>,
        values: Vec<T>,
    ) -> Result<Self> {
        let structure = BsrStructure::new(rows, columns, block, row_ptr, col_idx)?;
        let stored = structure.stored();
        require(stored.checked_mul(block * block) == Some(values.len()), || {
            format!("values has {} elements, {stored} blocks of {block} x {block} have another number", values.len())
        })?;
        Ok(Self { structure, values })
    }

    /// The whole matrix, row-major.
    pub fn to_dense(&self) -> Vec<T> {
        let (rows, columns, size) = (self.rows(), self.columns(), self.block());
        let mut dense = vec![T::default(); rows * columns];
        for (i, j, block) in self.blocks() {
            let (height, width) = (rows - i * size, size.min(columns - j * size));
            for (line, values) in block.chunks_exact(size).take(height).enumerate() {
                let start = (i * size + line) * columns + j * size;
                dense[start..start + width].copy_from_slice(&values[..width]);
            }
        }
        dense
    }

    /// Stored blocks with their block row and block column.
    pub fn blocks(&self) -> impl Iterator<Item = (usize, usize, &[T])> {
        let values = self.values.chunks_exact(self.block() * self.block());
        self.places().zip(values).map(|((i, j), block)| (i, j, block))
    }
}

impl<T> Bsr<T> {
    /// Places of the stored blocks.
    pub fn structure(&self) -> &BsrStructure {
        &self.structure
    }

    /// The stored blocks.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The stored blocks, to be changed in place.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }
}

/// Sizes and index arrays of the matrix.
impl<T> Deref for Bsr<T> {
    type Target = BsrStructure;
    fn deref(&self) -> &BsrStructure {
        &self.structure
    }
}

impl<'a> Problem<'a> {
    /// The problem of this A: its sizes, element type and host copies. C has the type of A.
    pub fn with_a<T: Number>(a: &'a Bsr<T>) -> Self {
        Self {
            m: a.rows() as i64,
            k: a.columns() as i64,
            block: a.block() as i64,
            blocks: a.stored() as i64,
            input: T::NUMBER,
            output: T::NUMBER,
            host_row_ptr: Some(a.row_ptr().into()),
            host_col_idx: Some(a.col_idx().into()),
            ..Self::default()
        }
    }
}

impl<'a> Operands<'a> {
    /// The operands that are this A, in host memory; all others are to be added.
    pub fn with_a<T: Number>(a: &'a Bsr<T>) -> Self {
        Self {
            row_ptr: a.row_ptr().into(),
            col_idx: a.col_idx().into(),
            values: a.values().into(),
            ..Self::default()
        }
    }
}

fn index(value: usize) -> Result<i32> {
    require(i32::try_from(value).is_ok(), || format!("{value} blocks are more than 32-bit indices can count"))?;
    Ok(value as i32)
}

/// Of an array that was checked.
fn offset(value: i32) -> usize {
    value as usize
}
