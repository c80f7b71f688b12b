//! Cuts a line as typed in a shell into words, by the rules of Python's `shlex.split`, in time linear in the line.

/// How the next character is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Between words.
    Between,
    /// In a word.
    Word,
    /// In quotes of this kind.
    Quoted(char),
    /// After a backslash, in quotes of this kind or outside quotes.
    Escaped(Option<char>),
}

/// The words of a line.
///
/// # Errors
/// The line ends inside a quotation, or after a backslash.
pub(crate) fn split(line: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut state = State::Between;
    for sign in line.chars() {
        state = match (state, sign) {
            (State::Between, ' ' | '\t' | '\r' | '\n') => State::Between,
            (State::Word, ' ' | '\t' | '\r' | '\n') => {
                words.push(std::mem::take(&mut word));
                State::Between
            }
            (State::Between | State::Word, '\'' | '"') => State::Quoted(sign),
            (State::Between | State::Word, '\\') => State::Escaped(None),
            (State::Quoted(own), _) if own == sign => State::Word,
            (State::Quoted('"'), '\\') => State::Escaped(Some('"')),
            (State::Quoted(_), _) => {
                word.push(sign);
                state
            }
            (State::Escaped(quote), _) => {
                // In quotes, a backslash escapes only the quote and itself.
                if quote.is_some_and(|quote| sign != quote && sign != '\\') {
                    word.push('\\');
                }
                word.push(sign);
                quote.map_or(State::Word, State::Quoted)
            }
            (State::Between | State::Word, _) => {
                word.push(sign);
                State::Word
            }
        };
    }
    match state {
        State::Between => {}
        State::Word => words.push(word),
        State::Quoted(_) => return Err("No closing quotation"),
        State::Escaped(_) => return Err("No escaped character"),
    }
    Ok(words)
}
