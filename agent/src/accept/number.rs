//! Decimal numbers of any size.

use std::cmp::Ordering;
use std::fmt;

/// A decimal number as it was written, compared by value and without rounding.
#[derive(Debug, Clone)]
pub struct Number {
    text: String,
}

impl Number {
    /// Takes a number in JSON's grammar.
    pub(super) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
        }
    }

    /// Whether it has no fraction: `2.0` and `2e3` are integers.
    pub fn is_integer(&self) -> bool {
        let decimal = self.decimal();
        decimal.digits.is_empty() || decimal.exponent >= 0
    }

    /// The nearest double; an infinity beyond its range.
    pub fn to_f64(&self) -> f64 {
        self.text.parse().unwrap_or(f64::NAN)
    }

    pub(super) fn to_serde(&self) -> serde_json::Value {
        if let Ok(value) = self.text.parse::<i64>() {
            return value.into();
        }
        if let Ok(value) = self.text.parse::<u64>() {
            return value.into();
        }
        // JSON numbers have no infinity: the largest double stands in for what is beyond it.
        self.to_f64().clamp(f64::MIN, f64::MAX).into()
    }

    fn decimal(&self) -> Decimal<'_> {
        let (negative, text) = match self.text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, self.text.as_str()),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let saturated = if exponent.starts_with('-') {
            i64::MIN / 2
        } else {
            i64::MAX / 2
        };
        let exponent = exponent.parse::<i64>().unwrap_or(saturated);
        let exponent = exponent.clamp(i64::MIN / 2, i64::MAX / 2);

        let all = || whole.bytes().chain(fraction.bytes());
        let leading = all().take_while(|&digit| digit == b'0').count();
        let trailing = all().rev().take_while(|&digit| digit == b'0').count();
        let count = whole.len() + fraction.len();
        let digits = Digits {
            whole,
            fraction,
            from: leading,
            to: (count - trailing).max(leading),
        };
        let moved =
            i64::try_from(trailing).unwrap_or(0) - i64::try_from(fraction.len()).unwrap_or(0);
        Decimal {
            negative,
            digits,
            exponent: exponent + moved,
        }
    }
}

/// Its digits without zeros at either end, to be read as an integer times ten to the exponent.
struct Decimal<'n> {
    negative: bool,
    digits: Digits<'n>,
    exponent: i64,
}

struct Digits<'n> {
    whole: &'n str,
    fraction: &'n str,
    from: usize,
    to: usize,
}

impl Digits<'_> {
    fn is_empty(&self) -> bool {
        self.from == self.to
    }

    fn len(&self) -> i64 {
        i64::try_from(self.to - self.from).unwrap_or(i64::MAX / 4)
    }

    fn iter(&self) -> impl Iterator<Item = u8> {
        let all = self.whole.bytes().chain(self.fraction.bytes());
        all.skip(self.from).take(self.to - self.from)
    }
}

impl Decimal<'_> {
    fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    fn cmp_magnitude(&self, other: &Self) -> Ordering {
        // Ten to this power is the first above the number.
        let size = |decimal: &Self| decimal.exponent + decimal.digits.len();
        size(self)
            .cmp(&size(other))
            .then_with(|| self.digits.iter().cmp(other.digits.iter()))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let (left, right) = (self.decimal(), other.decimal());
        left.sign()
            .cmp(&right.sign())
            .then_with(|| match left.sign() {
                0 => Ordering::Equal,
                1 => left.cmp_magnitude(&right),
                _ => right.cmp_magnitude(&left),
            })
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Number {}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
