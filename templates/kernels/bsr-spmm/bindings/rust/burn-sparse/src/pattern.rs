//! Which blocks of a matrix are stored, and the plans that its products have needed so far.
use crate::backend::Form;
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};
use tilewright::bsr_spmm::{self, Operands, Plan, Problem};
use tilewright::{BsrPattern, BsrStructure, Context, Result, Type};

/// The pattern of a block-sparse matrix. Clones share it and its plans.
#[derive(Clone)]
pub struct Pattern(Arc<Shared>);

struct Shared {
    structure: Arc<BsrStructure>,
    chooser: Chooser,
}

/// Source of the choice of kernels.
enum Chooser {
    /// The library's policy: a plan for each product, made on first use.
    Plans(Mutex<HashMap<Product, Arc<Plan>>>),
    /// A context, which may measure.
    Context(Context, BsrPattern),
}

/// A product with the matrix, by what its plan depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Product {
    /// Element type of all operands.
    pub element: Type,
    /// Columns of the dense operand.
    pub n: usize,
    pub form: Form,
}

impl Pattern {
    /// Takes the index arrays of a matrix; each block row names a block column at most once.
    pub fn new(rows: usize, columns: usize, block: usize, row_ptr: Vec<i32>, col_idx: Vec<i32>) -> Result<Self> {
        let structure = Arc::new(BsrStructure::new(rows, columns, block, row_ptr, col_idx)?);
        Ok(Self(Arc::new(Shared { structure, chooser: Chooser::Plans(Mutex::default()) })))
    }

    /// The same pattern with a context that chooses its kernels.
    pub(crate) fn in_context(&self, context: &Context) -> Result<Self> {
        let described = BsrPattern::new(
            context,
            self.rows() as i64,
            self.columns() as i64,
            self.block() as i64,
            self.stored() as i64,
            self.row_ptr().into(),
            self.col_idx().into(),
        )?;
        Ok(Self(Arc::new(Shared {
            structure: self.0.structure.clone(),
            chooser: Chooser::Context(context.clone(), described),
        })))
    }

    /// Runs a product.
    pub(crate) fn run(&self, product: Product, operands: Operands<'_>) -> Result<()> {
        let problem = self.problem(product);
        match &self.0.chooser {
            Chooser::Context(context, pattern) => bsr_spmm::run(context, pattern, &problem, operands),
            Chooser::Plans(plans) => {
                let mut plans = plans.lock().unwrap_or_else(PoisonError::into_inner);
                let plan = match plans.get(&product) {
                    Some(plan) => plan.clone(),
                    None => Arc::new(Plan::new(&problem)?),
                };
                plans.insert(product, plan.clone());
                drop(plans);
                plan.run(operands, &mut plan.workspace()?)
            }
        }
    }

    fn problem(&self, product: Product) -> Problem<'_> {
        Problem {
            m: self.rows() as i64,
            n: product.n as i64,
            k: self.columns() as i64,
            block: self.block() as i64,
            blocks: self.stored() as i64,
            input: product.element,
            output: product.element,
            layout_b: product.form.layout,
            layout_c: product.form.layout,
            transpose_a: product.form.transpose,
            tf32: product.form.tf32 && product.element == Type::F32,
            host_row_ptr: Some(self.row_ptr().into()),
            host_col_idx: Some(self.col_idx().into()),
            ..Default::default()
        }
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
