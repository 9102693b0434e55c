//! The library that is linked, and its devices.
use crate::error::check;
use crate::Result;
use std::ffi::{c_char, CStr};
use tilewright_sys as sys;

/// Target on which kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// On the CPU, on slices; a run has finished when its call returns.
    Emulated,
    /// On NVIDIA GPUs, on device memory.
    Cuda,
}

/// The one of the two libraries that is linked.
pub fn target() -> Target {
    if text(unsafe { sys::tw_target() }) == "cuda" {
        Target::Cuda
    } else {
        Target::Emulated
    }
}

/// Version of the library: major, minor, patch.
pub fn version() -> (u32, u32, u32) {
    let number = unsafe { sys::tw_version() };
    (number / 1_000_000, number / 1000 % 1000, number % 1000)
}

/// The library's manifest as JSON: its kernels, why each was chosen, where and when it was made.
pub fn manifest() -> &'static str {
    text(unsafe { sys::tw_manifest() })
}

/// Number of devices: 1 for the emulated library.
pub fn device_count() -> Result<usize> {
    let mut count = 0;
    check(unsafe { sys::tw_device_count(&mut count) })?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// A device that kernels run on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// E.g. `NVIDIA H200`.
    pub name: String,
    /// 10 * major + minor.
    pub compute_capability: i32,
    /// Streaming multiprocessors.
    pub multiprocessors: i32,
}

/// Describes a device.
pub fn device(number: i32) -> Result<Device> {
    let mut info = sys::tw_device_info {
        struct_size: std::mem::size_of::<sys::tw_device_info>(),
        name: [0; 256],
        compute_capability: 0,
        multiprocessors: 0,
    };
    check(unsafe { sys::tw_device_query(number, &mut info) })?;
    let name = unsafe { CStr::from_ptr(info.name.as_ptr()) }.to_string_lossy().into_owned();
    Ok(Device { name, compute_capability: info.compute_capability, multiprocessors: info.multiprocessors })
}

/// A text of the library: never null, static, ASCII or UTF-8.
pub(crate) fn text(pointer: *const c_char) -> &'static str {
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("")
}
