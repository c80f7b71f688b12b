//! Words of a text as a shell cuts them: at blanks, with quotes, and without putting anything in.

/// Cuts a text into words. Quotes and backslashes hold what stands in or behind them; nothing is replaced.
///
/// # Errors
/// What is wrong: a quote that is never closed.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\'' | '"' => {
                let own = word.get_or_insert_default();
                quote(sign, &mut signs, own)?;
            }
            '\\' => word.get_or_insert_default().extend(signs.next()),
            sign if sign.is_whitespace() => words.extend(word.take()),
            sign => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    Ok(words)
}

/// What stands between two quotes.
fn quote(mark: char, signs: &mut std::str::Chars<'_>, word: &mut String) -> Result<(), String> {
    loop {
        match signs.next() {
            None => return Err(format!("the quote {mark} is never closed")),
            Some(sign) if sign == mark => return Ok(()),
            Some('\\') if mark == '"' => match signs.next() {
                Some(sign @ ('"' | '\\' | '$' | '`')) => word.push(sign),
                Some(sign) => word.extend(['\\', sign]),
                None => word.push('\\'),
            },
            Some(sign) => word.push(sign),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_blanks() {
        let words = |text| words(text).unwrap();
        assert_eq!(words("  -N 2\t-J 'a job'  "), ["-N", "2", "-J", "a job"]);
        assert_eq!(
            words(r#"--comment="x \"y\" \z" '' a\ b"#),
            [r#"--comment=x "y" \z"#, "", "a b"]
        );
        assert!(words("").is_empty());
        assert!(super::words("-J 'a").is_err());
    }
}
