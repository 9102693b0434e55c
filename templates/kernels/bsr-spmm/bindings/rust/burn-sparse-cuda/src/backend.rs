//! The product as an operation of Burn's CUDA backend, and its gradients.
use crate::{gpu, Pattern};
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::autodiff::NodeId;
use burn::backend::Autodiff;
use burn::tensor::backend::Backend;
use burn::tensor::ops::FloatTensor;
use burn::tensor::{Int, Tensor, TensorData, TensorPrimitive};
use burn_cubecl::{BoolElement, CubeBackend, FloatElement, IntElement};
use cubecl::cuda::CudaRuntime;
use tilewright::Layout;

/// The products of the matrix A with a dense operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// A's transpose in the place of A.
    pub transpose: bool,
    /// `Row`: X is [k, n] and op(A) X is [m, n]. `Column`: X is [n, k] and the result [n, m], the form of a linear layer.
    pub layout: Layout,
    /// Whether operands of F32 may be rounded to TF32.
    pub tf32: bool,
}

/// Backends that multiply block-sparse matrices.
pub trait SparseBackend: Backend {
    /// op(A) X. `values`: [stored blocks, block, block].
    fn bsr_product(
        values: FloatTensor<Self>,
        x: FloatTensor<Self>,
        pattern: Pattern,
        form: Form,
    ) -> FloatTensor<Self>;
}

impl<F: FloatElement, I: IntElement, BT: BoolElement> SparseBackend for CubeBackend<CudaRuntime, F, I, BT> {
    fn bsr_product(
        values: FloatTensor<Self>,
        x: FloatTensor<Self>,
        pattern: Pattern,
        form: Form,
    ) -> FloatTensor<Self> {
        gpu::product(values, x, &pattern, form)
    }
}

impl<B: SparseBackend, C: CheckpointStrategy> SparseBackend for Autodiff<B, C> {
    fn bsr_product(
        values: FloatTensor<Self>,
        x: FloatTensor<Self>,
        pattern: Pattern,
        form: Form,
    ) -> FloatTensor<Self> {
        let tracked = [values.node.clone(), x.node.clone()];
        match Product.prepare::<C>(tracked).compute_bound().stateful() {
            OpsKind::UnTracked(prepared) => {
                prepared.finish(B::bsr_product(values.primitive, x.primitive, pattern, form))
            }
            OpsKind::Tracked(mut prepared) => {
                let state = (prepared.checkpoint(&values), prepared.checkpoint(&x), pattern.clone(), form);
                prepared.finish(state, B::bsr_product(values.primitive, x.primitive, pattern, form))
            }
        }
    }
}

#[derive(Debug)]
struct Product;

impl<B: SparseBackend> Backward<B, 2> for Product {
    /// The inputs, and their product.
    type State = (NodeId, NodeId, Pattern, Form);

    fn backward(self, ops: Ops<Self::State, 2>, grads: &mut Gradients, checkpointer: &mut Checkpointer) {
        let [of_values, of_x] = ops.parents;
        let (values, x, pattern, form) = ops.state;
        let gradient = grads.consume::<B>(&ops.node);
        if let Some(node) = of_values {
            let x = checkpointer.retrieve_node_output(x);
            grads.register::<B>(node.id, outer::<B>(gradient.clone(), x, &pattern, form));
        }
        if let Some(node) = of_x {
            let values = checkpointer.retrieve_node_output(values);
            let back = Form { transpose: !form.transpose, ..form };
            grads.register::<B>(node.id, B::bsr_product(values, gradient, pattern, back));
        }
    }
}

/// The stored blocks of the gradient of A, given that of op(A) X: for each a dense product of gathered panels, by Burn.
fn outer<B: Backend>(
    gradient: FloatTensor<B>,
    x: FloatTensor<B>,
    pattern: &Pattern,
    form: Form,
) -> FloatTensor<B> {
    // For A^T X the matrix's rows are multiplied by X, its columns by the gradient.
    let (left, right) = if form.transpose { (x, gradient) } else { (gradient, x) };
    let (left, right) = (
        panels::<B>(left, pattern.row_idx(), pattern.block(), form.layout),
        panels::<B>(right, pattern.col_idx().to_vec(), pattern.block(), form.layout),
    );
    left.matmul(right.transpose()).into_primitive().tensor()
}

/// [stored blocks, block, n]: of each stored block the rows of a dense operand that it is multiplied with.
fn panels<B: Backend>(x: FloatTensor<B>, at: Vec<i32>, block: usize, layout: Layout) -> Tensor<B, 3> {
    let x = Tensor::<B, 2>::from_primitive(TensorPrimitive::Float(x));
    let x = match layout {
        Layout::Row => x,
        Layout::Column => x.transpose(),
    };
    let [rows, n] = x.dims();
    let stored = at.len();
    let at = Tensor::<B, 1, Int>::from_data(TensorData::new(at, [stored]), &x.device());
    x.reshape([rows / block, block, n]).select(0, at)
}
