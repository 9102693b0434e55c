//! The same product in device memory, timed over many runs, beside cuBLAS on the dense matrix.
use crate::{Done, M, N};
use cudarc::cublas::{sys, CudaBlas, Gemm, GemmConfig};
use cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use std::sync::Arc;
use std::time::Instant;
use tilewright::bsr_spmm::{Operands, Plan, Problem};
use tilewright::{f16, Bsr, Slice, SliceMut};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const RUNS: usize = 100;

/// Seconds of one run in the mean of `RUNS`, behind one that is not counted.
fn time(stream: &CudaStream, mut run: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    run()?;
    stream.synchronize()?;
    let begin = Instant::now();
    for _ in 0..RUNS {
        run()?;
    }
    stream.synchronize()?;
    Ok(begin.elapsed().as_secs_f64() / RUNS as f64)
}

/// Seconds of cuBLAS for M x M by M x M, with `matrix` in the place of both; none where there is no cuBLAS to load.
fn time_dense(stream: &Arc<CudaStream>, matrix: &CudaSlice<f16>) -> Outcome<Option<f64>> {
    if !unsafe { sys::is_culib_present() } {
        return Ok(None);
    }
    let blas = CudaBlas::new(stream.clone())?;
    let mut result = stream.alloc_zeros::<f16>(M * M)?;
    let (plain, side) = (sys::cublasOperation_t::CUBLAS_OP_N, M as i32);
    let of = || GemmConfig {
        transa: plain,
        transb: plain,
        m: side,
        n: side,
        k: side,
        alpha: f16::ONE,
        lda: side,
        ldb: side,
        beta: f16::ZERO,
        ldc: side,
    };
    Ok(Some(time(stream, || Ok(unsafe { blas.gemm(of(), matrix, matrix, &mut result) }?))?))
}

pub fn multiply(a: &Bsr<f16>, b: &[f16]) -> Outcome<Done> {
    if !unsafe { cudarc::driver::sys::is_culib_present() } {
        return Err("there is no NVIDIA driver: run without `--features cuda` for the emulated device".into());
    }
    let stream = CudaContext::new(0)?.new_stream()?;
    let row_ptr = stream.clone_htod(a.row_ptr())?;
    let col_idx = stream.clone_htod(a.col_idx())?;
    let values = stream.clone_htod(a.values())?;
    let b = stream.clone_htod(b)?;
    let mut c = stream.alloc_zeros::<f16>(M * N)?;
    let plan = Plan::on(&Problem { n: N as i64, ..Problem::with_a(a) }, &stream)?;
    let mut workspace = plan.workspace_on(&stream)?;
    let seconds = time(&stream, || {
        let operands = Operands {
            row_ptr: Slice::on(&row_ptr, &stream),
            col_idx: Slice::on(&col_idx, &stream),
            values: Slice::on(&values, &stream),
            b: Slice::on(&b, &stream),
            c: SliceMut::on(&mut c, &stream),
            alpha: 1.0,
            ..Default::default()
        };
        Ok(plan.run_on(operands, &mut workspace, &stream)?)
    })?;
    Ok(Done { c: stream.clone_dtoh(&c)?, seconds, dense: time_dense(&stream, &b)?, variant: plan.variant() })
}
