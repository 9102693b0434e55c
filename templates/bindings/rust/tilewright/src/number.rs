//! Number types of operands.
use crate::{bf16, f16, Element, Type};

/// A number type of matrices.
pub trait Number: Element + Default + PartialEq {
    /// Its name in the library.
    const NUMBER: Type;
    /// The same number, exactly.
    fn to_f32(self) -> f32;
    /// The nearest number of this type.
    fn from_f32(value: f32) -> Self;
}

macro_rules! number {
    ($type:ty, $name:expr, $to:expr, $from:expr) => {
        impl Number for $type {
            const NUMBER: Type = $name;
            fn to_f32(self) -> f32 {
                $to(self)
            }
            fn from_f32(value: f32) -> Self {
                $from(value)
            }
        }
    };
}

number!(f16, Type::F16, f16::to_f32, f16::from_f32);
number!(bf16, Type::Bf16, bf16::to_f32, bf16::from_f32);
number!(f32, Type::F32, |value| value, |value| value);
