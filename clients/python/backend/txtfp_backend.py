"""The build backend: scikit-build-core, which finds copies of what the package needs of the repository: its licences, and for a source
distribution the core. An unpacked source distribution has them."""

from __future__ import annotations

import contextlib
import pathlib
import shutil
from typing import Any, Iterator

from scikit_build_core.build import *  # noqa: F403
from scikit_build_core.build import build_sdist as _build_sdist
from scikit_build_core.build import build_wheel as _build_wheel

_HERE = pathlib.Path(__file__).resolve().parents[1]
_REPOSITORY = _HERE.parents[1]
_COPY = _HERE / "repository"


@contextlib.contextmanager
def _copies(core: bool) -> Iterator[None]:
    if not (_REPOSITORY / "src" / "core").is_dir():
        yield
        return
    shutil.rmtree(_COPY, ignore_errors=True)  # of a build that was killed
    _COPY.mkdir()
    try:
        for license_file in "LICENSE", "LICENSE.lavinhash", "LICENSE.unicode":
            shutil.copy(_REPOSITORY / license_file, _COPY)
        if core:
            for folder in "core", "records":
                shutil.copytree(_REPOSITORY / "src" / folder, _COPY / "src" / folder)
        yield
    finally:
        shutil.rmtree(_COPY, ignore_errors=True)


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    with _copies(core=True):
        return _build_sdist(sdist_directory, config_settings)


def build_wheel(
    wheel_directory: str, config_settings: dict[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    with _copies(core=False):
        return _build_wheel(wheel_directory, config_settings, metadata_directory)
