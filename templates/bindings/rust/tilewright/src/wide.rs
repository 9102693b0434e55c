//! Sizes in arithmetic that cannot overflow: shapes are computed before the library has checked what they are made of.
use std::cmp::Ordering;
use std::ops::{Add, Div, Mul, Sub};

/// An integer that stays at its limits; a division by zero gives zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wide(i128);

pub(crate) fn wide(value: i64) -> Wide {
    Wide(value.into())
}

impl Wide {
    /// As a number of elements; none where it is negative.
    pub(crate) fn elements(self) -> usize {
        usize::try_from(self.0.max(0)).unwrap_or(usize::MAX)
    }

    /// `self` where it is not zero: zero stands for `packed`.
    pub(crate) fn or(self, packed: Wide) -> Wide {
        if self.0 == 0 {
            packed
        } else {
            self
        }
    }
}

/// Elements from the first to the last of `lines` lines of `width` that begin `pitch` apart.
pub(crate) fn touched(lines: Wide, width: Wide, pitch: Wide) -> Wide {
    if lines <= 0 || width <= 0 {
        return Wide(0);
    }
    (lines - 1) * pitch + width
}

macro_rules! operator {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $body:expr) => {
        impl $trait for Wide {
            type Output = Wide;
            fn $method(self, other: Wide) -> Wide {
                let ($a, $b) = (self.0, other.0);
                Wide($body)
            }
        }
        impl $trait<i128> for Wide {
            type Output = Wide;
            fn $method(self, other: i128) -> Wide {
                $trait::$method(self, Wide(other))
            }
        }
        impl $trait<Wide> for i128 {
            type Output = Wide;
            fn $method(self, other: Wide) -> Wide {
                $trait::$method(Wide(self), other)
            }
        }
    };
}

operator!(Add, add, |a, b| a.saturating_add(b));
operator!(Sub, sub, |a, b| a.saturating_sub(b));
operator!(Mul, mul, |a, b| a.saturating_mul(b));
operator!(Div, div, |a, b| a.checked_div(b).unwrap_or(0));

impl PartialEq<i128> for Wide {
    fn eq(&self, other: &i128) -> bool {
        self.0 == *other
    }
}

impl PartialOrd<i128> for Wide {
    fn partial_cmp(&self, other: &i128) -> Option<Ordering> {
        self.0.partial_cmp(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_overflows_nor_divides_by_zero() {
        let most = wide(i64::MAX);
        assert!(most * most * most > 0);
        assert_eq!((wide(1) / wide(0) + 1).elements(), 1);
        assert_eq!(wide(-3).elements(), 0);
        assert_eq!((most * most).elements(), usize::MAX);
    }

    #[test]
    fn the_last_line_has_no_padding() {
        assert_eq!(touched(wide(3), wide(4), wide(10)).elements(), 24);
        assert_eq!(touched(wide(0), wide(4), wide(10)).elements(), 0);
    }
}
