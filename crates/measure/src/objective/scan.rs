//! Characters to words: names, operators, numbers with a unit.

/// Reads an expression from left to right.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

/// A stretch of the expression.
#[derive(Clone, Copy)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Whether nothing but blanks is left.
    pub(crate) fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest().is_empty()
    }

    /// The next name: letters, digits, `_`, and dots inside. Empty when there is none.
    pub(crate) fn name(&mut self) -> Word<'a> {
        self.take_while(|c| c.is_alphanumeric() || c == '_' || c == '.')
    }

    /// The next number with what clings to it, such as `50ms`, `1.5k`, `1%`, `-3`.
    pub(crate) fn value(&mut self) -> Word<'a> {
        self.take_while(|c| c.is_alphanumeric() || "._%+-µ/".contains(c))
    }

    /// Takes the first of `signs` that stands here.
    pub(crate) fn sign<T: Copy>(&mut self, signs: &[(T, &str)]) -> Option<T> {
        self.skip_blanks();
        let rest = self.rest();
        let &(value, sign) = signs.iter().find(|(_, sign)| rest.starts_with(sign))?;
        self.at += sign.len();
        Some(value)
    }

    /// Takes `keyword` if it is the next name.
    pub(crate) fn keyword(&mut self, keyword: &str) -> bool {
        let before = self.at;
        let found = self.name().text.eq_ignore_ascii_case(keyword);
        if !found {
            self.at = before;
        }
        found
    }

    /// What stands here, for a message: up to the next blank. Takes nothing.
    pub(crate) fn peek(&mut self) -> Word<'a> {
        self.skip_blanks();
        let rest = self.rest();
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        Word { text: &rest[..length], at: self.at }
    }

    /// The column of a word, in characters from 1.
    pub(crate) fn column(&self, word: Word<'_>) -> usize {
        self.text[..word.at].chars().count() + 1
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> Word<'a> {
        self.skip_blanks();
        let rest = self.rest();
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        let word = Word { text: &rest[..length], at: self.at };
        self.at += length;
        word
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }
}
