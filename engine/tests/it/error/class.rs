//! The table of classes.

use stowplan_engine::error::Class;

#[test]
fn numbers_and_words_are_given_once() {
    let numbers = Class::ALL.iter().map(|class| class.number());
    assert!(numbers.is_sorted_by(|one, next| one < next));
    for &class in Class::ALL {
        assert_eq!(class.word().parse(), Ok(class));
        assert_eq!(Class::of_number(class.number()), Some(class));
        assert_eq!(class.exit_status() == 70, class == Class::Internal);
        assert!(class == class.word() && !class.docs().is_empty());
    }
    assert_eq!(Class::of_number(0), None);
    assert!("no-such-class".parse::<Class>().is_err());
}
