from collections.abc import Iterable, Mapping
from typing import Any

from . import Machine

def batch(requests: Iterable[Mapping[str, Any] | str | bytes], machine: Machine) -> list[dict[str, Any]]: ...
