//! Colours of a picture.

use stowplan::answers::picture::colours::image;
use stowplan::answers::picture::setting::Paper;

#[test]
fn an_image_has_its_colours_as_attributes() {
    let inner = "<g class=\"p a1\" data-rank=\"3\"><title>n rank 3</title><rect x=\"1\"/><text x=\"4\">3</text></g><text x=\"1\">n</text>";
    let image = image((10, 20), Paper::Light, inner);
    for absent in ["var(", "<style", "style=", "currentColor"] {
        assert!(!image.contains(absent), "{image}");
    }
    assert!(image.contains("<g class=\"p a1\" fill=\"#fbd9ae\" stroke=\"#8a4b00\""));
    assert!(image.contains("<text fill=\"#16181d\" stroke=\"none\" text-anchor=\"middle\" x=\"4\">3</text></g><text x=\"1\">n"));
}
