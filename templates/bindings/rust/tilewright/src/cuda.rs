//! Operands in device memory of `cudarc`, which orders work on them between streams by events.
use crate::memory::{Bound, Place};
use crate::{Element, Error, Result, Slice, SliceMut, Stream};
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DriverError};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

impl<'a> Slice<'a> {
    /// Device memory, to be read on this stream.
    pub fn on<T: Element>(memory: &'a impl DevicePtr<T>, stream: &'a CudaStream) -> Self {
        let (address, guard) = memory.device_ptr(stream);
        Self::guarded::<T>(address, memory.len(), handle(stream), guard)
    }
}

impl<'a> SliceMut<'a> {
    /// Device memory, to be written on this stream.
    pub fn on<T: Element>(memory: &'a mut impl DevicePtrMut<T>, stream: &'a CudaStream) -> Self {
        let elements = memory.len();
        let (address, guard) = memory.device_ptr_mut(stream);
        Self::guarded::<T>(address, elements, handle(stream), guard)
    }
}

/// Device memory that a run needs beside its operands. One run at a time.
#[derive(Debug)]
pub struct DeviceWorkspace {
    memory: Option<CudaSlice<u8>>,
    bound: Bound,
}

impl DeviceWorkspace {
    /// `prepare` is called where there is anything to prepare.
    pub(crate) fn new(
        stream: &Arc<CudaStream>,
        bytes: usize,
        bound: Bound,
        prepare: impl FnOnce(*mut c_void, usize, Stream) -> Result<()>,
    ) -> Result<Self> {
        bind(stream)?;
        if bytes == 0 {
            return Ok(Self { memory: None, bound });
        }
        let memory = Some(stream.alloc_zeros::<u8>(bytes).map_err(failed)?);
        let mut workspace = Self { memory, bound };
        workspace.with(stream, prepare)?;
        Ok(workspace)
    }

    pub(crate) fn check(&self, plan: Bound) -> Result<()> {
        self.bound.check(self.memory.as_ref().map_or(0, CudaSlice::len), plan)
    }

    pub(crate) fn bind(&mut self, plan: Bound) {
        self.bound = plan;
    }

    pub(crate) fn with(
        &mut self,
        stream: &CudaStream,
        body: impl FnOnce(*mut c_void, usize, Stream) -> Result<()>,
    ) -> Result<()> {
        let own = stream_of(stream);
        match &mut self.memory {
            None => body(null_mut(), 0, own),
            Some(memory) => {
                let bytes = memory.len();
                let (address, _guard) = memory.device_ptr_mut(stream);
                body(address as usize as *mut c_void, bytes, own)
            }
        }
    }
}

/// Makes the stream's context the thread's own, as the library expects it; returns where its operands lie.
pub(crate) fn bind(stream: &CudaStream) -> Result<Place> {
    stream.context().bind_to_thread().map_err(failed)?;
    Ok(Place::Stream(handle(stream)))
}

pub(crate) fn stream_of(stream: &CudaStream) -> Stream {
    Stream(stream.cu_stream().cast())
}

/// The stream and its GPU: the default streams of all GPUs have one handle.
fn handle(stream: &CudaStream) -> (usize, usize) {
    (stream.cu_stream() as usize, stream.context().ordinal())
}

fn failed(error: DriverError) -> Error {
    Error::LaunchFailed(error.to_string())
}
