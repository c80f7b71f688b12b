//! Words in one text, parted at blanks outside quotes: `-N 2 --comment="two nodes"`.

use super::LineRefused;

/// Parts the words of `--alloc`, or of a directive, as a shell parts them. Nothing is put in for variables. A word that begins with
/// `#` begins a comment.
///
/// # Errors
/// `bad-value` for a quote that is not closed.
pub fn quoted_words(text: &str) -> Result<Vec<String>, LineRefused> {
    let mut words = Vec::new();
    let mut own: Option<String> = None;
    let mut quote = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (Some(open), _) if sign == open => quote = None,
            (None, '\\') => own.get_or_insert_default().extend(signs.next()),
            (Some('"'), '\\') => {
                // Between double quotes a backslash stays, except before what it takes its meaning from.
                let behind = signs.next();
                let plain = behind.filter(|sign| !matches!(sign, '"' | '\\' | '$' | '`'));
                let own = own.get_or_insert_default();
                own.extend(plain.map_or(behind, |_| Some('\\')));
                own.extend(plain);
            }
            (Some(_), _) => own.get_or_insert_default().push(sign),
            (None, '"' | '\'') => {
                quote = Some(sign);
                own.get_or_insert_default();
            }
            (None, '#') if own.is_none() => break,
            (None, _) if sign.is_whitespace() => words.extend(own.take()),
            (None, _) => own.get_or_insert_default().push(sign),
        }
    }
    if let Some(open) = quote {
        let sentence = format!("{text}: the quote {open} is not closed");
        return Err(LineRefused::new("bad-value", sentence));
    }
    words.extend(own);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_in_quotes_part_nothing() {
        let words = |text| quoted_words(text).unwrap();
        assert_eq!(
            words("-N 2 --comment=\"two nodes\" -J 'a b' x\\ y # -N 4"),
            ["-N", "2", "--comment=two nodes", "-J", "a b", "x y"]
        );
        assert_eq!(
            words(r#"--comment="x \"y\" \z" '' a\ b"#),
            [r#"--comment=x "y" \z"#, "", "a b"]
        );
        assert!(words("").is_empty());
        assert!(quoted_words("-J 'a").is_err());
    }
}
