//! A linear layer whose weight is block-sparse.
use crate::{BsrTensor, Pattern};
use burn::module::{Module, Param};
use burn::tensor::{DType, Device, Distribution, Tensor};
use tilewright::Result;

/// Y = X W^T + b with a block-sparse W of [outputs, inputs]. Stored blocks and bias are parameters; the pattern is not
/// part of a record, and changes by [`SparseLinear::set_weight`] alone.
#[derive(Module, Debug)]
pub struct SparseLinear {
    /// Stored blocks of W, [stored blocks, block, block].
    pub values: Param<Tensor<3>>,
    /// One element per output.
    pub bias: Option<Param<Tensor<1>>>,
    #[module(skip)]
    pattern: Pattern,
    #[module(skip)]
    tf32: bool,
}

impl SparseLinear {
    /// The layer of a weight and a bias of its type.
    pub fn new(weight: BsrTensor, bias: Option<Tensor<1>>) -> Self {
        let (pattern, values) = (weight.pattern().clone(), weight.values().clone());
        Self { values: Param::from_tensor(values), bias: bias.map(Param::from_tensor), pattern, tf32: weight.tf32() }
    }

    /// [n, inputs] to [n, outputs].
    pub fn forward(&self, x: Tensor<2>) -> Tensor<2> {
        let y = BsrTensor::from_parts(self.pattern.clone(), self.values.val()).with_tf32(self.tf32).linear(x);
        match &self.bias {
            Some(bias) => y + bias.val().unsqueeze(),
            None => y,
        }
    }

    /// Takes another weight of the same size in place, e.g. with other stored blocks; the bias stays. The blocks are a new
    /// parameter, for which an optimizer has no state yet.
    pub fn set_weight(&mut self, weight: BsrTensor) {
        let size = |pattern: &Pattern| (pattern.rows(), pattern.columns());
        let (own, other) = (size(&self.pattern), size(weight.pattern()));
        assert_eq!(own, other, "the layer has a weight of {own:?}, the other one is of {other:?}");
        self.values = Param::from_tensor(weight.values().clone());
        self.pattern = weight.pattern().clone();
        self.tf32 = weight.tf32();
    }

    /// The stored blocks of W.
    pub fn pattern(&self) -> &Pattern {
        &self.pattern
    }
}

/// A layer with random blocks.
#[derive(Clone, Debug)]
pub struct SparseLinearConfig {
    /// The stored blocks of W: [outputs, inputs].
    pub pattern: Pattern,
    /// Whether there is a bias, zero at first.
    pub bias: bool,
    /// F16, BF16 or F32.
    pub dtype: DType,
}

impl SparseLinearConfig {
    /// With bias, in BF16.
    pub fn new(pattern: Pattern) -> Self {
        Self { pattern, bias: true, dtype: DType::BF16 }
    }

    /// Blocks uniform within one over the root of the mean number of inputs that an output sees.
    pub fn init(&self, device: &Device) -> Result<SparseLinear> {
        let (block, stored) = (self.pattern.block(), self.pattern.stored());
        let inputs = (stored * block * block) as f64 / self.pattern.rows().max(1) as f64;
        let bound = 1.0 / inputs.max(1.0).sqrt();
        let values = Tensor::<3>::random([stored, block, block], Distribution::Uniform(-bound, bound), device);
        let bias = self.bias.then(|| Tensor::<1>::zeros([self.pattern.rows()], device).cast(self.dtype));
        let weight = BsrTensor::from_parts(self.pattern.clone(), values.cast(self.dtype));
        Ok(SparseLinear::new(weight, bias))
    }
}
