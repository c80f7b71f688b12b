//! Linker options: the name by which the loader knows the library, and that the library stays loaded.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if os == "linux" || os == "freebsd" {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libstowplan.so.1");
        // Idle worker threads of the library may still exist when a program closes it.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
