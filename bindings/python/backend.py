"""maturin, but what is built names no folder of the machine that built it."""

import os
import pathlib

import maturin
from maturin import (  # noqa: F401
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_wheel,
)


def _without_paths():
    """Maps the folders of sources and packages to names in panic messages."""
    here = pathlib.Path(__file__).resolve().parent
    # In a source distribution the crates are beside this file.
    root = here if (here / "bindings").is_dir() else here.parent.parent
    packages = os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo"
    maps = [f"--remap-path-prefix={root}=stowplan", f"--remap-path-prefix={packages}=cargo"]
    os.environ["RUSTFLAGS"] = " ".join([os.environ.get("RUSTFLAGS", ""), *maps]).strip()


def _is_quick(settings):
    """Whether it is a quick build for tests, which shares what was built for others."""
    return any("--profile gate" in str(value) for value in (settings or {}).values())


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds a wheel."""
    if not _is_quick(config_settings):
        _without_paths()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds a wheel that refers to this folder."""
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)
