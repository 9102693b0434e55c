//! The two products as operations of a Burn backend, and their gradients.
use crate::Pattern;
use burn::backend::autodiff::checkpoint::{base::Checkpointer, strategy::CheckpointStrategy};
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::autodiff::NodeId;
use burn::backend::{backend_extension, tensor::FloatTensor, Autodiff, Backend};
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
#[backend_extension(Flex, Autodiff)]
pub trait SparseBackend: Backend {
    /// op(A) X. `values`: [stored blocks, block, block].
    fn bsr_product(
        values: FloatTensor<Self>,
        x: FloatTensor<Self>,
        pattern: Pattern,
        form: Form,
    ) -> FloatTensor<Self>;

    /// The stored blocks of the gradient of A, given that of op(A) X: [stored blocks, block, block].
    fn bsr_outer(
        gradient: FloatTensor<Self>,
        x: FloatTensor<Self>,
        pattern: Pattern,
        form: Form,
    ) -> FloatTensor<Self>;
}

impl<B: SparseBackend, C: CheckpointStrategy> SparseBackend for Autodiff<B, C> {
    fn bsr_product(
        values: FloatTensor<Self>,
        x: FloatTensor<Self>,
        pattern: Pattern,
        form: Form,
    ) -> FloatTensor<Self> {
        let tracked = [values.node(), x.node()];
        match Product.prepare::<C>(tracked).compute_bound().stateful() {
            OpsKind::UnTracked(prepared) => {
                prepared.finish(B::bsr_product(values.into_primitive(), x.into_primitive(), pattern, form))
            }
            OpsKind::Tracked(mut prepared) => {
                let state = (prepared.checkpoint(&values), prepared.checkpoint(&x), pattern.clone(), form);
                prepared.finish(state, B::bsr_product(values.into_primitive(), x.into_primitive(), pattern, form))
            }
        }
    }

    /// Has no gradient of its own: it is part of one.
    fn bsr_outer(
        gradient: FloatTensor<Self>,
        x: FloatTensor<Self>,
        pattern: Pattern,
        form: Form,
    ) -> FloatTensor<Self> {
        let outer = B::bsr_outer(gradient.into_primitive(), x.into_primitive(), pattern, form);
        <Self as burn::backend::AutodiffBackend>::from_inner(outer)
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
            grads.register::<B>(node.id, B::bsr_outer(gradient.clone(), x, pattern.clone(), form));
        }
        if let Some(node) = of_x {
            let values = checkpointer.retrieve_node_output(values);
            let back = Form { transpose: !form.transpose, ..form };
            grads.register::<B>(node.id, B::bsr_product(values, gradient, pattern, back));
        }
    }
}
