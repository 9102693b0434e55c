//! Products, gradients and the layer beside Burn's own dense ones.
use burn::module::Module;
use burn::tensor::{DType, Device, Tensor, TensorData, Tolerance};
use burn_sparse::{BsrGemm, BsrTensor, Pattern, SparseLinear, SparseLinearConfig};
use half::f16;
use tilewright::{Cache, Context, ContextOptions, Policy};

const BLOCK: usize = 64;

fn value(index: usize) -> f32 {
    ((index * 7 % 11) as f32 - 5.0) / 8.0
}

/// A tensor of F16 by its elements.
fn tensor<const D: usize>(dims: [usize; D], device: &Device) -> Tensor<D> {
    let data: Vec<_> = (0..dims.iter().product()).map(|index| f16::from_f32(value(index))).collect();
    Tensor::from_data(TensorData::new(data, dims), (device, DType::F16))
}

/// 2 x 3 blocks, half of them stored.
fn dense(device: &Device) -> Tensor<2> {
    let stored = |row: usize, column: usize| (row / BLOCK + column / BLOCK).is_multiple_of(2);
    let at = |index: usize| (index / (3 * BLOCK), index % (3 * BLOCK));
    let data: Vec<_> = (0..6 * BLOCK * BLOCK)
        .map(|index| if stored(at(index).0, at(index).1) { value(index) } else { 0.0 })
        .map(f16::from_f32)
        .collect();
    Tensor::from_data(TensorData::new(data, [2 * BLOCK, 3 * BLOCK]), (device, DType::F16))
}

fn assert_close<const D: usize>(found: Tensor<D>, wanted: Tensor<D>) {
    assert_eq!(found.dims(), wanted.dims());
    let (found, wanted) = (found.into_data().convert::<f32>(), wanted.into_data().convert::<f32>());
    found.assert_approx_eq::<f32>(&wanted, Tolerance::relative(2e-3).set_absolute(2e-2));
}

#[test]
fn products_are_those_of_the_dense_matrix() {
    let device = Device::flex();
    let full = dense(&device);
    let a = BsrTensor::from_dense(full.clone(), BLOCK, 0.0).unwrap();
    assert_eq!(a.pattern().stored(), 3);
    let (x, y) = (tensor([3 * BLOCK, 24], &device), tensor([2 * BLOCK, 24], &device));
    assert_close(a.matmul(x.clone()), full.clone().matmul(x.clone()));
    assert_close(a.transposed_matmul(y.clone()), full.clone().transpose().matmul(y));
    assert_close(a.linear(x.clone().transpose()), x.transpose().matmul(full.transpose()));
}

/// A sum of F32 on the CPU and that of a kernel, in another order.
fn assert_exact<const D: usize>(found: Tensor<D>, wanted: Tensor<D>) {
    assert_eq!((found.dims(), found.dtype()), (wanted.dims(), DType::F32));
    found.into_data().assert_approx_eq::<f32>(&wanted.into_data(), Tolerance::relative(1e-6).set_absolute(1e-5));
}

#[test]
fn products_of_f32_are_exact_unless_they_may_be_rounded() {
    let device = Device::flex();
    // Elements that 11 bits do not hold.
    let uneven = |all: Tensor<2>| all.cast(DType::F32) * (1.0 + 1.0 / 4096.0);
    let full = uneven(dense(&device));
    let (x, y) = (uneven(tensor([3 * BLOCK, 24], &device)), uneven(tensor([2 * BLOCK, 24], &device)));
    let a = BsrTensor::from_dense(full.clone(), BLOCK, 0.0).unwrap();
    assert_exact(a.matmul(x.clone()), full.clone().matmul(x.clone()));
    assert_exact(a.transposed_matmul(y.clone()), full.clone().transpose().matmul(y));
    assert_exact(a.linear(x.clone().transpose()), x.clone().transpose().matmul(full.clone().transpose()));
    assert!(!a.tf32() && a.clone().with_tf32(true).tf32());
    assert_close(a.with_tf32(true).matmul(x.clone()), full.matmul(x));
}

#[test]
fn gradients_of_f32_are_those_of_the_dense_matrix() {
    let device = Device::flex().autodiff();
    let full = dense(&device).cast(DType::F32).require_grad();
    let sparse = BsrTensor::from_dense(full.clone().detach(), BLOCK, 0.0).unwrap();
    let (pattern, values) = (sparse.pattern().clone(), sparse.values().clone().require_grad());
    let layer = SparseLinear::new(BsrTensor::from_parts(pattern.clone(), values.clone()), None);
    let x = tensor([16, 3 * BLOCK], &device).cast(DType::F32).require_grad();
    let ours = layer.forward(x.clone()).sum().backward();
    let theirs = x.clone().matmul(full.clone().transpose()).sum().backward();
    assert_exact(x.grad(&ours).unwrap(), x.grad(&theirs).unwrap());
    assert_exact(layer.values.val().grad(&ours).unwrap(), stored(full.grad(&theirs).unwrap(), &pattern));
}

#[test]
fn kernels_can_be_chosen_by_measuring() {
    let device = Device::flex();
    let full = dense(&device);
    let options = ContextOptions { policy: Policy::OnMiss, cache: Cache::None, ..Default::default() };
    let a = BsrTensor::from_dense(full.clone(), BLOCK, 0.0).unwrap();
    let a = BsrGemm::with_context(a, Context::new(0, &options).unwrap()).unwrap();
    let x = tensor([3 * BLOCK, 24], &device);
    assert_close(a.matmul(x.clone()), full.clone().matmul(x.clone()));
    assert_close(a.matmul(x.clone()), full.matmul(x));
    assert_eq!(a.context().statistics().unwrap().resolved, 1);
}

/// As [`dense`], with the other half of the blocks stored.
fn other(device: &Device) -> Tensor<2> {
    tensor([2 * BLOCK, 3 * BLOCK], device) - dense(device)
}

#[test]
fn matrices_and_layers_take_other_blocks() {
    let device = Device::flex();
    let options = ContextOptions { policy: Policy::OnMiss, cache: Cache::None, ..Default::default() };
    let sparse = |full: Tensor<2>| BsrTensor::from_dense(full, BLOCK, 0.0).unwrap();
    let mut a = BsrGemm::with_context(sparse(dense(&device)), Context::new(0, &options).unwrap()).unwrap();
    let bias = tensor([2 * BLOCK], &device);
    let mut layer = SparseLinear::new(sparse(dense(&device)), Some(bias.clone()));
    let x = tensor([3 * BLOCK, 24], &device);
    a.matmul(x.clone());
    let tuned = a.context().statistics().unwrap().tuned;
    let kept = layer.bias.as_ref().unwrap().id;
    for full in [other(&device), dense(&device)] {
        a.set_matrix(sparse(full.clone())).unwrap();
        layer.set_weight(sparse(full.clone()));
        assert_close(a.matmul(x.clone()), full.clone().matmul(x.clone()));
        let wanted = x.clone().transpose().matmul(full.transpose()) + bias.clone().unsqueeze();
        assert_close(layer.forward(x.clone().transpose()), wanted);
    }
    assert_eq!(layer.bias.as_ref().unwrap().id, kept);
    assert!(tuned > 0 && a.context().statistics().unwrap().resolved == 3);
}

/// The blocks of a dense gradient that are stored.
fn stored(gradient: Tensor<2>, pattern: &Pattern) -> Tensor<3> {
    let blocks = pattern.places().map(|(i, j)| {
        gradient.clone().slice([i * BLOCK..(i + 1) * BLOCK, j * BLOCK..(j + 1) * BLOCK]).unsqueeze::<3>()
    });
    Tensor::cat(blocks.collect(), 0)
}

#[test]
fn gradients_are_those_of_the_dense_matrix() {
    let device = Device::flex().autodiff();
    let full = dense(&device).require_grad();
    let sparse = BsrTensor::from_dense(dense(&device), BLOCK, 0.0).unwrap();
    let pattern = sparse.pattern().clone();
    let values = sparse.values().clone().require_grad();
    let a = BsrTensor::from_parts(pattern.clone(), values.clone());
    let x = tensor([16, 3 * BLOCK], &device).require_grad();
    let factor = tensor([16, 2 * BLOCK], &device);

    let ours = (a.linear(x.clone()) * factor.clone()).sum().backward();
    let theirs = (x.clone().matmul(full.clone().transpose()) * factor).sum().backward();
    assert_close(x.grad(&ours).unwrap(), x.grad(&theirs).unwrap());
    assert_close(values.grad(&ours).unwrap(), stored(full.grad(&theirs).unwrap(), &pattern));

    let z = tensor([2 * BLOCK, 8], &device).require_grad();
    let ours = a.transposed_matmul(z.clone()).sum().backward();
    let theirs = full.clone().transpose().matmul(z.clone()).sum().backward();
    assert_close(z.grad(&ours).unwrap(), z.grad(&theirs).unwrap());
    assert_close(values.grad(&ours).unwrap(), stored(full.grad(&theirs).unwrap(), &pattern));
}

#[test]
fn a_layer_learns() {
    let device = Device::flex().autodiff();
    let pattern = BsrTensor::from_dense(dense(&device), BLOCK, 0.0).unwrap().pattern().clone();
    let mut layer: SparseLinear =
        SparseLinearConfig { dtype: DType::F16, ..SparseLinearConfig::new(pattern) }.init(&device).unwrap();
    assert_eq!(layer.num_params(), 3 * BLOCK * BLOCK + 2 * BLOCK);
    let (x, wanted) = (tensor([32, 3 * BLOCK], &device), tensor([32, 2 * BLOCK], &device));
    let mut losses = Vec::new();
    for _ in 0..8 {
        let error = layer.forward(x.clone()) - wanted.clone();
        let loss = (error.clone() * error).mean();
        losses.push(loss.clone().into_data().convert::<f32>().try_to_vec::<f32>().unwrap()[0]);
        let gradients = loss.backward();
        let values = layer.values.val();
        let step = Tensor::from_inner(values.grad(&gradients).unwrap()) * 0.5;
        let values = (values - step).detach().require_grad();
        layer = SparseLinear::new(BsrTensor::from_parts(layer.pattern().clone(), values), None);
    }
    assert!(losses[7] < 0.9 * losses[0], "{losses:?}");
}

#[test]
#[should_panic(expected = "F16, BF16 or F32, not F64")]
fn other_types_are_refused() {
    let device = Device::flex();
    let a = BsrTensor::from_dense(dense(&device), BLOCK, 0.0).unwrap();
    let a = BsrTensor::from_parts(a.pattern().clone(), a.values().clone().cast(DType::F64));
    a.matmul(tensor([3 * BLOCK, 4], &device).cast(DType::F64));
}
