//! Which blocks of a matrix are stored, and its copies on GPUs.
use crate::gpu::OnDevice;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tilewright::{Bsr, Context, Result};

/// The pattern of a block-sparse matrix. Clones share it and its plans.
#[derive(Clone)]
pub struct Pattern(Arc<Shared>);

struct Shared {
    rows: usize,
    columns: usize,
    block: usize,
    row_ptr: Vec<i32>,
    col_idx: Vec<i32>,
    on_devices: Mutex<HashMap<usize, Arc<OnDevice>>>,
}

impl Pattern {
    /// Takes the index arrays of a matrix; each block row names a block column at most once.
    pub fn new(rows: usize, columns: usize, block: usize, row_ptr: Vec<i32>, col_idx: Vec<i32>) -> Result<Self> {
        // The library's own rules; the values are never read.
        let values = vec![0.0_f32; col_idx.len() * block * block];
        let checked = Bsr::from_parts(rows, columns, block, row_ptr, col_idx, values)?;
        Ok(Self(Arc::new(Shared {
            rows,
            columns,
            block,
            row_ptr: checked.row_ptr().to_vec(),
            col_idx: checked.col_idx().to_vec(),
            on_devices: Mutex::default(),
        })))
    }

    /// The same pattern with a context that chooses its kernels on the GPU of a number.
    pub(crate) fn in_context(&self, number: usize, context: &Context) -> Result<Self> {
        let on_device = Arc::new(OnDevice::in_context(self, number, context)?);
        Ok(Self(Arc::new(Shared {
            rows: self.rows(),
            columns: self.columns(),
            block: self.block(),
            row_ptr: self.row_ptr().to_vec(),
            col_idx: self.col_idx().to_vec(),
            on_devices: Mutex::new(HashMap::from([(number, on_device)])),
        })))
    }

    /// Rows of the matrix.
    pub fn rows(&self) -> usize {
        self.0.rows
    }

    /// Columns of the matrix.
    pub fn columns(&self) -> usize {
        self.0.columns
    }

    /// Rows, and columns, of a block.
    pub fn block(&self) -> usize {
        self.0.block
    }

    /// Number of stored blocks.
    pub fn stored(&self) -> usize {
        self.0.col_idx.len()
    }

    /// First stored block of each block row, and their number at the end.
    pub fn row_ptr(&self) -> &[i32] {
        &self.0.row_ptr
    }

    /// Block column of each stored block.
    pub fn col_idx(&self) -> &[i32] {
        &self.0.col_idx
    }

    /// Block row of each stored block, in order.
    pub(crate) fn row_idx(&self) -> Vec<i32> {
        let rows = self.row_ptr().windows(2).zip(0..);
        rows.flat_map(|(ends, row)| (ends[0]..ends[1]).map(move |_| row)).collect()
    }

    /// Its copy on the GPU of a number, made at the first use.
    pub(crate) fn on_device(&self, number: usize) -> Result<Arc<OnDevice>> {
        let mut made = self.0.on_devices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = made.get(&number) {
            return Ok(found.clone());
        }
        let copied = Arc::new(OnDevice::new(self, number)?);
        made.insert(number, copied.clone());
        Ok(copied)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, columns, block) = (self.rows(), self.columns(), self.block());
        write!(out, "Pattern({rows} x {columns}, {} blocks of {block} x {block})", self.stored())
    }
}
