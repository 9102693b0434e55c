//! Which blocks of a matrix are stored, and its copies on GPUs.
use crate::gpu::OnDevice;
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use tilewright::{BsrStructure, Context, Result};

/// The pattern of a block-sparse matrix. Clones share it and its plans.
#[derive(Clone)]
pub struct Pattern(Arc<Shared>);

struct Shared {
    structure: Arc<BsrStructure>,
    on_devices: Mutex<HashMap<usize, Arc<OnDevice>>>,
}

impl Pattern {
    /// Takes the index arrays of a matrix; each block row names a block column at most once.
    pub fn new(rows: usize, columns: usize, block: usize, row_ptr: Vec<i32>, col_idx: Vec<i32>) -> Result<Self> {
        let structure = Arc::new(BsrStructure::new(rows, columns, block, row_ptr, col_idx)?);
        Ok(Self(Arc::new(Shared { structure, on_devices: Mutex::default() })))
    }

    /// The same pattern with a context that chooses its kernels on the GPU of a number.
    pub(crate) fn in_context(&self, number: usize, context: &Context) -> Result<Self> {
        let on_device = Arc::new(OnDevice::in_context(self, number, context)?);
        Ok(Self(Arc::new(Shared {
            structure: self.0.structure.clone(),
            on_devices: Mutex::new(HashMap::from([(number, on_device)])),
        })))
    }

    /// Block row of each stored block, in order.
    pub(crate) fn row_idx(&self) -> Vec<i32> {
        self.places().map(|(row, _)| row as i32).collect()
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

/// Sizes and index arrays of the matrix.
impl Deref for Pattern {
    type Target = BsrStructure;
    fn deref(&self) -> &BsrStructure {
        &self.0.structure
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, columns, block) = (self.rows(), self.columns(), self.block());
        write!(out, "Pattern({rows} x {columns}, {} blocks of {block} x {block})", self.stored())
    }
}
