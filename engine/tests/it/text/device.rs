//! Devices of `--map-by dist` as text.

use stowplan_engine::text::device::{device_text, read_device};

#[test]
fn options_are_read_back_as_they_are_written() {
    for text in [
        "gpu",
        "gpu:shared",
        "gpu:ndev=2",
        "gpu:interleave=numa:shared:ndev=4",
        "network:shared",
        "block:ndev=2",
        "mlx5_0",
    ] {
        assert_eq!(device_text(read_device(text, 0).unwrap()), text);
    }
    for text in [
        "",
        "a-name-of-more-bytes-than-devices-have",
        "gpu:ndev=0",
        "gpu:interleave=node",
        "gpu:shared=maybe",
    ] {
        assert!(read_device(text, 0).is_err(), "{text}");
    }
}
