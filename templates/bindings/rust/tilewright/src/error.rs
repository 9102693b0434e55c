//! What can go wrong, with the library's own sentence.
use std::ffi::CStr;
use std::fmt;
use tilewright_sys as sys;

/// A failed call. Each kind holds one sentence that says what is wrong and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An argument is missing, negative, misaligned, too short or contradicts another.
    InvalidArgument(String),
    /// Valid, but no kernel in this library serves it.
    NotSupported(String),
    /// No usable GPU or driver.
    NoDevice(String),
    /// The workspace is smaller than the plan asks for.
    WorkspaceTooSmall(String),
    /// The device refused a kernel or a copy.
    LaunchFailed(String),
    /// Host memory ran out.
    OutOfMemory(String),
    /// A defect of the library.
    Internal(String),
    /// A status that is newer than this crate.
    Unknown(u32, String),
}

/// A value, or an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The sentence.
    pub fn message(&self) -> &str {
        match self {
            Self::InvalidArgument(text)
            | Self::NotSupported(text)
            | Self::NoDevice(text)
            | Self::WorkspaceTooSmall(text)
            | Self::LaunchFailed(text)
            | Self::OutOfMemory(text)
            | Self::Internal(text)
            | Self::Unknown(_, text) => text,
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::InvalidArgument(_) => "invalid argument",
            Self::NotSupported(_) => "not supported",
            Self::NoDevice(_) => "no device",
            Self::WorkspaceTooSmall(_) => "workspace too small",
            Self::LaunchFailed(_) => "launch failed",
            Self::OutOfMemory(_) => "out of memory",
            Self::Internal(_) => "internal error of the library",
            Self::Unknown(..) => "unknown status",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.kind(), self.message())
    }
}

impl std::error::Error for Error {}

/// The status of a call as a result, with the calling thread's last sentence.
pub(crate) fn check(status: sys::tw_status) -> Result<()> {
    if status == sys::TW_STATUS_SUCCESS {
        return Ok(());
    }
    // Never null, and valid until this thread's next call that fails.
    let text = unsafe { CStr::from_ptr(sys::tw_last_error()) }.to_string_lossy().into_owned();
    Err(match status {
        sys::TW_STATUS_INVALID_ARGUMENT => Error::InvalidArgument(text),
        sys::TW_STATUS_NOT_SUPPORTED => Error::NotSupported(text),
        sys::TW_STATUS_NO_DEVICE => Error::NoDevice(text),
        sys::TW_STATUS_WORKSPACE_TOO_SMALL => Error::WorkspaceTooSmall(text),
        sys::TW_STATUS_LAUNCH_FAILED => Error::LaunchFailed(text),
        sys::TW_STATUS_OUT_OF_MEMORY => Error::OutOfMemory(text),
        sys::TW_STATUS_INTERNAL => Error::Internal(text),
        other => Error::Unknown(other, text),
    })
}

/// Each of a group after `checked`; the sentence of an error begins with the number of its call, as the library's does.
pub(crate) fn numbered<T, U>(group: impl IntoIterator<Item = T>, checked: impl Fn(T) -> Result<U>) -> Result<Vec<U>> {
    let of_call = |number: usize, error| match error {
        Error::InvalidArgument(text) => Error::InvalidArgument(format!("call {number}: {text}")),
        other => other,
    };
    group.into_iter().enumerate().map(|(number, one)| checked(one).map_err(|error| of_call(number, error))).collect()
}

/// An [`Error::InvalidArgument`] unless `holds`.
pub(crate) fn require(holds: bool, otherwise: impl FnOnce() -> String) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(Error::InvalidArgument(otherwise()))
    }
}
