//! Sums of `$((…))`: whole numbers, as a shell counts.

use stowplan_engine::limit::SCRIPT_DEPTH_MAX;

/// A number as a shell writes it: decimal, `0x1f`, `017`.
pub(super) fn integer(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let number = match (digits.strip_prefix("0x"), digits.strip_prefix('0')) {
        (Some(hex), _) => i64::from_str_radix(hex, 16).ok(),
        (None, Some(octal)) if !octal.is_empty() => i64::from_str_radix(octal, 8).ok(),
        (None, _) => digits.parse::<i64>().ok(),
    };
    number?.checked_mul(sign)
}

/// The names in a sum.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
    words.filter(|word| word.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '_'))
}

struct Sum<'s> {
    rest: &'s str,
    depth: usize,
    number: &'s dyn Fn(&str) -> Result<i64, String>,
}

/// The value of a sum. `number`: the value of a name.
///
/// # Errors
/// What is wrong with it, in words.
pub fn evaluate(text: &str, number: &dyn Fn(&str) -> Result<i64, String>) -> Result<i64, String> {
    let mut sum = Sum {
        rest: text,
        depth: 0,
        number,
    };
    let value = sum.level(0)?;
    match sum.next_sign() {
        None => Ok(value),
        Some(sign) => Err(format!("{sign:?} is not read in a sum here")),
    }
}

/// Operators of two numbers, the weakest first.
const LEVELS: [&[&str]; 4] = [&["<<", ">>"], &["+", "-"], &["*", "/", "%"], &["**"]];

impl Sum<'_> {
    fn next_sign(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn level(&mut self, level: usize) -> Result<i64, String> {
        let Some(signs) = LEVELS.get(level) else {
            return self.atom();
        };
        let mut value = self.level(level + 1)?;
        loop {
            self.next_sign();
            let found = signs.iter().find(|sign| self.rest.starts_with(**sign));
            let power = level < 3 && self.rest.starts_with("**");
            let Some(sign) = found.filter(|_| !power) else {
                return Ok(value);
            };
            self.rest = &self.rest[sign.len()..];
            // Powers group from the right.
            let other = if *sign == "**" {
                self.deeper(3)?
            } else {
                self.level(level + 1)?
            };
            value = apply(sign, value, other)
                .ok_or_else(|| format!("{value} {sign} {other} is no whole number that fits"))?;
        }
    }

    fn deeper(&mut self, level: usize) -> Result<i64, String> {
        self.depth += 1;
        if self.depth > SCRIPT_DEPTH_MAX {
            return Err("too many brackets in one another".to_owned());
        }
        let value = self.level(level)?;
        self.depth -= 1;
        Ok(value)
    }

    fn atom(&mut self) -> Result<i64, String> {
        match self.next_sign() {
            Some('(') => {
                self.rest = &self.rest[1..];
                let value = self.deeper(0)?;
                if self.next_sign() != Some(')') {
                    return Err("a bracket is not closed".to_owned());
                }
                self.rest = &self.rest[1..];
                Ok(value)
            }
            Some(sign @ ('-' | '+')) => {
                self.rest = &self.rest[1..];
                let value = self.deeper(LEVELS.len())?;
                let value = if sign == '-' {
                    value.checked_neg()
                } else {
                    Some(value)
                };
                value.ok_or_else(|| "a number is too large".to_owned())
            }
            Some(sign) if sign.is_ascii_alphanumeric() || sign == '_' => {
                let end = self
                    .rest
                    .find(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
                let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                self.rest = rest;
                match sign.is_ascii_digit() {
                    true => integer(word).ok_or_else(|| format!("{word} is no number")),
                    false => (self.number)(word),
                }
            }
            Some(sign) => Err(format!("{sign:?} is not read in a sum here")),
            None => Err("a number is missing".to_owned()),
        }
    }
}

fn apply(sign: &str, a: i64, b: i64) -> Option<i64> {
    match sign {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" => a.checked_div(b),
        "%" => a.checked_rem(b),
        "**" => a.checked_pow(u32::try_from(b).ok()?),
        "<<" => a.checked_mul(1_i64.checked_shl(u32::try_from(b).ok()?)?),
        _ => Some(a >> u32::try_from(b).ok().filter(|bits| *bits < 64)?),
    }
}
