//! The product on slices, by the emulated library, timed once.
use crate::{Done, M, N};
use std::time::Instant;
use tilewright::bsr_spmm::{Operands, Plan, Problem};
use tilewright::{f16, Bsr, Result};

pub fn multiply(a: &Bsr<f16>, b: &[f16]) -> Result<Done> {
    let plan = Plan::new(&Problem { n: N as i64, ..Problem::with_a(a) })?;
    let mut workspace = plan.workspace()?;
    let mut c = vec![f16::ZERO; M * N];
    let begin = Instant::now();
    plan.run(Operands { b: b.into(), c: (&mut c).into(), ..Operands::with_a(a) }, &mut workspace)?;
    Ok(Done { c, seconds: begin.elapsed().as_secs_f64(), dense: None, variant: plan.variant() })
}
