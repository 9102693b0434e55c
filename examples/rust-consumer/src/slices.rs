//! The product on slices, by the emulated library, timed once.
use crate::{M, N};
use std::time::Instant;
use tilewright::bsr_spmm::{Operands, Plan, Problem};
use tilewright::{f16, Bsr, Result};

/// C, seconds of the run, and the kernel.
pub fn multiply(a: &Bsr<f16>, b: &[f16]) -> Result<(Vec<f16>, f64, &'static str)> {
    let plan = Plan::new(&Problem { n: N as i64, ..Problem::with_a(a) })?;
    let mut workspace = plan.workspace()?;
    let mut c = vec![f16::ZERO; M * N];
    let begin = Instant::now();
    plan.run(Operands { b: b.into(), c: (&mut c).into(), ..Operands::with_a(a) }, &mut workspace)?;
    Ok((c, begin.elapsed().as_secs_f64(), plan.variant()))
}
