"""Where settings come from, and what is said if they are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from svc_sdk import Client, SvcError
from svc_sdk.settings import resolve_settings

DID = "did:oas:dev:agent:1"
GIVEN: dict[str, str | None] = {"api_url": "https://svc.example/", "api_key": "k", "agent_did": DID}


def write_config(home: Path, fields: Any, name: str = "config.json", mode: int = 0o600) -> Path:
    path = home / ".svc" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(fields if isinstance(fields, str) else json.dumps(fields))
    path.chmod(mode)
    return path


def test_arguments_come_before_the_environment_and_that_before_the_file(tmp_path: Path) -> None:
    file = {"api_url": "http://file", "api_key": "f", "agent_did": "did:oas:acme:agent:2", "tenant_id": "t"}
    write_config(tmp_path, file)
    env = {"SVC_API_URL": "http://env", "SVC_API_KEY": "e", "SVC_AGENT_DID": DID}
    assert resolve_settings({}, {}, tmp_path).tenant_id == "t"
    by_env = resolve_settings({}, env, tmp_path)
    # The file's tenant belongs to the file's agent.
    assert (by_env.api_url, by_env.api_key, by_env.tenant_id) == ("http://env", "e", "dev")
    by_argument = resolve_settings({**GIVEN, "tenant_id": "x"}, env, tmp_path)
    assert (by_argument.api_url, by_argument.api_key, by_argument.tenant_id) == (
        "https://svc.example",
        "k",
        "x",
    )
    assert resolve_settings({"api_url": " "}, env, tmp_path).api_url == "http://env"


def test_the_nearest_place_that_names_a_key_decides(tmp_path: Path) -> None:
    private_key = "A" * 43
    write_config(tmp_path, {**GIVEN, "private_key": None})
    settings = resolve_settings({}, {"SVC_PRIVATE_KEY": private_key}, tmp_path)
    assert (settings.api_key, settings.private_key) == (None, private_key)
    with pytest.raises(SvcError, match="more than one of api_key, private_key"):
        resolve_settings({**GIVEN, "private_key": private_key}, {}, tmp_path)
    assert private_key not in repr(settings)


def test_a_profile_is_another_file(tmp_path: Path) -> None:
    write_config(tmp_path, {**GIVEN, "api_key": None, "access_token": "a"}, "profiles/night.json")
    assert resolve_settings({"profile": "night"}, {}, tmp_path).api_key == "a"
    assert resolve_settings({}, {"SVC_PROFILE": "night"}, tmp_path).api_key == "a"
    write_config(tmp_path, GIVEN)
    assert resolve_settings({"profile": "default"}, {}, tmp_path).api_key == "k"
    with pytest.raises(SvcError, match="The profile is called"):
        resolve_settings({"profile": "../config"}, {}, tmp_path)


def test_missing_settings_are_named_at_once() -> None:
    with pytest.raises(SvcError) as refused:
        Client(api_key="svc_secret")
    assert refused.value.code == "not_configured"
    assert refused.value.message.startswith("There is no api_url and no agent_did: pass ")
    assert "svc login" in refused.value.message


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"api_key": "a b"}, "The api_key holds spaces"),
        ({"api_key": None, "private_key": "short"}, "The private_key is not 32 bytes"),
        ({"agent_did": "did:web:x"}, "agent_did is did:web:x"),
        ({"api_url": "ftp://x"}, "no http or https address"),
        ({"api_url": "http://"}, "no http or https address"),
        ({"api_url": "http://x:99999"}, "no http or https address"),
        ({"api_url": "http://exämple"}, "no http or https address"),
        ({"api_url": "http://user:secret@x"}, "holds a name or password"),
        ({"api_url": "http://x/?a=1"}, "leave out what follows the path"),
        ({"api_url": "http://x/#a"}, "leave out what follows the path"),
    ],
)
def test_wrong_settings_are_refused_without_their_secrets(changed: dict[str, str | None], said: str) -> None:
    with pytest.raises(SvcError, match=said) as refused:
        resolve_settings({**GIVEN, **changed}, {})
    assert "secret" not in refused.value.message and "short" not in refused.value.message


@pytest.mark.parametrize("text", ["{", "[]", '{"api_key": 1}', '"secret"'])
def test_a_file_that_is_not_of_svc_login_is_refused_without_its_text(tmp_path: Path, text: str) -> None:
    write_config(tmp_path, text)
    with pytest.raises(SvcError, match="is not the JSON") as refused:
        resolve_settings({}, {}, tmp_path)
    assert "secret" not in refused.value.message


def test_a_file_that_others_can_read_or_that_is_huge_is_refused(tmp_path: Path) -> None:
    write_config(tmp_path, GIVEN, mode=0o644)
    with pytest.raises(SvcError, match="chmod 600"):
        resolve_settings({}, {}, tmp_path)
    write_config(tmp_path, " " * 70_000)
    with pytest.raises(SvcError, match="70000 bytes large"):
        resolve_settings({}, {}, tmp_path)
