//! Lines of letters in pictures.

use stowplan::answers::picture::letters::broken;

#[test]
fn lines_break_at_blanks_and_long_words_anywhere() {
    assert_eq!(broken("a bc  def", 9, 48, 9), ["a bc def"]);
    assert_eq!(broken("abc defg hij", 9, 48, 9), ["abc defg", "hij"]);
    assert_eq!(broken("abcdefghijk", 9, 48, 9), ["abcdefgh", "ijk"]);
    assert_eq!(broken("abcdefgh ijk lmnop", 9, 48, 1), ["abcdefgh…"]);
}
