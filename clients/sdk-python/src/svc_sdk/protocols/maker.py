# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MAKER v1.0.0. Actions with external effects: authorised, supervised while they run, and provably stopped."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from ..models import Input, Output, SecretOutput
from ..operations import AsyncOperations, Operations


class EmergencyStopInput(Input):
    """Stop an action, everything of an agent or a device, or everything of the organization."""

    action_id: str | None = None
    """Action to stop, with the scope action."""
    stop_token: str | None = None
    """As execute_action answered it, in place of action_id."""
    scope: Literal["action", "agent", "device", "tenant"] | None = None
    """How much to stop: one action (default), all of an agent or device, or the whole tenant."""
    scope_id: str | None = None
    """The DID of an agent or a device; for tenant it is your own."""
    reason: str
    """Why it is stopped; recorded in the audit log."""
    mode: Literal["graceful", "immediate"] | None = None
    """immediate skips the grace period. Default `"graceful"`."""
    clear: EmergencyStopClear | None = None
    """Lifts the stop instead; needs L1 and the authority."""


class EmergencyStopClear(Input):
    """Lifts the stop instead; needs L1 and the authority."""

    authority: str | None = None
    """Charter verdict that allows it to run again; absent means the newest that fits."""


class EmergencyStopOutput(Output):
    """Answer of MAKER emergency_stop."""

    stop_ref: str
    """Names this stop."""
    halted: List[EmergencyStopOutputHalted]
    """Actions that have provably ended."""
    unconfirmed: List[EmergencyStopOutputUnconfirmed]
    """Actions not yet proved to have ended; stopping them is retried every second."""
    not_listed: int | None = None
    """How many more actions were told to stop than are listed."""
    devices_not_listed: int | None = None
    """How many more devices were told to be safe; those that are not safe are listed first."""
    devices: List[EmergencyStopOutputDevice]
    """Actuators that were sent to their safe state."""
    latched: EmergencyStopOutputLatched
    """What may not start anything until the stop is lifted."""
    latency_ms: int
    """Milliseconds until this answer."""


class EmergencyStopOutputHalted(Output):
    """A part of the above."""

    action_id: str
    """Action that was stopped."""
    at: str
    """When it ended, RFC 3339."""
    how: str
    """How it ended, such as never_started or already_finished."""


class EmergencyStopOutputUnconfirmed(Output):
    """A part of the above."""

    action_id: str
    """Action that may still run."""
    why: str
    """What is missing."""


class EmergencyStopOutputDevice(Output):
    """A part of the above."""

    actuator_id: str
    """Actuator that was told."""
    safe: bool
    """It has confirmed its safe state."""
    why: str | None = None
    """What is missing; absent if it is safe."""


class EmergencyStopOutputLatched(Output):
    """What may not start anything until the stop is lifted."""

    scope: Literal["action", "agent", "device", "tenant"] | str
    """How much is stopped."""
    scope_id: str
    """Action, agent, device or tenant that is stopped."""
    is_set: bool
    """False after it was lifted."""


class ExecuteActionInput(Input):
    """Start an action with an external effect that can be stopped at any time."""

    action_kind: str
    """What it is, in a word; grants may be narrowed to it with the caveat action_kind:<kind>."""
    target: str
    """What it is done to: a ref, or words. For http_request the address."""
    parameters: Dict[str, Any] | None = None
    """For the executor. http_request takes method, headers and body; script_ref gets them as JSON on its standard input."""
    executor: ExecuteActionExecutorByToolId | ExecuteActionExecutorByActuatorId | ExecuteActionExecutorByManifestRef | ExecuteActionExecutorByBuiltin
    """Who does it."""
    preconditions: List[str] | None = None
    """Checked before it begins; the action is refused where one does not hold."""
    max_duration_ms: int
    """It is stopped when it takes longer."""
    grace_ms: int | None = None
    """The time between asking it to stop and forcing it. Default `1000`."""
    safe_state: Dict[str, Any] | None = None
    """What must hold once it is stopped; an actuator's own descriptor says it for devices."""
    risk_ref: str | None = None
    """Risk that MARE scored for this action; needed if it is irreversible."""
    irreversible: bool
    """It cannot be undone; requires a risk_ref scored by MARE."""
    authority: str | None = None
    """Charter verdict for an irreversible action whose risk is above moderate."""
    mode: Literal["sync", "async"] | None = None
    """sync waits up to 24 seconds for the end; async (default) answers at once."""
    compensation: ExecuteActionExecutorByManifestRef | None = None
    """A workflow that is started when it failed or was stopped."""


class ExecuteActionExecutorByToolId(Input):
    """A part of the above."""

    tool_id: str
    """A tool of MAT; parameters are its arguments."""


class ExecuteActionExecutorByActuatorId(Input):
    """A part of the above."""

    actuator_id: str
    """An actuator of MOTE; parameters are the state it is set to."""


class ExecuteActionExecutorByManifestRef(Input):
    """A part of the above."""

    manifest_ref: str
    """The hash of what was submitted."""


class ExecuteActionExecutorByBuiltin(Input):
    """A part of the above."""

    builtin: Literal["http_request", "script_ref", "noop"]
    """Send an HTTP request, run a program of the operator's list, or do nothing."""
    script_ref: str | None = None
    """A program of the operator's list (SVC_COMMANDS)."""


class ExecuteActionOutput(SecretOutput):
    """Answer of MAKER execute_action."""

    action_id: str
    """Names the action, for emergency_stop."""
    ref: str
    """Names the action, for citations."""
    state: Literal["proposed", "authorised", "running", "succeeded", "failed", "stopping", "stopped", "stop_unconfirmed"] | str
    """stop_unconfirmed: it was told to stop, and nothing proves that it has."""
    how: str | None = None
    """How it ended, in words."""
    output: Any = None
    """What the executor answered; absent until it has ended."""
    error_code: str | None = None
    """Code of the failure; absent if it did not fail."""
    started_at: str | None = None
    """When it began, RFC 3339; absent until then."""
    stop_token: str
    """Names this action to emergency_stop, in place of its id."""


class ListInput(Input):
    """List actions, newest first."""

    state: Literal["proposed", "authorised", "running", "succeeded", "failed", "stopping", "stopped", "stop_unconfirmed"] | None = None
    """Only actions in this state."""
    owner_did: str | None = None
    """Only actions of this identity."""
    action_kind: str | None = None
    """Only actions of this kind."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MAKER list."""

    actions: List[ListOutputAction]
    """Actions, newest first."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputAction(Output):
    """A part of the above."""

    action_id: str
    """The action, as execute_action answered it."""
    ref: str
    """Names the action, for citations."""
    action_kind: str
    """What it is, in a word."""
    owner_did: str
    """Identity that began it."""
    state: Literal["proposed", "authorised", "running", "succeeded", "failed", "stopping", "stopped", "stop_unconfirmed"] | str
    """stop_unconfirmed: it was told to stop, and nothing proves that it has."""
    how: str | None = None
    """How it ended, in words; absent until it has."""
    error_code: str | None = None
    """Code of the failure; absent if it did not fail."""
    created_at: str
    """When it was asked for."""
    started_at: str | None = None
    """When it began; absent until then."""
    ended_at: str | None = None
    """When it ended; absent until then."""
    deadline_at: str
    """It is stopped if it has not ended by then."""


class StatusInput(Input):
    """Read how an action stands, and what its executor answered."""

    action_id: str
    """The action, as execute_action answered it."""


class StatusOutput(SecretOutput):
    """Answer of MAKER status."""

    action_id: str
    """The action, as execute_action answered it."""
    ref: str
    """Names the action, for citations."""
    action_kind: str
    """What it is, in a word."""
    owner_did: str
    """Identity that began it."""
    state: Literal["proposed", "authorised", "running", "succeeded", "failed", "stopping", "stopped", "stop_unconfirmed"] | str
    """stop_unconfirmed: it was told to stop, and nothing proves that it has."""
    how: str | None = None
    """How it ended, in words; absent until it has."""
    error_code: str | None = None
    """Code of the failure; absent if it did not fail."""
    created_at: str
    """When it was asked for."""
    started_at: str | None = None
    """When it began; absent until then."""
    ended_at: str | None = None
    """When it ended; absent until then."""
    deadline_at: str
    """It is stopped if it has not ended by then."""
    target: str | None = None
    """What it is done to; for the identity that began it, and charter members."""
    output: Any = None
    """What the executor answered; of a program its exit_code, signal, output and stderr, each up to 64 KiB. For the identity that began it, and charter members; absent until it has ended."""


class Maker(Operations):
    """Actions with external effects: authorised, supervised while they run, and provably stopped."""

    protocol = "MAKER"

    def emergency_stop(
        self,
        *,
        action_id: str | None = None,
        stop_token: str | None = None,
        scope: Literal["action", "agent", "device", "tenant"] | None = None,
        scope_id: str | None = None,
        reason: str,
        mode: Literal["graceful", "immediate"] | None = None,
        clear: EmergencyStopClear | None = None,
    ) -> EmergencyStopOutput:
        """Stop an action, everything of an agent or a device, or everything of the organization. A write: never retried."""
        return self._call("emergency_stop", EmergencyStopInput, EmergencyStopOutput, {
            "action_id": action_id,
            "stop_token": stop_token,
            "scope": scope,
            "scope_id": scope_id,
            "reason": reason,
            "mode": mode,
            "clear": clear,
        })

    def execute_action(
        self,
        *,
        action_kind: str,
        target: str,
        parameters: Dict[str, Any] | None = None,
        executor: ExecuteActionExecutorByToolId | ExecuteActionExecutorByActuatorId | ExecuteActionExecutorByManifestRef | ExecuteActionExecutorByBuiltin,
        preconditions: List[str] | None = None,
        max_duration_ms: int,
        grace_ms: int | None = None,
        safe_state: Dict[str, Any] | None = None,
        risk_ref: str | None = None,
        irreversible: bool,
        authority: str | None = None,
        mode: Literal["sync", "async"] | None = None,
        compensation: ExecuteActionExecutorByManifestRef | None = None,
    ) -> ExecuteActionOutput:
        """Start an action with an external effect that can be stopped at any time. A write: never retried."""
        return self._call("execute_action", ExecuteActionInput, ExecuteActionOutput, {
            "action_kind": action_kind,
            "target": target,
            "parameters": parameters,
            "executor": executor,
            "preconditions": preconditions,
            "max_duration_ms": max_duration_ms,
            "grace_ms": grace_ms,
            "safe_state": safe_state,
            "risk_ref": risk_ref,
            "irreversible": irreversible,
            "authority": authority,
            "mode": mode,
            "compensation": compensation,
        })

    def list(
        self,
        *,
        state: Literal["proposed", "authorised", "running", "succeeded", "failed", "stopping", "stopped", "stop_unconfirmed"] | None = None,
        owner_did: str | None = None,
        action_kind: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List actions, newest first. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "state": state,
            "owner_did": owner_did,
            "action_kind": action_kind,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def status(
        self,
        *,
        action_id: str,
    ) -> StatusOutput:
        """Read how an action stands, and what its executor answered. A read: retried."""
        return self._call("status", StatusInput, StatusOutput, {
            "action_id": action_id,
        })


class AsyncMaker(AsyncOperations):
    """Actions with external effects: authorised, supervised while they run, and provably stopped."""

    protocol = "MAKER"

    async def emergency_stop(
        self,
        *,
        action_id: str | None = None,
        stop_token: str | None = None,
        scope: Literal["action", "agent", "device", "tenant"] | None = None,
        scope_id: str | None = None,
        reason: str,
        mode: Literal["graceful", "immediate"] | None = None,
        clear: EmergencyStopClear | None = None,
    ) -> EmergencyStopOutput:
        """Stop an action, everything of an agent or a device, or everything of the organization. A write: never retried."""
        return await self._call("emergency_stop", EmergencyStopInput, EmergencyStopOutput, {
            "action_id": action_id,
            "stop_token": stop_token,
            "scope": scope,
            "scope_id": scope_id,
            "reason": reason,
            "mode": mode,
            "clear": clear,
        })

    async def execute_action(
        self,
        *,
        action_kind: str,
        target: str,
        parameters: Dict[str, Any] | None = None,
        executor: ExecuteActionExecutorByToolId | ExecuteActionExecutorByActuatorId | ExecuteActionExecutorByManifestRef | ExecuteActionExecutorByBuiltin,
        preconditions: List[str] | None = None,
        max_duration_ms: int,
        grace_ms: int | None = None,
        safe_state: Dict[str, Any] | None = None,
        risk_ref: str | None = None,
        irreversible: bool,
        authority: str | None = None,
        mode: Literal["sync", "async"] | None = None,
        compensation: ExecuteActionExecutorByManifestRef | None = None,
    ) -> ExecuteActionOutput:
        """Start an action with an external effect that can be stopped at any time. A write: never retried."""
        return await self._call("execute_action", ExecuteActionInput, ExecuteActionOutput, {
            "action_kind": action_kind,
            "target": target,
            "parameters": parameters,
            "executor": executor,
            "preconditions": preconditions,
            "max_duration_ms": max_duration_ms,
            "grace_ms": grace_ms,
            "safe_state": safe_state,
            "risk_ref": risk_ref,
            "irreversible": irreversible,
            "authority": authority,
            "mode": mode,
            "compensation": compensation,
        })

    async def list(
        self,
        *,
        state: Literal["proposed", "authorised", "running", "succeeded", "failed", "stopping", "stopped", "stop_unconfirmed"] | None = None,
        owner_did: str | None = None,
        action_kind: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List actions, newest first. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "state": state,
            "owner_did": owner_did,
            "action_kind": action_kind,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def status(
        self,
        *,
        action_id: str,
    ) -> StatusOutput:
        """Read how an action stands, and what its executor answered. A read: retried."""
        return await self._call("status", StatusInput, StatusOutput, {
            "action_id": action_id,
        })
