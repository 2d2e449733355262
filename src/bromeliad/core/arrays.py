"""Reads numpy archives that may be damaged or malicious."""

import io
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

_KNOWN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 1  # flag bit of an archive entry
_DAMAGE = (
    *(ValueError, LookupError, TypeError, ArithmeticError, EOFError, OSError, RuntimeError, SyntaxError),
    *(zipfile.BadZipFile, zlib.error, struct.error, tokenize.TokenError),
)
"""Errors of zipfile and numpy for damaged files; NotImplementedError and RecursionError are RuntimeErrors."""


def read_arrays(path: Path, most_bytes: Mapping[str, int]) -> dict[str, NDArray[Any]]:
    """Return arrays of a numpy archive by name; pickled objects are not allowed.

    Parameters
    ----------
    most_bytes
        The arrays to read and the largest size of each: a small archive can hold a huge array of zeros.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If it is not such an archive, is damaged, or lacks an array, or if an array is too large.
    """
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                return {name: _array(archive, name, most) for name, most in most_bytes.items()}
        except _DAMAGE as error:
            raise ValueError("damaged") from error


def _array(archive: zipfile.ZipFile, name: str, most_bytes: int) -> NDArray[Any]:
    entry = archive.getinfo(f"{name}.npy")
    if entry.file_size > most_bytes + 1024 or entry.compress_type not in _KNOWN or entry.flag_bits & _ENCRYPTED:
        raise ValueError(name)
    data = archive.read(entry)  # verifies the checksum
    stream = io.BytesIO(data)
    version = npy.read_magic(stream)
    header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, kind = header(stream)
    if kind.hasobject or math.prod(shape) * kind.itemsize != len(data) - stream.tell():
        raise ValueError(name)
    return np.frombuffer(data, kind, offset=stream.tell()).reshape(shape, order="F" if fortran else "C")
