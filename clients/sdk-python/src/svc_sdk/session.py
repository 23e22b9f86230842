"""How a client shows who it is: by an API key, or by a session whose requests it signs (DPoP, RFC 9449)."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlencode

from .canonical import NoCanonicalForm
from .encoding import from_base64url, sha256, sha256_hex, to_base64url
from .errors import SvcError, bad_answer, not_configured
from .flow import Acquire, Flow, Lock, Request, Response
from .json_text import NotJson, read_json
from .moment import moment_ms
from .settings import Settings
from .signature import SigningDomain, SigningKey, signing_input

# The rest of a token's life is left for requests on their way.
_RENEW_EARLY_MS = 60_000
_ENDED = ("session expired", "session revoked", "unknown key")
_TOKEN_BYTES_MAX = 64 * 1024

SendOnce = Callable[[Request, dict[str, str]], Flow[Response]]
"""Sends a request with these credentials; raises unsuccessful answers."""


class Authorization(Protocol):
    """Makes the headers that say who sends a request."""

    def headers_for(self, request: Request) -> Flow[dict[str, str]]: ...

    def may_repeat(self, refusal: SvcError, credentials: dict[str, str] | None) -> bool:
        """Whether sending the request again may help: it was refused before anything was done."""

    @property
    def private_key(self) -> str | None:
        """The agent's own, where the client has it."""

    def use_key(self, private_key: str) -> None:
        """From now on its requests are signed by this key."""


def authorization_of(settings: Settings, send: SendOnce, lock: Lock) -> Authorization:
    if settings.api_key is not None:
        return _ApiKey(settings.api_key, settings.agent_did)
    return SessionAuthorization(settings, send, lock)


class _ApiKey:
    def __init__(self, api_key: str, agent_did: str) -> None:
        self._headers = {"authorization": f"Bearer {api_key}", "x-agent-did": agent_did}

    def headers_for(self, request: Request) -> Flow[dict[str, str]]:
        yield from ()
        return self._headers

    def may_repeat(self, refusal: SvcError, credentials: dict[str, str] | None) -> bool:
        return False

    @property
    def private_key(self) -> str | None:
        return None

    def use_key(self, private_key: str) -> None:
        raise not_configured("This client has no private_key to change.")


@dataclass(frozen=True)
class _Session:
    token: str
    session_id: str
    renew_ms: float


class SessionAuthorization:
    """With the agent's own key, or with the token of the platform it runs on."""

    def __init__(self, settings: Settings, send: SendOnce, lock: Lock) -> None:
        self._settings = settings
        self._send = send
        # Locked while a session is opened or renewed, so that concurrent requests share it.
        self._lock = lock
        self._session: _Session | None = None
        # How far the service's clock is ahead of ours; ours counts until the service says that it is wrong.
        self._ahead_ms = 0.0
        self._private_key = settings.private_key
        # A workload's key is made for this process alone: it binds the session to it.
        seed = SigningKey.new_seed() if self._private_key is None else _seed_of(self._private_key)
        self._key = SigningKey(seed)

    @property
    def private_key(self) -> str | None:
        return self._private_key

    def use_key(self, private_key: str) -> None:
        self._key, self._private_key = SigningKey(_seed_of(private_key)), private_key
        self._session = None

    def headers_for(self, request: Request) -> Flow[dict[str, str]]:
        session = self._session
        if session is None or self._now_ms() >= session.renew_ms:
            yield Acquire(self._lock)
            try:
                # Another request may have opened one meanwhile.
                session = yield from self._current()
            finally:
                self._lock.release()
        return self._signed(request, session.token)

    def may_repeat(self, refusal: SvcError, credentials: dict[str, str] | None) -> bool:
        if refusal.code != "unauthenticated":
            return False
        if refusal.reason == "proof out of time":
            return self._follow(refusal.details.get("now"))
        if refusal.reason not in _ENDED:
            return False
        session = self._session
        refused = credentials.get("authorization") if credentials else None
        # Unless another request has opened a new one since.
        if session is not None and refused in (None, f"DPoP {session.token}"):
            self._session = None
        return True

    def _current(self) -> Flow[_Session]:
        last = self._session
        if last is not None and self._now_ms() < last.renew_ms:
            return last
        self._session = None
        try:
            session = yield from self._open(last)
        except SvcError:
            if last is None:
                raise
            session = yield from self._open(None)
        self._session = session
        return session

    def _open(self, last: _Session | None) -> Flow[_Session]:
        path = self._settings.workload_token_file
        return (yield from (self._prove(last) if path is None else self._exchange(Path(path))))

    def _exchange(self, path: Path) -> Flow[_Session]:
        """RFC 8693: opened, and renewed, by the token that the file holds now."""
        form = {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "client_id": "svc-workload",
            "subject_token": read_token(path),
            "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
            "agent_did": self._settings.agent_did,
        }
        headers = {"content-type": "application/x-www-form-urlencoded"}
        request = Request("POST", "/oauth/token", headers, changes=False, body=urlencode(form))
        body = _fields_of((yield from self._send(request, self._signed(request, None))))
        left_ms = float(_number_of(body, "expires_in")) * 1000 - _RENEW_EARLY_MS
        return _Session(_text_of(body, "access_token"), "", self._now_ms() + max(0.0, left_ms))

    def _prove(self, last: _Session | None) -> Flow[_Session]:
        """Another proof renews the last session; without one a new one is negotiated."""
        token = last.token if last else None
        session_id = last.session_id if last else (yield from self._negotiate())
        issued = yield from self._macs("generate_challenge", {"session_id": session_id}, token)
        response = answer_challenge(issued, self._settings.agent_did, self._key)
        proven = yield from self._macs("verify_response", response, token)
        end_ms = moment_ms(_text_of(proven, "token_expires_at")) or 0
        renew_ms = max(self._now_ms(), end_ms - _RENEW_EARLY_MS)
        return _Session(_text_of(proven, "session_token"), session_id, renew_ms)

    def _negotiate(self) -> Flow[str]:
        wish = {"profile": "DidAuth", "challenge_kind": "Nonce"}
        return _text_of((yield from self._macs("auth_negotiation", wish, None)), "session_id")

    def _macs(self, operation: str, content: dict[str, Any], token: str | None) -> Flow[dict[str, Any]]:
        """An agent proves itself to its own organization, whatever it calls afterwards."""
        tenant_id = self._settings.agent_did.split(":")[2]
        envelope = {
            "protocol": "MACS",
            "version": "v1",
            "operation": operation,
            "input": content,
            "tenant_id": tenant_id,
        }
        headers = {"content-type": "application/json"}
        request = Request("POST", "/v1/dispatch", headers, changes=False, body=json.dumps(envelope))
        body = _fields_of((yield from self._send(request, self._signed(request, token))))
        output = body.get("output")
        if not isinstance(output, dict):
            raise _no_proof("it holds no output")
        return output

    def _signed(self, request: Request, token: str | None) -> dict[str, str]:
        claims: dict[str, Any] = {
            "htm": request.method,
            "htu": f"{self._settings.api_url}{request.path}".split("?")[0],
            "iat": int(self._now_ms() // 1000),
            "jti": str(uuid.uuid4()),
        }
        if token is not None:
            claims["ath"] = to_base64url(sha256(token.encode()))
        if request.body is not None:
            claims["body_sha256"] = sha256_hex(request.body.encode())
        jwk = {"kty": "OKP", "crv": "Ed25519", "x": self._key.public_key}
        header = {"alg": "EdDSA", "typ": "dpop+jwt", "jwk": jwk}
        text = f"{_encoded(header)}.{_encoded(claims)}"
        headers = {"dpop": f"{text}.{self._key.sign(text)}", "x-agent-did": self._settings.agent_did}
        return headers if token is None else {**headers, "authorization": f"DPoP {token}"}

    def _now_ms(self) -> float:
        return time.time() * 1000 + self._ahead_ms

    def _follow(self, now: Any) -> bool:
        """False where the service told no time."""
        service_ms = moment_ms(now) if isinstance(now, str) else None
        if service_ms is None:
            return False
        self._ahead_ms = service_ms - time.time() * 1000
        return True


def _seed_of(private_key: str) -> bytes:
    seed = from_base64url(private_key)
    if seed is None:
        raise not_configured("The private_key is not 32 bytes in base64url; copy it again.")
    return seed


def answer_challenge(challenge: dict[str, Any], agent_did: str, key: SigningKey) -> dict[str, Any]:
    """The input of MACS verify_response that proves this agent by its key.

    The key signs treaties and delegations too. So the text to sign is rebuilt from the challenge's fields: an engine
    cannot obtain another signature this way. Raises `bad_answer` if the texts differ; then nothing was signed.
    """
    nonce = {name: challenge.get(name) for name in ("challenge_id", "audience", "nonce")}
    nonce["agent_did"] = agent_did
    stamped = {**nonce, **{name: challenge.get(name) for name in ("issued_at", "expires_at")}}
    text = challenge.get("signing_input")
    try:
        texts = [signing_input(SigningDomain.MACS_CHALLENGE, value) for value in (nonce, stamped)]
    except NoCanonicalForm:
        texts = []
    if not isinstance(text, str) or text not in texts:
        raise bad_answer(
            f"{agent_did} was not proven: what is to be signed is not this challenge; nothing was signed."
        )
    return {
        "challenge_id": challenge["challenge_id"],
        "agent_did": agent_did,
        "public_key": key.public_key,
        "signature": key.sign(text),
    }


def read_token(path: Path) -> str:
    """Read for each session: the platform replaces it before it expires. Never quoted in an error."""
    try:
        with path.open("rb") as file:
            data = file.read(_TOKEN_BYTES_MAX + 1)
        token = data.decode().strip()
    except (OSError, UnicodeDecodeError) as cause:
        raise _unreadable(path, type(cause).__name__) from None
    if not token or len(data) > _TOKEN_BYTES_MAX:
        raise _unreadable(path, "it is empty or no token")
    return token


def _unreadable(path: Path, why: str) -> SvcError:
    what = f"The workload token in {path} cannot be read ({why})"
    return not_configured(f"{what}; let the platform write it there.")


def _fields_of(response: Response) -> dict[str, Any]:
    try:
        body = read_json(response.body.decode("utf-8-sig", "replace"))
    except NotJson:
        body = None
    if not isinstance(body, dict):
        raise _no_proof("it is no JSON object")
    return body


def _text_of(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise _no_proof(f"it holds no {name}")
    return value


def _number_of(fields: dict[str, Any], name: str) -> float:
    value = fields.get(name, 0)
    return value if isinstance(value, (int, float)) else 0


def _no_proof(why: str) -> SvcError:
    what = f"The engine's answer to a proof of identity cannot be used ({why})"
    return bad_answer(f"{what}; check api_url.")


def _encoded(value: dict[str, Any]) -> str:
    return to_base64url(json.dumps(value, separators=(",", ":")).encode())
