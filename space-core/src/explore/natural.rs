//! Counts beyond machine words.
#![allow(
    clippy::cast_possible_truncation,
    reason = "a remainder fits its divisor's type"
)]

use std::fmt;

/// A natural number of any size: what counting the states of a product takes.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Natural {
    /// Digits to the base [`BASE`], least first, the last one not zero.
    digits: Vec<u64>,
}

/// Decimal, so that printing is copying.
const BASE: u64 = 1_000_000_000_000_000_000;

impl Natural {
    /// Adds a number.
    pub fn add(&mut self, other: &Self) {
        if self.digits.len() < other.digits.len() {
            self.digits.resize(other.digits.len(), 0);
        }
        let mut carry = 0;
        for (at, digit) in self.digits.iter_mut().enumerate() {
            let sum = *digit + other.digits.get(at).unwrap_or(&0) + carry;
            carry = sum / BASE;
            *digit = sum % BASE;
        }
        if carry > 0 {
            self.digits.push(carry);
        }
    }

    /// This number times another.
    #[must_use]
    pub fn times(&self, factor: u64) -> Self {
        let mut digits = Vec::with_capacity(self.digits.len() + 2);
        let mut carry = 0u128;
        for digit in &self.digits {
            let product = u128::from(*digit) * u128::from(factor) + carry;
            digits.push((product % u128::from(BASE)) as u64);
            carry = product / u128::from(BASE);
        }
        while carry > 0 {
            digits.push((carry % u128::from(BASE)) as u64);
            carry /= u128::from(BASE);
        }
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Self { digits }
    }

    /// This number times another of any size.
    #[must_use]
    pub fn times_all(&self, other: &Self) -> Self {
        let mut product = Self::default();
        for (at, digit) in other.digits.iter().enumerate() {
            let mut part = self.times(*digit);
            if !part.digits.is_empty() {
                part.digits.splice(0..0, std::iter::repeat_n(0, at));
            }
            product.add(&part);
        }
        product
    }

    /// The memory that it takes.
    pub fn bytes(&self) -> u64 {
        (size_of::<Self>() + 8 * self.digits.len()) as u64
    }

    /// The number, when it is less than 2⁶⁴.
    pub fn to_u64(&self) -> Option<u64> {
        match self.digits.as_slice() {
            [] => Some(0),
            [low] => Some(*low),
            [low, high] => high.checked_mul(BASE)?.checked_add(*low),
            _ => None,
        }
    }

    /// About the number; infinite when it is too large.
    #[allow(clippy::cast_precision_loss, reason = "about")]
    pub fn to_f64(&self) -> f64 {
        let digits = self.digits.iter().rev();
        digits.fold(0.0, |sum, digit| sum * BASE as f64 + *digit as f64)
    }

    /// This number as a share of another. Exact enough for numbers too large for `f64`.
    #[allow(clippy::cast_precision_loss, reason = "a share")]
    pub fn share_of(&self, whole: &Self) -> f64 {
        let top = whole.digits.len().saturating_sub(3);
        let about = |number: &Self| {
            let digits = number.digits.iter().skip(top).rev();
            digits.fold(0.0, |sum, digit| sum * BASE as f64 + *digit as f64)
        };
        if whole.digits.is_empty() {
            1.0
        } else {
            about(self) / about(whole)
        }
    }
}

impl From<u64> for Natural {
    fn from(number: u64) -> Self {
        let mut digits = vec![number % BASE, number / BASE];
        while digits.last() == Some(&0) {
            digits.pop();
        }
        Self { digits }
    }
}

impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = self.digits.iter().rev();
        write!(f, "{}", digits.next().unwrap_or(&0))?;
        digits.try_for_each(|digit| write!(f, "{digit:018}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_grow_exactly() {
        let mut power = Natural::from(1);
        for _ in 0..200 {
            let mut double = power.clone();
            double.add(&power);
            assert_eq!(double, power.times(2));
            power = double;
        }
        assert_eq!(
            power.to_string(),
            "1606938044258990275541962092341162602522202993782792835301376"
        );
        assert!((power.to_f64() / 2f64.powi(200) - 1.0).abs() < 1e-12);
        assert!((power.share_of(&power.times(4)) - 0.25).abs() < 1e-12);
        let square = power.times_all(&power);
        let expected = (0..200).fold(power.clone(), |product, _| product.times(2));
        assert_eq!(square, expected);
        assert_eq!(power.times_all(&Natural::default()), Natural::default());
        assert_eq!(Natural::from(u64::MAX).to_u64(), Some(u64::MAX));
        assert_eq!(Natural::from(u64::MAX).to_string(), u64::MAX.to_string());
        let mut more = Natural::from(u64::MAX);
        more.add(&Natural::from(1));
        assert_eq!(
            (more.to_u64(), more.to_string().as_str()),
            (None, "18446744073709551616")
        );
        assert_eq!(Natural::from(BASE).to_string(), "1000000000000000000");
        assert_eq!(Natural::from(5).times(0), Natural::default());
        assert_eq!(Natural::default().to_string(), "0");
    }
}
