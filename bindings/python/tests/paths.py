"""Exits 1 if what is inside a wheel names one of these folders: paths.py WHEEL FOLDER..."""

import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as wheel:
    for name in wheel.namelist():
        inside = wheel.read(name)
        for folder in sys.argv[2:]:
            if folder.encode() in inside:
                sys.exit(f"{name} of {sys.argv[1]} names {folder}")
