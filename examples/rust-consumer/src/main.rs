//! Multiplies a block-sparse matrix by a dense one and compares it with a plain loop. Prints the time of a product.
use tilewright::{f16, Bsr};

#[cfg(feature = "cuda")]
mod gpu;
#[cfg(feature = "cuda")]
use gpu::multiply;
#[cfg(not(feature = "cuda"))]
mod slices;
#[cfg(not(feature = "cuda"))]
use slices::multiply;

/// A is `M` x `K` in blocks of `BLOCK`, of which every `EVERY`-th is stored; B is `K` x `N`.
const M: usize = if cfg!(feature = "cuda") { 4096 } else { 512 };
const K: usize = M;
const N: usize = if cfg!(feature = "cuda") { 4096 } else { 64 };
const BLOCK: usize = 64;
const EVERY: usize = 8;

/// A product: C, seconds of a run and of the dense one where that was timed, and the kernel.
struct Done {
    c: Vec<f16>,
    seconds: f64,
    dense: Option<f64>,
    variant: &'static str,
}

fn value(index: usize) -> f16 {
    f16::from_f32((index % 7) as f32 - 3.0)
}

fn matrix() -> tilewright::Result<Bsr<f16>> {
    let stored = |row: usize, column: usize| (row / BLOCK + column / BLOCK) % EVERY == 0;
    let dense: Vec<_> = (0..M * K)
        .map(|index| if stored(index / K, index % K) { value(index) } else { f16::ZERO })
        .collect();
    Bsr::from_dense(&dense, M, K, BLOCK, 0.0)
}

/// Elements of C that are off by more than one rounding to f16, of some rows.
fn count_wrong(a: &Bsr<f16>, b: &[f16], c: &[f16]) -> usize {
    let mut wanted = vec![0.0_f32; M * N];
    let rows = (M / 16).max(BLOCK);
    let b: Vec<f32> = b.iter().map(|&one| one.into()).collect();
    for (i, j, block) in a.blocks().filter(|(i, ..)| i * BLOCK < rows) {
        for (index, &factor) in block.iter().enumerate() {
            let (row, column) = (i * BLOCK + index / BLOCK, j * BLOCK + index % BLOCK);
            let factor = f32::from(factor);
            for n in 0..N {
                wanted[row * N + n] += factor * b[column * N + n];
            }
        }
    }
    let pairs = wanted.iter().zip(c).take(rows * N);
    pairs.filter(|(want, got)| (f32::from(**got) - **want).abs() > 5e-4 * want.abs() + 1e-3).count()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a = matrix()?;
    let b: Vec<f16> = (0..K * N).map(value).collect();
    let Done { c, seconds, dense, variant } = multiply(&a, &b)?;
    let wrong = count_wrong(&a, &b, &c);
    let flops = 2.0 * (a.stored() * BLOCK * BLOCK * N) as f64;
    println!("{:?}: {:.1} us, {:.2e} FLOP/s of stored blocks, by {variant}", tilewright::target(), seconds * 1e6, flops / seconds);
    if let Some(dense) = dense {
        println!("cuBLAS on the dense matrix: {:.1} us, {:.2}x", dense * 1e6, dense / seconds);
    }
    println!("{}", if wrong == 0 { "PASS".into() } else { format!("FAIL: {wrong} elements differ") });
    std::process::exit(i32::from(wrong > 0));
}
