use std::collections::BTreeMap;

use super::json::{Json, Problem, ProblemKind, Reading, Value, excerpt};
use super::number::Number;

const MAX_DEPTH: usize = 128;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Reads one JSON text strictly, as RFC 8259 has it and no more: one value, nothing behind it, no
/// byte order mark, each key once, every surrogate paired. Never panics; linear in the text.
pub fn read(bytes: &[u8]) -> Reading {
    read_at(bytes, 0)
}

/// Reads a part of a longer text that starts at `base` there, which is what offsets count from.
pub(super) fn read_at(bytes: &[u8], base: usize) -> Reading {
    let mut problems = Vec::new();
    let start = if bytes.starts_with(BOM) {
        let message = "it starts with a byte order mark".into();
        problems.push(Problem {
            kind: ProblemKind::ByteOrderMark,
            byte: base,
            message,
        });
        BOM.len()
    } else {
        0
    };
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let wrong = bytes[error.valid_up_to()];
            let byte = base + error.valid_up_to();
            let message = format!("byte {byte} (0x{wrong:02x}) is not UTF-8");
            problems.push(Problem {
                kind: ProblemKind::InvalidUtf8,
                byte,
                message,
            });
            return Reading {
                value: None,
                end: byte,
                problems,
            };
        }
    };
    let mut reader = Reader {
        text,
        base,
        at: start,
        depth: 0,
        problems,
    };
    reader.skip_space();
    let value = match reader.value() {
        Ok(value) => Some(value),
        Err(problem) => {
            reader.problems.push(problem);
            None
        }
    };
    let end = reader.place();
    if value.is_some() {
        reader.skip_space();
        if reader.at < text.len() {
            reader.trailing();
        }
    }
    Reading {
        value,
        end,
        problems: reader.problems,
    }
}

struct Reader<'t> {
    text: &'t str,
    base: usize,
    at: usize,
    depth: usize,
    problems: Vec<Problem>,
}

type Read<T> = Result<T, Problem>;

impl Reader<'_> {
    fn value(&mut self) -> Read<Json> {
        let byte = self.place();
        let value = match self.peek() {
            None => return Err(self.ended()),
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(_) => self.word()?,
        };
        Ok(Json { byte, value })
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Read<Value>) -> Read<Value> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!(
                "it is nested deeper than {MAX_DEPTH} levels at byte {}",
                self.place()
            );
            return Err(Problem {
                kind: ProblemKind::TooDeep,
                byte: self.place(),
                message,
            });
        }
        self.at += 1;
        self.skip_space();
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Read<Value> {
        let mut members: BTreeMap<String, Json> = BTreeMap::new();
        if self.take(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            let key_at = self.place();
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let key = self.string()?;
            self.skip_space();
            if !self.take(b':') {
                return Err(self.unexpected("`:`"));
            }
            self.skip_space();
            let value = self.value()?;
            if let Some(first) = members.get(&key) {
                let message = format!(
                    "the key `{key}` at byte {key_at} is there already (its first value is at byte {})",
                    first.byte
                );
                self.problems.push(Problem {
                    kind: ProblemKind::DuplicateKey,
                    byte: key_at,
                    message,
                });
            }
            members.insert(key, value);
            self.skip_space();
            if self.take(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.take(b',') {
                return Err(self.unexpected("`,` or `}`"));
            }
            self.skip_space();
        }
    }

    fn array(&mut self) -> Read<Value> {
        let mut items = Vec::new();
        if self.take(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value()?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Value::Array(items));
            }
            if !self.take(b',') {
                return Err(self.unexpected("`,` or `]`"));
            }
            self.skip_space();
        }
    }

    fn string(&mut self) -> Read<String> {
        self.at += 1;
        let mut decoded = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest
                .bytes()
                .position(|b| b == b'"' || b == b'\\' || b < 0x20);
            let Some(length) = plain else {
                self.at = self.text.len();
                return Err(self.ended());
            };
            decoded.push_str(&rest[..length]);
            self.at += length;
            match rest.as_bytes()[length] {
                b'"' => {
                    self.at += 1;
                    return Ok(decoded);
                }
                b'\\' => decoded.push(self.escape()?),
                control => {
                    let what = format!("the control character 0x{control:02x} stands in a string");
                    return Err(self.syntax(&what));
                }
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        let letter = self.text.as_bytes().get(self.at + 1).copied();
        let plain = match letter {
            None => {
                self.at = self.text.len();
                return Err(self.ended());
            }
            Some(b'u') => return self.unicode_escape(),
            Some(letter @ (b'"' | b'\\' | b'/')) => char::from(letter),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(_) => return Err(self.syntax("an escape sequence is unknown")),
        };
        self.at += 2;
        Ok(plain)
    }

    fn unicode_escape(&mut self) -> Read<char> {
        let start = self.at;
        let first = self.unit()?;
        let code = match first {
            0xD800..=0xDBFF if self.text[self.at..].starts_with("\\u") => {
                let second = self.unit()?;
                if (0xDC00..=0xDFFF).contains(&second) {
                    0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
                } else {
                    first
                }
            }
            _ => first,
        };
        char::from_u32(code).ok_or_else(|| {
            self.at = start;
            self.syntax("half a surrogate pair stands alone in a string")
        })
    }

    fn unit(&mut self) -> Read<u32> {
        let digits = self.text.as_bytes().get(self.at + 2..self.at + 6);
        let Some(digits) = digits else {
            self.at = self.text.len();
            return Err(self.ended());
        };
        let hex = digits.iter().all(u8::is_ascii_hexdigit);
        let text = std::str::from_utf8(digits).ok().filter(|_| hex);
        let unit = text.and_then(|text| u32::from_str_radix(text, 16).ok());
        let unit = unit.ok_or_else(|| self.syntax("`\\u` needs four hexadecimal digits"))?;
        self.at += 6;
        Ok(unit)
    }

    fn number(&mut self) -> Read<Number> {
        let start = self.at;
        if self.take(b'-') && self.text[self.at..].starts_with("Inf") {
            self.at = start;
            return Err(self.not_a_number("-Infinity"));
        }
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(Number::new(&self.text[start..self.at]))
    }

    fn digits(&mut self) -> Read<()> {
        let rest = &self.text.as_bytes()[self.at..];
        let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.unexpected("a digit"));
        }
        self.at += count;
        Ok(())
    }

    fn word(&mut self) -> Read<Value> {
        let rest = &self.text[self.at..];
        let words = [
            ("null", Value::Null),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
        ];
        for (word, value) in words {
            if rest.starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
            if !rest.is_empty() && word.starts_with(rest) {
                self.at = self.text.len();
                return Err(self.ended());
            }
        }
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        match &rest[..length] {
            word @ ("NaN" | "nan" | "Infinity" | "inf" | "Inf") => Err(self.not_a_number(word)),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn trailing(&mut self) {
        let shown = excerpt(&self.text[self.at..]);
        let problem = self.problem(ProblemKind::TrailingBytes, &format!("`{shown}` follows"));
        self.problems.push(problem);
    }

    fn not_a_number(&self, word: &str) -> Problem {
        let mut problem = self.problem(ProblemKind::NotANumber, &format!("`{word}`"));
        problem.message.push_str(" is no JSON number");
        problem
    }

    fn unexpected(&self, wanted: &str) -> Problem {
        if self.at >= self.text.len() {
            return self.ended();
        }
        let shown = excerpt(&self.text[self.at..]);
        let mut problem = self.problem(ProblemKind::Syntax, &format!("`{shown}` stands"));
        problem.message.push_str(" where ");
        problem.message.push_str(wanted);
        problem.message.push_str(" belongs");
        problem
    }

    fn syntax(&self, what: &str) -> Problem {
        self.problem(ProblemKind::Syntax, what)
    }

    fn problem(&self, kind: ProblemKind, what: &str) -> Problem {
        let byte = self.place();
        Problem {
            kind,
            byte,
            message: format!("{what} at byte {byte}"),
        }
    }

    fn ended(&self) -> Problem {
        let byte = self.base + self.text.len();
        if self.text.trim_matches(SPACE).is_empty() {
            return Problem {
                kind: ProblemKind::NoValue,
                byte,
                message: "nothing is there".into(),
            };
        }
        let message = format!("it ends at byte {byte}, inside a value");
        Problem {
            kind: ProblemKind::Truncated,
            byte,
            message,
        }
    }

    fn place(&self) -> usize {
        self.base + self.at
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> bool {
        let there = self.peek() == Some(wanted);
        self.at += usize::from(there);
        there
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches(SPACE).len();
    }
}

const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];
