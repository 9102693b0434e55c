//! Operands: elements of a type that is known at run time, in memory that the linked library reaches.
use crate::error::require;
use crate::wide::{wide, Wide};
use crate::{bf16, f16, target, Error, Index, Result, Target, Type};
use std::alloc::{alloc_zeroed, dealloc, handle_alloc_error, Layout};
use std::ffi::c_void;
use std::ptr::{null, null_mut, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};
use tilewright_sys::tw_stream;

/// Type of an operand's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// A number.
    Type(Type),
    /// An index.
    Index(Index),
}

impl From<Type> for ElementType {
    fn from(own: Type) -> Self {
        Self::Type(own)
    }
}

impl From<Index> for ElementType {
    fn from(own: Index) -> Self {
        Self::Index(own)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that operands are made of.
pub trait Element: sealed::Sealed + Copy + Send + Sync + 'static {
    /// Its name in the library.
    const TYPE: ElementType;
}

macro_rules! element {
    ($($type:ty => $name:expr),* $(,)?) => {
        $(
            impl sealed::Sealed for $type {}
            impl Element for $type {
                const TYPE: ElementType = $name;
            }
        )*
    };
}

element! {
    f16 => ElementType::Type(Type::F16),
    bf16 => ElementType::Type(Type::Bf16),
    f32 => ElementType::Type(Type::F32),
    i32 => ElementType::Index(Index::I32),
    i64 => ElementType::Index(Index::I64),
}

/// Guard that orders an operand with other work on it, until it is dropped.
#[cfg(feature = "cudarc")]
pub(crate) type Guard<'a> = Option<cudarc::driver::SyncOnDrop<'a>>;
#[cfg(not(feature = "cudarc"))]
pub(crate) type Guard<'a> = std::marker::PhantomData<&'a ()>;

/// Location of an operand, which decides what is safe to do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Memory of this process.
    Host,
    /// Memory of a device, ordered by its own guard with work on this stream: its handle and its GPU's number.
    #[cfg_attr(not(feature = "cudarc"), allow(dead_code))]
    Stream((usize, usize)),
    /// An address that the caller answers for.
    Raw,
}

/// An operand that is read.
pub struct Slice<'a> {
    pub(crate) address: *const c_void,
    elements: usize,
    element: Option<ElementType>,
    pub(crate) place: Place,
    _guard: Guard<'a>,
}

/// An operand that is written.
pub struct SliceMut<'a> {
    pub(crate) address: *mut c_void,
    elements: usize,
    element: Option<ElementType>,
    pub(crate) place: Place,
    _guard: Guard<'a>,
}

impl Default for Slice<'_> {
    /// No elements.
    fn default() -> Self {
        Self { address: null(), elements: 0, element: None, place: Place::Host, _guard: Guard::default() }
    }
}

impl Default for SliceMut<'_> {
    /// No elements.
    fn default() -> Self {
        Self { address: null_mut(), elements: 0, element: None, place: Place::Host, _guard: Guard::default() }
    }
}

impl<'a, T: Element> From<&'a [T]> for Slice<'a> {
    fn from(all: &'a [T]) -> Self {
        Self {
            address: all.as_ptr().cast(),
            elements: all.len(),
            element: Some(T::TYPE),
            place: Place::Host,
            _guard: Guard::default(),
        }
    }
}

impl<'a, T: Element> From<&'a Vec<T>> for Slice<'a> {
    fn from(all: &'a Vec<T>) -> Self {
        all.as_slice().into()
    }
}

impl<'a, T: Element> From<&'a mut [T]> for SliceMut<'a> {
    fn from(all: &'a mut [T]) -> Self {
        Self {
            address: all.as_mut_ptr().cast(),
            elements: all.len(),
            element: Some(T::TYPE),
            place: Place::Host,
            _guard: Guard::default(),
        }
    }
}

impl<'a, T: Element> From<&'a mut Vec<T>> for SliceMut<'a> {
    fn from(all: &'a mut Vec<T>) -> Self {
        all.as_mut_slice().into()
    }
}

impl Slice<'_> {
    /// `elements` elements of type `T` at an address of the device.
    ///
    /// # Safety
    /// They must be there, on the device that the plan was made for, until the stream has passed the run; nobody may write to
    /// them meanwhile.
    pub unsafe fn from_raw<T: Element>(address: u64, elements: usize) -> Self {
        let address = address as usize as *const c_void;
        Self { address, elements, element: Some(T::TYPE), place: Place::Raw, _guard: Guard::default() }
    }

    #[cfg(feature = "cudarc")]
    pub(crate) fn guarded<T: Element>(
        address: u64,
        elements: usize,
        stream: (usize, usize),
        guard: cudarc::driver::SyncOnDrop<'_>,
    ) -> Slice<'_> {
        let address = address as usize as *const c_void;
        Slice { address, elements, element: Some(T::TYPE), place: Place::Stream(stream), _guard: Some(guard) }
    }

    pub(crate) fn check(&self, name: &str, wanted: Wanted) -> Result<()> {
        wanted.check(name, self.element, self.elements)
    }

    /// Looks at an index array that lies on the host, whose length and type have been checked.
    pub(crate) fn check_indices(&self, name: &str, wanted: Wanted, meaning: Meaning) -> Result<()> {
        if self.place != Place::Host || wanted.elements == 0 {
            return Ok(());
        }
        match wanted.element {
            ElementType::Index(Index::I64) => meaning.check(name, unsafe { self.first::<i64>(wanted.elements) }),
            _ => meaning.check(name, unsafe { self.first::<i32>(wanted.elements) }),
        }
    }

    /// # Safety
    /// There must be as many elements of this type, on the host.
    unsafe fn first<T>(&self, elements: usize) -> &[T] {
        unsafe { std::slice::from_raw_parts(self.address.cast(), elements) }
    }
}

impl SliceMut<'_> {
    /// `elements` elements of type `T` at an address of the device.
    ///
    /// # Safety
    /// They must be there, on the device that the plan was made for, until the stream has passed the run; nobody may read or
    /// write them meanwhile.
    pub unsafe fn from_raw<T: Element>(address: u64, elements: usize) -> Self {
        let address = address as usize as *mut c_void;
        Self { address, elements, element: Some(T::TYPE), place: Place::Raw, _guard: Guard::default() }
    }

    #[cfg(feature = "cudarc")]
    pub(crate) fn guarded<T: Element>(
        address: u64,
        elements: usize,
        stream: (usize, usize),
        guard: cudarc::driver::SyncOnDrop<'_>,
    ) -> SliceMut<'_> {
        let address = address as usize as *mut c_void;
        SliceMut { address, elements, element: Some(T::TYPE), place: Place::Stream(stream), _guard: Some(guard) }
    }

    pub(crate) fn check(&self, name: &str, wanted: Wanted) -> Result<()> {
        wanted.check(name, self.element, self.elements)
    }
}

/// A plan's requirements on an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub elements: usize,
    pub element: ElementType,
}

impl Wanted {
    fn check(self, name: &str, element: Option<ElementType>, elements: usize) -> Result<()> {
        require(elements >= self.elements, || {
            format!("{name} has {elements} elements, the problem needs {}", self.elements)
        })?;
        require(element.is_none_or(|own| own == self.element), || {
            format!("{name} has elements of {:?}, the problem says {:?}", element, self.element)
        })
    }
}

/// Range of an index array's elements. A kernel goes where they say: on the host that would be anywhere in the program's memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Meaning {
    /// From 0 to this number, none below the one before.
    Offsets(Wide),
    /// From 0 to below this number.
    Below(Wide),
}

impl Meaning {
    fn check<T: Copy + Into<i64>>(self, name: &str, all: &[T]) -> Result<()> {
        let number = |index: usize| wide(all[index].into());
        match self {
            Self::Offsets(total) => {
                let whole = !all.is_empty() && number(0) == 0 && number(all.len() - 1) == total;
                require(whole && (1..all.len()).all(|index| number(index - 1) <= number(index)), || {
                    format!("{name} does not run from 0 to the number of blocks, upwards")
                })
            }
            Self::Below(end) => require((0..all.len()).all(|index| number(index) >= 0 && number(index) < end), || {
                format!("{name} has numbers outside of the matrix")
            }),
        }
    }
}

/// A host copy of an index array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indices<'a> {
    /// 32 bits each.
    I32(&'a [i32]),
    /// 64 bits each.
    I64(&'a [i64]),
}

impl<'a> From<&'a [i32]> for Indices<'a> {
    fn from(all: &'a [i32]) -> Self {
        Self::I32(all)
    }
}

impl<'a> From<&'a [i64]> for Indices<'a> {
    fn from(all: &'a [i64]) -> Self {
        Self::I64(all)
    }
}

impl Indices<'_> {
    pub(crate) fn address(self) -> *const c_void {
        match self {
            Self::I32(all) => all.as_ptr().cast(),
            Self::I64(all) => all.as_ptr().cast(),
        }
    }

    pub(crate) fn index(self) -> Index {
        match self {
            Self::I32(_) => Index::I32,
            Self::I64(_) => Index::I64,
        }
    }

    pub(crate) fn check(self, name: &str, wanted: Wanted) -> Result<()> {
        let elements = match self {
            Self::I32(all) => all.len(),
            Self::I64(all) => all.len(),
        };
        wanted.check(name, Some(self.index().into()), elements)
    }
}

/// An index array that stays where it is.
#[derive(Debug)]
pub(crate) enum OwnedIndices {
    I32(Vec<i32>),
    I64(Vec<i64>),
}

impl From<Indices<'_>> for OwnedIndices {
    fn from(all: Indices<'_>) -> Self {
        match all {
            Indices::I32(all) => Self::I32(all.to_vec()),
            Indices::I64(all) => Self::I64(all.to_vec()),
        }
    }
}

impl OwnedIndices {
    pub(crate) fn index(&self) -> Index {
        match self {
            Self::I32(_) => Index::I32,
            Self::I64(_) => Index::I64,
        }
    }

    pub(crate) fn address(&self) -> *const c_void {
        match self {
            Self::I32(all) => all.as_ptr().cast(),
            Self::I64(all) => all.as_ptr().cast(),
        }
    }
}

/// A CUDA stream by its handle; the emulated library ignores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(pub(crate) tw_stream);

impl Stream {
    /// The default stream.
    pub(crate) fn none() -> Self {
        Self(null_mut())
    }

    /// A `cudaStream_t` or `CUstream` as an address; 0 is the default stream.
    ///
    /// # Safety
    /// It must be a stream of the device that the plan was made for, for as long as it is used.
    pub unsafe fn from_raw(handle: usize) -> Self {
        Self(handle as tw_stream)
    }
}

/// A plan with one of its problems, which the contents of a workspace belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound(u64);

impl Bound {
    /// Equal to no other.
    pub(crate) fn new() -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        Self(MADE.fetch_add(1, Ordering::Relaxed))
    }

    /// [`Error::InvalidArgument`] for a workspace of another plan or problem. One of no bytes is anyone's.
    pub(crate) fn check(self, bytes: usize, plan: Self) -> Result<()> {
        require(bytes == 0 || self == plan, || {
            "the workspace belongs to another plan, or to its problem before a replan: ask the plan for a new one".into()
        })
    }
}

/// Bytes; what the library asks for.
const ALIGNMENT: usize = 256;

/// Host memory that a run of the emulated library needs beside its operands. One run at a time.
#[derive(Debug)]
pub struct Workspace {
    memory: NonNull<u8>,
    bytes: usize,
    bound: Bound,
}

// It owns its memory.
unsafe impl Send for Workspace {}
unsafe impl Sync for Workspace {}

impl Workspace {
    pub(crate) fn new(bytes: usize, bound: Bound) -> Result<Self> {
        must_be_emulated()?;
        let Some(layout) = Self::layout(bytes) else {
            return Ok(Self { memory: NonNull::dangling(), bytes: 0, bound });
        };
        let memory = NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        Ok(Self { memory, bytes, bound })
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn check(&self, plan: Bound) -> Result<()> {
        self.bound.check(self.bytes, plan)
    }

    pub(crate) fn bind(&mut self, plan: Bound) {
        self.bound = plan;
    }

    pub(crate) fn address(&mut self) -> *mut c_void {
        if self.bytes == 0 {
            null_mut()
        } else {
            self.memory.as_ptr().cast()
        }
    }

    /// Of memory that is there at all.
    fn layout(bytes: usize) -> Option<Layout> {
        (bytes > 0).then(|| Layout::from_size_align(bytes, ALIGNMENT).expect("a workspace fits into memory"))
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if let Some(layout) = Self::layout(self.bytes) {
            unsafe { dealloc(self.memory.as_ptr(), layout) };
        }
    }
}

/// Slices are no memory that a GPU reaches.
pub(crate) fn must_be_emulated() -> Result<()> {
    match target() {
        Target::Emulated => Ok(()),
        Target::Cuda => Err(Error::InvalidArgument(
            "slices and host workspaces are for the emulated library, and the one for NVIDIA GPUs is linked: call \
             `Plan::enqueue` with device memory, or leave out the feature `cuda`"
                .into(),
        )),
    }
}
