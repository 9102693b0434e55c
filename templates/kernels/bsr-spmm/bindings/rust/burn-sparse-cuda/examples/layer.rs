//! A block-sparse layer on a GPU beside the dense one of Burn: output and gradients are compared, both are timed, and the same
//! product by a kernel that was chosen by measuring. Prints PASS, or what differs.
use burn::backend::{cuda::CudaDevice, Autodiff, Cuda};
use burn::tensor::backend::Backend;
use burn::tensor::{Distribution, Tensor};
use burn_sparse_cuda::{BsrGemm, BsrTensor, SparseLinear};
use half::f16;
use std::time::Instant;

type Gpu = Cuda<f16, i32>;
type Tracked = Autodiff<Gpu>;

const BLOCK: usize = 64;
const EVERY: usize = 10;
const RUNS: u32 = 50;

/// Seconds of one call in the mean, behind three that are not counted.
fn time(device: &CudaDevice, mut call: impl FnMut() -> Tensor<Gpu, 2>) -> f64 {
    for _ in 0..3 {
        call();
    }
    Gpu::sync(device).expect("the device answers");
    let begin = Instant::now();
    for _ in 0..RUNS {
        call();
    }
    Gpu::sync(device).expect("the device answers");
    begin.elapsed().as_secs_f64() / f64::from(RUNS)
}

/// A weight of which every `EVERY`-th block is not zero.
fn weight(outputs: usize, inputs: usize, device: &CudaDevice) -> Tensor<Gpu, 2> {
    let stored = |i: usize, j: usize| (i / BLOCK + j / BLOCK).is_multiple_of(EVERY);
    let mask: Vec<f16> = (0..outputs * inputs)
        .map(|at| if stored(at / inputs, at % inputs) { f16::ONE } else { f16::ZERO })
        .collect();
    let mask = Tensor::<Gpu, 1>::from_data(mask.as_slice(), device).reshape([outputs, inputs]);
    Tensor::random([outputs, inputs], Distribution::Uniform(-1.0, 1.0), device) * mask
}

/// Largest difference, as a share of the largest element.
fn apart(one: Tensor<Gpu, 2>, other: Tensor<Gpu, 2>) -> f32 {
    let largest = |of: Tensor<Gpu, 2>| of.abs().max().into_scalar().to_f32();
    largest(one - other.clone()) / largest(other)
}

/// Output and gradients of a small layer against those of the dense one, and the output of its weight where a context chooses the
/// kernel: shares of the largest elements.
fn differences(device: &CudaDevice) -> tilewright::Result<[f32; 4]> {
    let (outputs, inputs, n) = (5 * BLOCK, 7 * BLOCK, 24);
    let dense = weight(outputs, inputs, device);
    let x = Tensor::<Gpu, 2>::random([n, inputs], Distribution::Uniform(-1.0, 1.0), device);
    let tuned = BsrGemm::auto_tuned(BsrTensor::<Gpu>::from_dense(dense.clone(), BLOCK, 0.0)?)?;
    let tuned = tuned.matrix().linear(x.clone());
    let matrix = BsrTensor::<Tracked>::from_dense(Tensor::from_inner(dense.clone()), BLOCK, 0.0)?;
    let pattern = matrix.pattern().clone();
    let layer = SparseLinear::new(matrix, None);
    let tracked = Tensor::<Tracked, 2>::from_inner(x.clone()).require_grad();
    let y = layer.forward(tracked.clone());
    let gradients = y.clone().sum().backward();
    let wanted_weight = Tensor::<Tracked, 2>::from_inner(dense).require_grad();
    let wanted_x = Tensor::<Tracked, 2>::from_inner(x).require_grad();
    let wanted = wanted_x.clone().matmul(wanted_weight.clone().transpose());
    let wanted_gradients = wanted.clone().sum().backward();
    let of_blocks = layer.values.val().grad(&gradients).expect("the blocks have a gradient");
    let of_weight = wanted_weight.grad(&wanted_gradients).expect("the weight has a gradient");
    let ends = pattern.row_ptr().windows(2).enumerate();
    let places: Vec<_> = ends
        .flat_map(|(i, ends)| (ends[0]..ends[1]).map(move |at| (i, at as usize)))
        .map(|(i, at)| (i * BLOCK, pattern.col_idx()[at] as usize * BLOCK))
        .collect();
    let wanted_blocks = places.iter().map(|&(i, j)| of_weight.clone().slice([i..i + BLOCK, j..j + BLOCK])).collect();
    let found_blocks = of_blocks.reshape([pattern.stored() * BLOCK, BLOCK]);
    Ok([
        apart(y.inner(), wanted.clone().inner()),
        apart(tracked.grad(&gradients).expect("x has a gradient"), wanted_x.grad(&wanted_gradients).expect("so has this")),
        apart(found_blocks, Tensor::cat(wanted_blocks, 0)),
        apart(tuned, wanted.inner()),
    ])
}

fn main() -> tilewright::Result<()> {
    let device = CudaDevice::default();
    let found = differences(&device)?;
    let [output, of_x, of_blocks, tuned] = found;
    println!("largest differences from the dense layer: output {output:.1e}, {tuned:.1e} by a measured kernel");
    println!("  gradient of x {of_x:.1e}, of the blocks {of_blocks:.1e}");
    let (outputs, inputs) = (14336, 4096);
    let dense = weight(outputs, inputs, &device);
    let matrix = BsrTensor::<Gpu>::from_dense(dense.clone(), BLOCK, 0.0)?;
    let tuned = BsrGemm::auto_tuned(matrix.clone())?;
    let layer = SparseLinear::new(matrix, None);
    let transposed = dense.transpose();
    for n in [16, 2048] {
        let x = Tensor::<Gpu, 2>::random([n, inputs], Distribution::Uniform(-1.0, 1.0), &device);
        let sparse = time(&device, || layer.forward(x.clone()));
        let measured = time(&device, || tuned.matrix().linear(x.clone()));
        let full = time(&device, || x.clone().matmul(transposed.clone()));
        let [sparse, measured, full] = [sparse, measured, full].map(|seconds| seconds * 1e6);
        println!("{n} x {inputs} x {outputs}: {sparse:.1} us, {measured:.1} us by a measured kernel");
        println!("  dense by Burn {full:.1} us, {:.2}x", full / sparse);
    }
    let passed = found.iter().all(|&one| one < 4e-3);
    println!("{}", if passed { "PASS" } else { "FAIL" });
    std::process::exit(i32::from(!passed));
}
