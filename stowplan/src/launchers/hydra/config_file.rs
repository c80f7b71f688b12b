//! Configuration files: the words of each line are a program with its options. Source: `lines/hydra/spec.md` 8.

/// The lines that hold words: comments and blank lines are passed over, a line that ends in ` \\` goes on.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        if line.trim_start().starts_with('#') || (line.trim().is_empty() && !goes_on) {
            continue;
        }
        let (own, more) = match line.trim_end().strip_suffix('\\') {
            Some(own) if own.ends_with(char::is_whitespace) || own.is_empty() => (own, true),
            _ => (line, false),
        };
        match lines.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.push(' ');
                last.push_str(own);
            }
            None => lines.push(own.to_owned()),
        }
        goes_on = more;
    }
    lines
}

/// The words of these lines, as if `:` stood between them. There are no quotes.
pub(crate) fn words(lines: &[String]) -> Vec<String> {
    let mut words = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if at > 0 {
            words.push(":".to_owned());
        }
        words.extend(line.split_whitespace().map(str::to_owned));
    }
    words
}
