//! Sets without the words at both ends.

use stowplan_engine::stage::inside::{Bits, There, Window};

#[test]
fn a_window_is_the_same_however_it_is_cut() {
    let mut set = Bits::none(1000);
    set.fill((130, 200), There::Yes);
    set.put(400, There::Yes);
    let whole = Window::of(&set);
    assert_eq!(Window::part(&[(0, 1000)], set.words()), whole);
    assert_eq!(
        Window::part(&[(70, 180), (190, 500)], set.words())
            .ones()
            .count(),
        61
    );
    let expected: Vec<u32> = (130..200).chain([400]).collect();
    assert_eq!(whole.ones().collect::<Vec<_>>(), expected);
    assert_eq!(Window::part(&[(201, 400)], set.words()), Window::default());
    assert_eq!(Window::of(&Bits::none(1000)), Window::default());
}
