//! Prints which library is linked.
use std::ffi::CStr;

fn main() {
    // The library's texts are never null and live as long as it does.
    let target = unsafe { CStr::from_ptr(tilewright_sys::tw_target()) };
    let version = unsafe { tilewright_sys::tw_version() };
    println!("tilewright {}.{}.{} ({})", version / 1_000_000, version / 1000 % 1000, version % 1000, target.to_string_lossy());
}
