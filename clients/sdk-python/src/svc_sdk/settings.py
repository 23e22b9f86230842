"""The caller and the engine: each setting from the arguments, the environment, then the config file."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from .errors import SvcError, not_configured
from .json_text import NotJson, read_json

_PROFILE_FORM = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_DID_FORM = re.compile(r"did:oas:[!-9;-~]+:[!-9;-~]+:[!-9;-~]+")
_KEY_FORM = re.compile(r"[!-~]+")
_PRIVATE_KEY_FORM = re.compile(r"[A-Za-z0-9_-]{43}")
_FILE_BYTES_MAX = 64 * 1024
_CREDENTIALS = ("api_key", "private_key", "workload_token_file")


@dataclass(frozen=True)
class Settings:
    """The resolved settings. Exactly one of the three credentials is set."""

    api_url: str
    agent_did: str
    tenant_id: str
    api_key: str | None = field(default=None, repr=False)
    private_key: str | None = field(default=None, repr=False)
    workload_token_file: str | None = None


def resolve_settings(
    arguments: Mapping[str, str | None],
    environment: Mapping[str, str] | None = None,
    home: Path | None = None,
) -> Settings:
    """Raises SvcError `not_configured`, which names what is missing."""
    env = os.environ if environment is None else environment
    profile = _filled(arguments.get("profile")) or _filled(env.get("SVC_PROFILE"))
    file = _ConfigFile(profile, home)

    def nearest(name: str) -> str | None:
        return _filled(arguments.get(name)) or _filled(env.get(f"SVC_{name.upper()}"))

    api_url = nearest("api_url") or file.get("api_url")
    named_did = nearest("agent_did")
    credential = (
        _credential_of({name: _filled(arguments.get(name)) for name in _CREDENTIALS})
        or _credential_of({name: _filled(env.get(f"SVC_{name.upper()}")) for name in _CREDENTIALS})
        or _credential_of(
            {
                "api_key": file.get("api_key") or file.get("access_token"),
                "private_key": file.get("private_key"),
            }
        )
    )
    agent_did = named_did or file.get("agent_did")
    if api_url is None or credential is None or agent_did is None:
        parts = {"api_url": api_url, "api_key": credential, "agent_did": agent_did}
        raise _missing([name for name, value in parts.items() if value is None], file.path)
    _require_forms(credential, agent_did)
    # The file's tenant belongs to the file's agent; another agent uses its own.
    file_tenant = file.get("tenant_id") if named_did is None else None
    tenant_id = nearest("tenant_id") or file_tenant or agent_did.split(":")[2]
    return Settings(_plain_url(api_url), agent_did, tenant_id, **credential)


def _credential_of(places: Mapping[str, str | None]) -> dict[str, str] | None:
    """The nearest place that names one decides."""
    named = {name: value for name, value in places.items() if value is not None}
    if len(named) > 1:
        raise not_configured(
            "There is more than one of api_key, private_key and workload_token_file; set one."
        )
    return named or None


def _filled(text: str | os.PathLike[str] | None) -> str | None:
    """An empty variable counts as not set, as scripts and containers expect."""
    return str(text).strip() or None if text is not None else None


def _missing(names: list[str], path: Path | None) -> SvcError:
    ways = ["pass api_url, agent_did and api_key or private_key"]
    ways.append("set SVC_API_URL, SVC_API_KEY and SVC_AGENT_DID")
    if path is not None:
        ways.append(f"run `svc login`, which writes {path}")
    return not_configured(f"There is no {' and no '.join(names)}: {', or '.join(ways)}.")


def _require_forms(credential: Mapping[str, str], agent_did: str) -> None:
    # Never printed: they are secrets even if misspelled.
    if "api_key" in credential and _KEY_FORM.fullmatch(credential["api_key"]) is None:
        raise not_configured("The api_key holds spaces or signs that no key has; copy it again.")
    if "private_key" in credential and _PRIVATE_KEY_FORM.fullmatch(credential["private_key"]) is None:
        raise not_configured("The private_key is not 32 bytes in base64url (43 characters); copy it again.")
    if _DID_FORM.fullmatch(agent_did) is None:
        form = "did:oas:<tenant>:<kind>:<identifier>"
        raise not_configured(f"agent_did is {agent_did}, but a DID here is {form}.")


def _plain_url(text: str) -> str:
    try:
        url = urlsplit(text)
        is_web = url.scheme in ("http", "https") and bool(url.hostname) and (url.port is None or url.port > 0)
    except ValueError:
        raise not_configured(f"api_url is {text}, which is no http or https address.") from None
    if url.username is not None or url.password is not None:
        raise not_configured(
            "api_url holds a name or password; the key goes into api_key, and api_url is the address alone."
        )
    if not is_web or re.search(r"[^!-~]", text):
        raise not_configured(f"api_url is {text}, which is no http or https address.")
    if "?" in text or "#" in text:
        raise not_configured(f"api_url is {text}; leave out what follows the path.")
    return text.rstrip("/")


class _ConfigFile:
    """`~/.svc/config.json`, as written by `svc login`. Read lazily, and only once."""

    def __init__(self, profile: str | None, home: Path | None) -> None:
        if profile is not None and _PROFILE_FORM.fullmatch(profile) is None:
            raise not_configured(
                f"The profile is called {profile}; use letters, digits, - and _, at most 64."
            )
        name = "config.json" if profile in (None, "default") else f"profiles/{profile}.json"
        try:
            self.path: Path | None = (home or Path.home()) / ".svc" / name
        except RuntimeError:
            self.path = None
        self._fields: dict[str, str] | None = None

    def get(self, name: str) -> str | None:
        if self._fields is None:
            self._fields = {} if self.path is None else _read_config_file(self.path)
        return _filled(self._fields.get(name))


def _read_config_file(path: Path) -> dict[str, str]:
    """Empty if there is no file. A file that others can read is refused, as ssh does, because it contains a key."""
    try:
        state = path.stat()
        if stat.S_IMODE(state.st_mode) & 0o077 and sys.platform != "win32":
            raise not_configured(f"{path} holds a key and others can read it; run chmod 600 {path}.")
        if state.st_size > _FILE_BYTES_MAX:
            raise not_configured(f"{path} is no config file of svc; it is {state.st_size} bytes large.")
        text = path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as cause:
        why = type(cause).__name__
        raise not_configured(f"{path} cannot be read ({why}); fix it, or run `svc login` again.") from cause
    try:
        fields = read_json(text)
    except NotJson:
        # Reported below without the text, which may contain part of a key.
        fields = None
    if not isinstance(fields, dict) or not all(
        one is None or isinstance(one, str) for one in fields.values()
    ):
        what = f"{path} is not the JSON that `svc login` writes"
        raise not_configured(f"{what}; fix it, or run `svc login` again.")
    return {name: value for name, value in fields.items() if value is not None}
