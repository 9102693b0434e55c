//! Kernels chosen by measuring.
use crate::error::{check, require};
use crate::Result;
use std::ffi::CString;
use std::path::PathBuf;
use std::ptr::{null, null_mut, NonNull};
use std::sync::Arc;
use tilewright_sys as sys;

/// Calls in which a context measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// While a [`TuneScope`] is there, and in an operation's `tune`.
    #[default]
    Scoped,
    /// In an operation's `tune` alone.
    Replay,
    /// In the first call of a key that neither cache nor wisdom knows.
    OnMiss,
    /// In the first call of each key in this context, whatever cache and wisdom say.
    Force,
}

/// Location of the tuning records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    /// In the user's cache folder.
    #[default]
    User,
    /// In this folder.
    Folder(PathBuf),
    /// Nowhere.
    None,
}

/// Options of a context; begin with `Default`.
#[derive(Clone, Debug, Default)]
pub struct ContextOptions {
    /// Calls in which the context measures.
    pub policy: Policy,
    /// Time for the measurements of one key, in milliseconds; 0 means 100.
    pub budget_ms: i32,
    /// Only kernels that give the same bits in every run.
    pub deterministic: bool,
    /// Measures every kernel that takes the call, whatever its priority and the budget.
    pub exhaustive: bool,
    /// Location of the tuning records.
    pub cache: Cache,
    /// Device memory, in bytes, that measuring may take for a while; 0 means 1 GiB.
    pub scratch_limit: usize,
}

/// Counters of a context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Calls that were not served by what was settled already.
    pub resolved: i64,
    /// Keys settled by a record of the cache.
    pub from_cache: i64,
    /// Keys settled by the library's wisdom.
    pub from_wisdom: i64,
    /// Keys settled by measuring.
    pub tuned: i64,
    /// Kernels that took the calls of these keys.
    pub candidates: i64,
    /// Of them, those that were measured.
    pub measured: i64,
    /// Winners that the check against the reference kernel refused.
    pub rejected: i64,
    /// Chosen kernels that failed to launch and were replaced.
    pub launch_failures: i64,
    /// Files of the cache that were no valid records.
    pub damaged_records: i64,
}

/// Remembers, for one device, which kernel serves which calls, with their plans and workspaces. Clones are the same context; any
/// number of threads may use it at once.
#[derive(Clone, Debug)]
pub struct Context(Arc<Owned>);

#[derive(Debug)]
struct Owned(NonNull<sys::tw_context>);

// The library's contexts are made for many threads.
unsafe impl Send for Owned {}
unsafe impl Sync for Owned {}

impl Drop for Owned {
    fn drop(&mut self) {
        unsafe { sys::tw_context_destroy(self.0.as_ptr()) };
    }
}

impl Context {
    /// Makes a context for a device, which must be the calling thread's current one in every call with the context; 0 for the
    /// emulated library. [`crate::Error::InvalidArgument`], [`crate::Error::NoDevice`].
    pub fn new(device: i32, options: &ContextOptions) -> Result<Self> {
        let cache = match &options.cache {
            Cache::User => None,
            Cache::None => Some(CString::default()),
            Cache::Folder(folder) => Some(c_path(folder)?),
        };
        let raw = sys::tw_context_options {
            policy: match options.policy {
                Policy::Scoped => sys::TW_POLICY_SCOPED,
                Policy::Replay => sys::TW_POLICY_REPLAY,
                Policy::OnMiss => sys::TW_POLICY_ON_MISS,
                Policy::Force => sys::TW_POLICY_FORCE,
            },
            budget_ms: options.budget_ms,
            deterministic: options.deterministic.into(),
            exhaustive: options.exhaustive.into(),
            cache: cache.as_ref().map_or(null(), |text| text.as_ptr()),
            scratch_limit: options.scratch_limit,
            ..Default::default()
        };
        let mut context = null_mut();
        check(unsafe { sys::tw_context_create(device, &raw, &mut context) })?;
        let own = NonNull::new(context).ok_or_else(|| crate::Error::Internal("a context is null".into()))?;
        Ok(Self(Arc::new(Owned(own))))
    }

    /// Measures what is new, under [`Policy::Scoped`], until what is returned is dropped. Scopes may be nested and are shared by
    /// all threads.
    pub fn tune_scope(&self) -> Result<TuneScope<'_>> {
        check(unsafe { sys::tw_tune_begin(self.raw()) })?;
        Ok(TuneScope(self))
    }

    /// The context's counters so far.
    pub fn statistics(&self) -> Result<Statistics> {
        let mut raw = sys::tw_context_statistics::default();
        check(unsafe { sys::tw_context_query(self.raw(), &mut raw) })?;
        Ok(Statistics {
            resolved: raw.resolved,
            from_cache: raw.from_cache,
            from_wisdom: raw.from_wisdom,
            tuned: raw.tuned,
            candidates: raw.candidates,
            measured: raw.measured,
            rejected: raw.rejected,
            launch_failures: raw.launch_failures,
            damaged_records: raw.damaged_records,
        })
    }

    pub(crate) fn raw(&self) -> *mut sys::tw_context {
        self.0 .0.as_ptr()
    }
}

/// While it is there, a context measures.
#[derive(Debug)]
pub struct TuneScope<'a>(&'a Context);

impl Drop for TuneScope<'_> {
    fn drop(&mut self) {
        unsafe { sys::tw_tune_end(self.0.raw()) };
    }
}

fn c_path(folder: &std::path::Path) -> Result<CString> {
    use std::os::unix::ffi::OsStrExt;
    let text = CString::new(folder.as_os_str().as_bytes());
    require(text.is_ok(), || format!("the folder {} has a zero byte in its name", folder.display()))?;
    Ok(text.unwrap_or_default())
}
