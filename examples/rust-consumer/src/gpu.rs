//! The same product in device memory, timed over many runs.
use crate::{M, N};
use cudarc::driver::CudaContext;
use std::time::Instant;
use tilewright::bsr_spmm::{Operands, Plan, Problem};
use tilewright::{f16, Bsr, Slice, SliceMut};

const RUNS: usize = 100;

/// C, seconds of one run in the mean of `RUNS`, and the kernel.
pub fn multiply(a: &Bsr<f16>, b: &[f16]) -> Result<(Vec<f16>, f64, &'static str), Box<dyn std::error::Error>> {
    let stream = CudaContext::new(0)?.new_stream()?;
    let row_ptr = stream.clone_htod(a.row_ptr())?;
    let col_idx = stream.clone_htod(a.col_idx())?;
    let values = stream.clone_htod(a.values())?;
    let b = stream.clone_htod(b)?;
    let mut c = stream.alloc_zeros::<f16>(M * N)?;
    let plan = Plan::on(&Problem { n: N as i64, ..Problem::with_a(a) }, &stream)?;
    let mut workspace = plan.workspace_on(&stream)?;
    let mut run = || {
        let operands = Operands {
            row_ptr: Slice::on(&row_ptr, &stream),
            col_idx: Slice::on(&col_idx, &stream),
            values: Slice::on(&values, &stream),
            b: Slice::on(&b, &stream),
            c: SliceMut::on(&mut c, &stream),
            alpha: 1.0,
            ..Default::default()
        };
        plan.run_on(operands, &mut workspace, &stream)
    };
    run()?;
    stream.synchronize()?;
    let begin = Instant::now();
    for _ in 0..RUNS {
        run()?;
    }
    stream.synchronize()?;
    let seconds = begin.elapsed().as_secs_f64() / RUNS as f64;
    Ok((stream.clone_dtoh(&c)?, seconds, plan.variant()))
}
