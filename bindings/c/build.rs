//! The name by which the loader knows the library, and that it stays loaded.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if os == "linux" || os == "freebsd" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libstowplan.so.1");
        // Its worker threads may be idle when somebody closes it.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
