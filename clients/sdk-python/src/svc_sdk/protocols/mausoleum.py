# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MAUSOLEUM v1.0.0. Dissolution: wind up an organization and seal its audit log without deleting it."""

from __future__ import annotations

from typing import List, Literal

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class InitiateInput(Input):
    """Dissolve your organization by a charter decision, or cancel that during the notice period."""

    charter_authority: str
    """A verdict that binds MAUSOLEUM.initiate to the sha256 of {reason, schedule} as canonical JSON; to cancel, to the dissolution_id."""
    reason: str
    """Why the organization is dissolved, or why that is cancelled."""
    schedule: InitiateSchedule | None = None
    """Who takes over what; needed unless you cancel."""
    cancel: str | None = None
    """Dissolution to cancel, instead of beginning one."""


class InitiateSchedule(Input):
    """Who takes over what; needed unless you cancel."""

    asset_distribution: List[InitiateScheduleAssetDistribution]
    """Who gets what is left after the creditors were paid."""
    obligation_transfer: List[InitiateScheduleObligationTransfer] | None = None
    """Obligations that others take over; all others must be settled or ended."""
    successor_did: str
    """Who takes over for the organization."""


class InitiateScheduleAssetDistribution(Input):
    """A part of the above."""

    asset_id: str | Literal["*"]
    """An asset id, or * for all other assets."""
    to_did: str
    """Who gets this share."""
    share_bps: int
    """Share in hundredths of a percent; the shares of one asset add up to 10000."""


class InitiateScheduleObligationTransfer(Input):
    """A part of the above."""

    obligation: str
    """made://contract/<contract_id>/<obligation_id>."""
    to_did: str
    """Who takes the obligation over."""
    consent: str | None = None
    """Signature of the other party over svc-contract-v1 and {action: novate, contract_id, obligation_id, to_did}."""
    accepted: str | None = None
    """Signature of to_did over the same text; needed if it becomes the debtor."""
    public_key: str | None = None
    """Key of to_did, for its signature in accepted."""


class InitiateOutput(Output):
    """Answer of MAUSOLEUM initiate."""

    dissolution_id: str
    """Names the dissolution."""
    state: Literal["INITIATED", "DISTRIBUTING", "TRANSFERRING", "READY_TO_SEAL", "SEALED", "ARCHIVED", "CANCELLED", "BLOCKED"] | str
    """Where it stands; BLOCKED: a step failed and is retried. It can be cancelled while INITIATED."""
    notice_until: str
    """End of the notice period; until then it can be cancelled."""
    creditors: List[InitiateOutputCreditor]
    """Who is paid before anything is distributed, in this order."""
    blockers: List[str]
    """What must be resolved before it can go on, in words."""


class InitiateOutputCreditor(Output):
    """A part of the above."""

    rank: int
    """Order of payment: 1 awards of MOOT, 2 invoices of MEAL, 3 contracts."""
    ref: str
    """Contract or invoice that is owed."""
    tenant_id: str
    """Organization that is owed."""
    asset_id: str
    """Name of an asset, the same for everybody."""
    amount: str
    """How much is owed, in whole minor units of the asset."""
    amount_micro_usd: str | None = None
    """The same in whole millionths of a US dollar; only for usd."""


class ListInput(Input):
    """List the dissolutions of your organization and of those it succeeds, or read one in full."""

    dissolution_id: str | None = None
    """Only this dissolution."""
    state: Literal["INITIATED", "DISTRIBUTING", "TRANSFERRING", "READY_TO_SEAL", "SEALED", "ARCHIVED", "CANCELLED", "BLOCKED"] | None = None
    """Only dissolutions in this state."""
    include_detail: bool | None = None
    """Only with dissolution_id. Default `false`."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MAUSOLEUM list."""

    items: List[ListOutputItem]
    """Dissolutions of your organization, or in which it is the successor."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputItem(Output):
    """A part of the above."""

    dissolution_id: str
    """Names the dissolution."""
    tenant_id: str
    """Organization that is dissolved."""
    role: Literal["own", "successor"] | str
    """Whether your organization is dissolved, or takes over."""
    state: Literal["INITIATED", "DISTRIBUTING", "TRANSFERRING", "READY_TO_SEAL", "SEALED", "ARCHIVED", "CANCELLED", "BLOCKED"] | str
    """Where it stands; BLOCKED: a step failed and is retried."""
    initiated_by: str
    """Who began it."""
    initiated_at: str
    """When it began."""
    notice_until: str
    """End of the notice period; until then it can be cancelled."""
    successor_did: str
    """Who takes over for the organization."""
    cancelled_by: str | None = None
    """Who cancelled it; absent where nobody did."""
    cancelled_at: str | None = None
    """When it was cancelled; absent where it was not."""
    detail: ListOutputItemDetail | None = None
    """Only with include_detail."""


class ListOutputItemDetail(Output):
    """Only with include_detail."""

    reason: str
    """Why the organization is dissolved."""
    authority: str
    """Verdict that allowed it."""
    schedule: ListOutputItemDetailSchedule
    """Who takes over what."""
    blocked: ListOutputItemDetailBlocked | None = None
    """Step that failed and is retried; absent where none did."""
    steps: List[ListOutputItemDetailStep]
    """In execution order; empty for the successor."""
    outlook: ListOutputItemDetailOutlook | None = None
    """Before the seal: who is paid first, what blocks it, and who is notified."""
    seal: ListOutputItemDetailSeal | None = None
    """How the audit log was closed; absent until then."""


class ListOutputItemDetailSchedule(Output):
    """Who takes over what."""

    asset_distribution: List[ListOutputItemDetailScheduleAssetDistribution]
    """Who gets what is left after the creditors were paid."""
    obligation_transfer: List[ListOutputItemDetailScheduleObligationTransfer] | None = None
    """Obligations that others take over; all others must be settled or ended."""
    successor_did: str
    """Who takes over for the organization."""


class ListOutputItemDetailScheduleAssetDistribution(Output):
    """A part of the above."""

    asset_id: str | Literal["*"] | str
    """An asset id, or * for all other assets."""
    to_did: str
    """Who gets this share."""
    share_bps: int
    """Share in hundredths of a percent; the shares of one asset add up to 10000."""


class ListOutputItemDetailScheduleObligationTransfer(Output):
    """A part of the above."""

    obligation: str
    """made://contract/<contract_id>/<obligation_id>."""
    to_did: str
    """Who takes the obligation over."""
    consent: str | None = None
    """Signature of the other party over svc-contract-v1 and {action: novate, contract_id, obligation_id, to_did}."""
    accepted: str | None = None
    """Signature of to_did over the same text; needed if it becomes the debtor."""
    public_key: str | None = None
    """Key of to_did, for its signature in accepted."""


class ListOutputItemDetailBlocked(Output):
    """Step that failed and is retried; absent where none did."""

    step: Literal["orders", "holds", "usage", "distribution", "obligations", "treaties", "seal", "publication", "archive"] | str
    """Step that failed."""
    reason: str
    """Why it failed."""


class ListOutputItemDetailStep(Output):
    """A part of the above."""

    step: Literal["orders", "holds", "usage", "distribution", "obligations", "treaties", "seal", "publication", "archive"] | str
    """Name of the step."""
    done_at: str | None = None
    """When it was done; absent until then."""


class ListOutputItemDetailOutlook(Output):
    """Before the seal: who is paid first, what blocks it, and who is notified."""

    creditors: List[ListOutputItemDetailOutlookCreditor]
    """Who is paid before anything is distributed, in this order."""
    blockers: List[str]
    """What must be resolved before it can go on, in words."""
    concerned: List[str]
    """Organizations that are notified."""


class ListOutputItemDetailOutlookCreditor(Output):
    """A part of the above."""

    rank: int
    """Order of payment: 1 awards of MOOT, 2 invoices of MEAL, 3 contracts."""
    ref: str
    """Contract or invoice that is owed."""
    tenant_id: str
    """Organization that is owed."""
    asset_id: str
    """Name of an asset, the same for everybody."""
    amount: str
    """How much is owed, in whole minor units of the asset."""
    amount_micro_usd: str | None = None
    """The same in whole millionths of a US dollar; only for usd."""


class ListOutputItemDetailSeal(Output):
    """How the audit log was closed; absent until then."""

    dissolution_id: str
    """Dissolution that ended."""
    state: Literal["SEALED", "ARCHIVED"] | str
    """ARCHIVED once the records were bundled as well."""
    final_hash: str
    """Hash of the last record; none can follow."""
    final_seq: int
    """Place of the last record."""
    seal: ListOutputItemDetailSealSeal
    """The last key of the chain; its private part has been destroyed."""
    mars_ref: str
    """Entry of the seal in the registry."""
    archive: ListOutputItemDetailSealArchive | None = None
    """Bundle of all records; absent until it was made."""


class ListOutputItemDetailSealSeal(Output):
    """The last key of the chain; its private part has been destroyed."""

    tenant_id: str
    """Organization whose log is closed."""
    final_seq: int
    """Place of the last record; none can follow."""
    final_hash: str
    """Hash of the last record."""
    root: str
    """Root of the tree over all records."""
    checkpoint: str
    """C2SP signed note over the whole chain, signed with its last key."""
    key_id: str
    """Short id of the key, as signed notes name it."""
    public_key: str
    """Key that verifies the last signed note."""


class ListOutputItemDetailSealArchive(Output):
    """Bundle of all records; absent until it was made."""

    hash: str
    """Names the bundle: the hash of its bytes."""
    bytes: int
    """Size of the bundle."""
    records: int
    """Number of records in it."""


class SealInput(Input):
    """Seal the audit log of a dissolved organization and destroy its signing key."""

    dissolution_id: str | None = None
    """Dissolution to end; default the open one."""
    expected_head: str | None = None
    """Hash of the last record you know; sealing is refused if the chain has newer records."""


class SealOutput(Output):
    """Answer of MAUSOLEUM seal."""

    dissolution_id: str
    """Dissolution that ended."""
    state: Literal["SEALED", "ARCHIVED"] | str
    """ARCHIVED once the records were bundled as well."""
    final_hash: str
    """Hash of the last record; none can follow."""
    final_seq: int
    """Place of the last record."""
    seal: SealOutputSeal
    """The last key of the chain; its private part has been destroyed."""
    mars_ref: str
    """Entry of the seal in the registry."""
    archive: SealOutputArchive | None = None
    """Bundle of all records; absent until it was made."""


class SealOutputSeal(Output):
    """The last key of the chain; its private part has been destroyed."""

    tenant_id: str
    """Organization whose log is closed."""
    final_seq: int
    """Place of the last record; none can follow."""
    final_hash: str
    """Hash of the last record."""
    root: str
    """Root of the tree over all records."""
    checkpoint: str
    """C2SP signed note over the whole chain, signed with its last key."""
    key_id: str
    """Short id of the key, as signed notes name it."""
    public_key: str
    """Key that verifies the last signed note."""


class SealOutputArchive(Output):
    """Bundle of all records; absent until it was made."""

    hash: str
    """Names the bundle: the hash of its bytes."""
    bytes: int
    """Size of the bundle."""
    records: int
    """Number of records in it."""


class Mausoleum(Operations):
    """Dissolution: wind up an organization and seal its audit log without deleting it."""

    protocol = "MAUSOLEUM"

    def initiate(
        self,
        *,
        charter_authority: str,
        reason: str,
        schedule: InitiateSchedule | None = None,
        cancel: str | None = None,
    ) -> InitiateOutput:
        """Dissolve your organization by a charter decision, or cancel that during the notice period. A write: never retried."""
        return self._call("initiate", InitiateInput, InitiateOutput, {
            "charter_authority": charter_authority,
            "reason": reason,
            "schedule": schedule,
            "cancel": cancel,
        })

    def list(
        self,
        *,
        dissolution_id: str | None = None,
        state: Literal["INITIATED", "DISTRIBUTING", "TRANSFERRING", "READY_TO_SEAL", "SEALED", "ARCHIVED", "CANCELLED", "BLOCKED"] | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the dissolutions of your organization and of those it succeeds, or read one in full. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "dissolution_id": dissolution_id,
            "state": state,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def seal(
        self,
        *,
        dissolution_id: str | None = None,
        expected_head: str | None = None,
    ) -> SealOutput:
        """Seal the audit log of a dissolved organization and destroy its signing key. A write: never retried."""
        return self._call("seal", SealInput, SealOutput, {
            "dissolution_id": dissolution_id,
            "expected_head": expected_head,
        })


class AsyncMausoleum(AsyncOperations):
    """Dissolution: wind up an organization and seal its audit log without deleting it."""

    protocol = "MAUSOLEUM"

    async def initiate(
        self,
        *,
        charter_authority: str,
        reason: str,
        schedule: InitiateSchedule | None = None,
        cancel: str | None = None,
    ) -> InitiateOutput:
        """Dissolve your organization by a charter decision, or cancel that during the notice period. A write: never retried."""
        return await self._call("initiate", InitiateInput, InitiateOutput, {
            "charter_authority": charter_authority,
            "reason": reason,
            "schedule": schedule,
            "cancel": cancel,
        })

    async def list(
        self,
        *,
        dissolution_id: str | None = None,
        state: Literal["INITIATED", "DISTRIBUTING", "TRANSFERRING", "READY_TO_SEAL", "SEALED", "ARCHIVED", "CANCELLED", "BLOCKED"] | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the dissolutions of your organization and of those it succeeds, or read one in full. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "dissolution_id": dissolution_id,
            "state": state,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def seal(
        self,
        *,
        dissolution_id: str | None = None,
        expected_head: str | None = None,
    ) -> SealOutput:
        """Seal the audit log of a dissolved organization and destroy its signing key. A write: never retried."""
        return await self._call("seal", SealInput, SealOutput, {
            "dissolution_id": dissolution_id,
            "expected_head": expected_head,
        })
