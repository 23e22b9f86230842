"""What both clients share: settings, defaults, and the flows of their calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from typing_extensions import Self, Unpack

from .calls import Calls
from .flow import Lock
from .options import CallOptions
from .settings import Settings, resolve_settings

H = TypeVar("H")


class ClientBase(Generic[H]):
    """The constructor of both clients; `H` is their kind of HTTP client."""

    def __init__(
        self,
        *,
        api_url: str | None = None,
        api_key: str | None = None,
        private_key: str | None = None,
        workload_token_file: str | None = None,
        agent_did: str | None = None,
        tenant_id: str | None = None,
        profile: str | None = None,
        headers: Mapping[str, str] | None = None,
        traceparent: Callable[[], str | None] | None = None,
        timeout_s: float = 30.0,
        retry: bool = True,
        http_client: H | None = None,
    ) -> None:
        arguments = {
            "api_url": api_url,
            "api_key": api_key,
            "private_key": private_key,
            "workload_token_file": workload_token_file,
            "agent_did": agent_did,
            "tenant_id": tenant_id,
            "profile": profile,
        }
        defaults: CallOptions = {"timeout_s": timeout_s, "retry": retry}
        settings = resolve_settings(arguments)
        self._calls = Calls(settings, self._new_lock(), headers, traceparent, defaults)
        self._http: H = self._new_http() if http_client is None else http_client
        self._is_own = http_client is None

    @property
    def settings(self) -> Settings:
        """The resolved settings."""
        return self._calls.settings

    def with_options(self, **options: Unpack[CallOptions]) -> Self:
        """The same client with other defaults for its calls: `client.with_options(idempotency_key="k").max…`."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._calls = self._calls.with_options(options)
        # Whoever opened the connections closes them.
        other._is_own = False
        return other

    def _new_lock(self) -> Lock:
        raise NotImplementedError

    def _new_http(self) -> H:
        raise NotImplementedError
