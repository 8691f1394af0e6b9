"""The build backend: scikit-build-core, which for a source distribution finds a copy of the repository's core beside it."""

from __future__ import annotations

import pathlib
import shutil
from typing import Any

from scikit_build_core.build import *  # noqa: F403
from scikit_build_core.build import build_sdist as _build_sdist

_HERE = pathlib.Path(__file__).resolve().parents[1]
_REPOSITORY = _HERE.parents[1]
_COPY = _HERE / "repository"


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    if not (_REPOSITORY / "src" / "core").is_dir():  # in an unpacked source distribution, which has the copy
        return _build_sdist(sdist_directory, config_settings)
    shutil.copytree(_REPOSITORY / "src" / "core", _COPY / "src" / "core")
    try:
        for license_file in "LICENSE", "LICENSE.lavinhash", "LICENSE.unicode":
            shutil.copy(_REPOSITORY / license_file, _COPY)
        return _build_sdist(sdist_directory, config_settings)
    finally:
        shutil.rmtree(_COPY)
