from __future__ import annotations

import time
from pathlib import Path

import anyio
import pytest
from hypothesis import settings

# No verdict depends on the speed of a machine, and nothing is left behind.
settings.register_profile("svc", deadline=None, database=None, print_blob=True)
settings.load_profile("svc")


@pytest.fixture(autouse=True)
def own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No setting of the machine reaches a test."""
    for name in (
        "API_URL",
        "API_KEY",
        "PRIVATE_KEY",
        "WORKLOAD_TOKEN_FILE",
        "AGENT_DID",
        "TENANT_ID",
        "PROFILE",
    ):
        monkeypatch.delenv(f"SVC_{name}", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What was waited between attempts, in seconds; no time passes."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(time, "sleep", waited.append)
    monkeypatch.setattr(anyio, "sleep", sleep)
    return waited
