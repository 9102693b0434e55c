//! A block-sparse layer, its output and the gradient of its blocks.
use burn::tensor::{DType, Device, Distribution, Tensor};
use burn_sparse::{Pattern, SparseLinearConfig};

fn main() -> tilewright::Result<()> {
    let device = Device::flex().autodiff();
    // 2 x 2 blocks of 64, of which the diagonal is stored.
    let pattern = Pattern::new(128, 128, 64, vec![0, 1, 2], vec![0, 1])?;
    let layer = SparseLinearConfig { dtype: DType::F16, ..SparseLinearConfig::new(pattern) }.init(&device)?;
    let x = Tensor::<2>::random([16, 128], Distribution::Default, &device).cast(DType::F16);
    let y = layer.forward(x);
    println!("output {:?}", y.dims());
    let gradients = y.sum().backward();
    let of_blocks = layer.values.val().grad(&gradients).expect("the blocks have a gradient");
    println!("gradient of the stored blocks {:?}", of_blocks.dims());
    Ok(())
}
