# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MADE v1.0.0. What can be owned, who owes what to whom, and the ledger in which it is paid."""

from __future__ import annotations

from typing import Any, Dict, List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class AccountHistoryInput(Input):
    """Read what moved an account, with the balance after each entry; also as CSV or for ledger-cli."""

    asset_id: str
    """Name of an asset, the same for everybody."""
    type: Literal["available", "reserved", "escrow", "runway", "fees", "revenue", "issuance"] | None = None
    """Which account of the asset. Default `"available"`."""
    holder_did: str | None = None
    """Whose account; absent: the organization's own. Others' are shown to charter members."""
    from_: str | None = Field(default=None, validation_alias="from", serialization_alias="from")
    """Only entries from this time on; absent: from the first."""
    until: str | None = None
    """Only entries before this time; absent: up to the newest."""
    format: Literal["csv", "ledger"] | None = None
    """Also return the page as text: csv (RFC 4180), or ledger for ledger-cli and hledger."""
    limit: int | None = None
    """Entries per page. Default `100`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class AccountHistoryOutput(Output):
    """Answer of MADE account_history."""

    asset_id: str
    """Name of an asset, the same for everybody."""
    decimals: int
    """Digits after the point: a minor unit is 10^-decimals."""
    opening_balance: str
    """Balance before the first entry of this page."""
    closing_balance: str
    """Balance after the last entry of this page."""
    entries: List[AccountHistoryOutputEntry]
    """Oldest first."""
    text: str | None = None
    """Only with format. The texts of all pages in order are one file."""
    next_cursor: str | None = None
    """There are more entries."""


class AccountHistoryOutputEntry(Output):
    """A part of the above."""

    posted_at: str
    """When it was booked."""
    kind: str
    """What it was for, such as settlement, trade or top-up."""
    ref: str
    """What it belongs to: the id of a contract, a trade, an invoice."""
    amount: str
    """What it added; negative if it took."""
    balance: str
    """Balance of the account after it."""
    journal_id: str
    """Ledger journal that booked it."""
    correlation_id: str
    """Call that caused it, as in the audit log."""


class AssetDefinitionPublishInput(Input):
    """Define something that can be owned and paid."""

    asset_id: str
    """Name of an asset, the same for everybody."""
    kind: Literal["fiat", "credit", "token", "commodity", "service_unit"]
    """What the asset is; fiat needs conformance L2."""
    rail: str
    """internal, or the name of the outside system this is paid through."""
    denomination: AssetDefinitionPublishDenominationObject | str
    """Code alone, with 6 decimals, or code and decimals."""
    settlement_finality_seconds: int
    """How long a settlement can still be reversed by both."""
    lot_size: str | None = None
    """Orders are for multiples of this many minor units."""
    tick_size: str | None = None
    """Prices are multiples of this many minor units."""
    max_supply: str | None = None
    """The most minor units that can be issued; absent means no limit."""


class AssetDefinitionPublishDenominationObject(Input):
    """A part of the above."""

    code: str
    """Such as USD or GPUH."""
    decimals: int
    """Digits after the point: a minor unit is 10^-decimals."""


class AssetDefinitionPublishOutput(Output):
    """Answer of MADE asset_definition_publish."""

    asset_id: str
    """Name of an asset, the same for everybody."""
    asset_hash: str
    """Hash of the definition, which never changes."""
    issuer_tenant: str
    """Organization that published it: yours."""
    decimals: int
    """Digits after the point: a minor unit is 10^-decimals."""
    registered: str
    """Entry of the asset in the registry."""
    created: bool
    """False if the same asset had been published before."""


class EconomicContractCreateInput(Input):
    """Offer, view, accept, withdraw, cancel or waive an agreement on who owes what to whom."""

    counterparty_did: str | None = None
    """The other party; needed for an offer."""
    obligations: List[EconomicContractCreateObligation] | None = None
    """Who owes what to whom; needed for an offer."""
    escrow: bool | None = None
    """Move all amounts into escrow when the contract is accepted. Default `false`."""
    treaty_id: str | None = None
    """Treaty between the two organizations; absent within one."""
    expires_at: str | None = None
    """Until when the offer can be accepted."""
    arbitration: EconomicContractCreateArbitration | None = None
    """Where disputes are to be decided."""
    memo: str | None = None
    """Text for both sides, part of the signed terms."""
    nonce: str | None = None
    """Tells two offers of the same terms apart."""
    contract_id: str | None = None
    """The contract to act on; absent for an offer."""
    action: Literal["view", "withdraw", "cancel", "waive"] | None = None
    """What to do with contract_id; absent means accept, and without contract_id offer."""
    obligation_ids: List[str] | None = None
    """For waive: the obligations to waive. Default all owed to you."""
    signature: str | None = None
    """Your signature over the terms, if you sign with your own key."""
    public_key: str | None = None
    """Key the signature was made with."""


class EconomicContractCreateObligation(Input):
    """A part of the above."""

    id: str
    """Name of the obligation within the contract."""
    from_: Literal["proposer", "counterparty"] = Field(validation_alias="from", serialization_alias="from")
    """Who pays; the other side receives."""
    asset_id: str
    """Name of an asset, the same for everybody."""
    amount: str
    """How much is owed, in whole minor units of the asset."""
    due_at: str | None = None
    """When it has to be paid, not in the past. Default at once, when it is accepted."""
    condition: EconomicContractCreateObligationCondition | None = None
    """What must happen before it can be settled. Default nothing."""
    credit_to: Literal["available", "runway"] | None = None
    """Where the payee takes usd: its own account, or its organization's runway."""
    exchange: str | None = None
    """Goods against money: obligations of both sides with the same exchange are settled together, in one journal, or not at all. Needs escrow."""


class EconomicContractCreateObligationCondition(Input):
    """What must happen before it can be settled. Default nothing."""

    kind: Literal["none", "after_obligation", "attested", "trade"]
    """What must happen first: nothing, another obligation, an attestation or a trade."""
    ref: str | None = None
    """The obligation, attestation or trade that it waits for."""


class EconomicContractCreateArbitration(Input):
    """Where disputes are to be decided."""

    via: str
    """Means of arbitration, such as MOOT."""
    venue: str
    """Place or organization that decides."""


class EconomicContractCreateOutput(Output):
    """Answer of MADE economic_contract_create."""

    contract_id: str
    """Names the contract: the hash of its terms."""
    state: Literal["OFFERED", "ACTIVE", "PARTIALLY_SETTLED", "SETTLED", "FINAL", "WITHDRAWN", "EXPIRED", "CANCELLED", "DEFAULTED", "DISPUTED", "RULED_CLOSED"] | str
    """OFFERED until accepted, then ACTIVE; SETTLED becomes FINAL when it can no longer be reversed."""
    proposer_did: str
    """Who made the offer."""
    counterparty_did: str
    """Who the offer was made to."""
    expires_at: str
    """Until when the offer can be accepted."""
    obligations: List[EconomicContractCreateOutputObligation]
    """Every obligation with what has been paid of it."""
    escrowed: List[EconomicContractCreateOutputEscrowed]
    """What is in escrow now, by asset."""
    fee_bps: int | None = None
    """The highest that a payer of this contract bears."""
    signatures: List[EconomicContractCreateOutputSignature]
    """Who signed what."""


class EconomicContractCreateOutputObligation(Output):
    """A part of the above."""

    id: str
    """Name of the obligation within the contract."""
    from_: Literal["proposer", "counterparty"] | str = Field(validation_alias="from", serialization_alias="from")
    """Who pays; the other side receives."""
    asset_id: str
    """Name of an asset, the same for everybody."""
    amount: str
    """How much is owed, in whole minor units of the asset."""
    settled: str
    """How much of it has been paid, in whole minor units."""
    due_at: str
    """When it has to be paid; where none was agreed, when it was offered."""
    condition: EconomicContractCreateOutputObligationCondition
    """What must happen before it can be settled."""
    credit_to: Literal["available", "runway"] | str
    """Where the payee takes it: its own account, or its organization's runway."""
    exchange: str | None = None
    """Settled together with all others of this exchange, or not at all."""
    state: Literal["PENDING", "DUE", "SETTLED", "WAIVED", "NOVATED"] | str
    """PENDING until due; SETTLED, WAIVED by the payee, or NOVATED to another payer."""
    fee_bps: int | None = None
    """Fee its payer bears, in hundredths of a percent; absent until activation."""


class EconomicContractCreateOutputObligationCondition(Output):
    """What must happen before it can be settled."""

    kind: Literal["none", "after_obligation", "attested", "trade"] | str
    """What must happen first: nothing, another obligation, an attestation or a trade."""
    ref: str | None = None
    """The obligation, attestation or trade that it waits for."""


class EconomicContractCreateOutputEscrowed(Output):
    """A part of the above."""

    asset_id: str
    """Name of an asset, the same for everybody."""
    amount: str
    """How much of the asset is in escrow, in whole minor units."""


class EconomicContractCreateOutputSignature(Output):
    """A part of the above."""

    purpose: Literal["terms", "cancel"] | str
    """What was signed: the terms, or the cancellation."""
    signed_by: str
    """Party that signed."""
    public_key: str
    """Key that verifies the signature."""
    signature: str
    """The signature itself, base64url."""
    method: Literal["own", "custodial"] | str
    """own: with the signer's key; custodial: by the engine for the signer."""
    signed_at: str
    """When it was signed."""


class EconomicContractSettleInput(Input):
    """Pay what a contract owes, all of it or a part, or take a payment back while both agree."""

    contract_id: str
    """Contract to pay."""
    obligation_ids: List[str] | None = None
    """What to pay. Default all that are due."""
    amount: str | None = None
    """Part of one obligation to pay, in whole minor units. Default all of it."""
    rail_reference: str | None = None
    """What the outside rail calls this payment. Each one counts once."""
    authority: str | None = None
    """Verdict that binds MADE.economic_contract_settle to the contract, to issue more usd in 24 hours than one member may. Default: the newest that does."""
    reverse: str | None = None
    """Settlement to take back, instead of paying."""
    signature: str | None = None
    """Your signature over the reversal, if you sign with your own key."""
    public_key: str | None = None
    """Key the signature was made with."""


class EconomicContractSettleOutput(Output):
    """Answer of MADE economic_contract_settle."""

    settlement_id: str
    """Names this settlement."""
    journal_ids: List[str]
    """Ledger journals that booked it."""
    settled: List[EconomicContractSettleOutputSettled]
    """What was paid, by obligation."""
    state: Literal["POSTED", "FINAL", "REVERSED"] | str
    """Of this settlement."""
    contract_state: Literal["OFFERED", "ACTIVE", "PARTIALLY_SETTLED", "SETTLED", "FINAL", "WITHDRAWN", "EXPIRED", "CANCELLED", "DEFAULTED", "DISPUTED", "RULED_CLOSED"] | str
    """State of the contract after this settlement."""
    final_at: str
    """From when it can no longer be reversed."""
    balances: List[EconomicContractSettleOutputBalance]
    """Balances of the accounts that changed, as far as they are yours."""
    reversal_signed_by: List[str] | None = None
    """Parties that agreed to reverse it; both are needed."""


class EconomicContractSettleOutputSettled(Output):
    """A part of the above."""

    obligation_id: str
    """Obligation that was paid."""
    asset_id: str
    """Name of an asset, the same for everybody."""
    amount: str
    """How much was paid, in whole minor units."""
    fee: str
    """Fee the payer bore, in whole minor units."""


class EconomicContractSettleOutputBalance(Output):
    """A part of the above."""

    did: str | None = None
    """Holder of the account; absent for the organization itself."""
    asset_id: str
    """Name of an asset, the same for everybody."""
    type: str
    """What the account is for, such as available or escrow."""
    balance: str
    """Whole minor units after the settlement."""


class ListInput(Input):
    """List contracts with what is owed under them, or assets with what is held of them."""

    kind: Literal["contracts", "assets"] | None = None
    """What to list. Default `"contracts"`."""
    state: Literal["OFFERED", "ACTIVE", "PARTIALLY_SETTLED", "SETTLED", "FINAL", "WITHDRAWN", "EXPIRED", "CANCELLED", "DEFAULTED", "DISPUTED", "RULED_CLOSED"] | None = None
    """Only contracts in this state."""
    contract_id: str | None = None
    """Only this contract."""
    party_did: str | None = None
    """Only contracts of this party."""
    asset_id: str | None = None
    """Name of an asset, the same for everybody."""
    include_detail: bool | None = None
    """With contract_id or asset_id: the whole of it. Default `false`."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MADE list."""

    contracts: List[ListOutputContract] | None = None
    """Contracts your organization is a party of, newest first; absent where assets are listed."""
    assets: List[ListOutputAsset] | None = None
    """Assets your organization issued or holds; absent where contracts are listed."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputContract(Output):
    """A part of the above."""

    contract_id: str
    """Names the contract: the hash of its terms."""
    state: Literal["OFFERED", "ACTIVE", "PARTIALLY_SETTLED", "SETTLED", "FINAL", "WITHDRAWN", "EXPIRED", "CANCELLED", "DEFAULTED", "DISPUTED", "RULED_CLOSED"] | str
    """OFFERED until accepted, then ACTIVE; SETTLED becomes FINAL when it can no longer be reversed."""
    proposer_did: str
    """Who made the offer."""
    counterparty_did: str
    """Who the offer was made to."""
    treaty_id: str | None = None
    """Treaty the contract is made under; absent within one organization."""
    escrow: bool
    """Amounts are moved into escrow on acceptance."""
    offered_at: str
    """When it was offered."""
    activated_at: str | None = None
    """When it was accepted; absent until then."""
    expires_at: str
    """Until when the offer can be accepted."""
    obligations: int
    """Number of obligations."""
    obligations_due: int
    """How many of them are due now."""
    next_due_at: str | None = None
    """When the next open obligation is due; absent where none is open."""
    owed: List[ListOutputContractOwed]
    """Sums by payer and asset."""
    detail: ListOutputContractDetail | None = None
    """Only with include_detail."""


class ListOutputContractOwed(Output):
    """A part of the above."""

    from_: Literal["proposer", "counterparty"] | str = Field(validation_alias="from", serialization_alias="from")
    """Who pays."""
    asset_id: str
    """Name of an asset, the same for everybody."""
    amount: str
    """Whole minor units, added up."""
    settled: str
    """Whole minor units, added up."""


class ListOutputContractDetail(Output):
    """Only with include_detail."""

    terms: Dict[str, Any]
    """As they were hashed and signed."""
    obligations: List[ListOutputContractDetailObligation]
    """Every obligation with what has been paid of it."""
    escrowed: List[ListOutputContractDetailEscrowed]
    """What is in escrow now, by asset."""
    signatures: List[ListOutputContractDetailSignature]
    """Who signed what."""
    settlements: List[ListOutputContractDetailSettlement]
    """Payments made under the contract."""


class ListOutputContractDetailObligation(Output):
    """A part of the above."""

    id: str
    """Name of the obligation within the contract."""
    from_: Literal["proposer", "counterparty"] | str = Field(validation_alias="from", serialization_alias="from")
    """Who pays; the other side receives."""
    asset_id: str
    """Name of an asset, the same for everybody."""
    amount: str
    """How much is owed, in whole minor units of the asset."""
    settled: str
    """How much of it has been paid, in whole minor units."""
    due_at: str
    """When it has to be paid; where none was agreed, when it was offered."""
    condition: ListOutputContractDetailObligationCondition
    """What must happen before it can be settled."""
    credit_to: Literal["available", "runway"] | str
    """Where the payee takes it: its own account, or its organization's runway."""
    exchange: str | None = None
    """Settled together with all others of this exchange, or not at all."""
    state: Literal["PENDING", "DUE", "SETTLED", "WAIVED", "NOVATED"] | str
    """PENDING until due; SETTLED, WAIVED by the payee, or NOVATED to another payer."""
    fee_bps: int | None = None
    """Fee its payer bears, in hundredths of a percent; absent until activation."""


class ListOutputContractDetailObligationCondition(Output):
    """What must happen before it can be settled."""

    kind: Literal["none", "after_obligation", "attested", "trade"] | str
    """What must happen first: nothing, another obligation, an attestation or a trade."""
    ref: str | None = None
    """The obligation, attestation or trade that it waits for."""


class ListOutputContractDetailEscrowed(Output):
    """A part of the above."""

    asset_id: str
    """Name of an asset, the same for everybody."""
    amount: str
    """How much of the asset is in escrow, in whole minor units."""


class ListOutputContractDetailSignature(Output):
    """A part of the above."""

    purpose: Literal["terms", "cancel"] | str
    """What was signed: the terms, or the cancellation."""
    signed_by: str
    """Party that signed."""
    public_key: str
    """Key that verifies the signature."""
    signature: str
    """The signature itself, base64url."""
    method: Literal["own", "custodial"] | str
    """own: with the signer's key; custodial: by the engine for the signer."""
    signed_at: str
    """When it was signed."""


class ListOutputContractDetailSettlement(Output):
    """A part of the above."""

    settlement_id: str
    """Names the settlement."""
    state: Literal["POSTED", "FINAL", "REVERSED"] | str
    """POSTED can still be reversed, FINAL cannot."""
    settled_by: str
    """Who paid."""
    lines: List[ListOutputContractDetailSettlementLine]
    """What was paid."""
    journal_ids: List[str]
    """Ledger journals that booked it."""
    rail_reference: str | None = None
    """What the outside rail calls the payment."""
    posted_at: str
    """When it was paid."""
    final_at: str
    """From when it can no longer be reversed."""


class ListOutputContractDetailSettlementLine(Output):
    """A part of the above."""

    obligation_id: str
    """Obligation that was paid."""
    asset_id: str
    """Name of an asset, the same for everybody."""
    amount: str
    """How much was paid, in whole minor units."""
    fee: str
    """Fee the payer bore, in whole minor units."""


class ListOutputAsset(Output):
    """A part of the above."""

    asset_id: str
    """Name of an asset, the same for everybody."""
    asset_hash: str
    """Hash of the definition, which never changes."""
    issuer_tenant: str
    """Organization that published it."""
    kind: Literal["fiat", "credit", "token", "commodity", "service_unit"] | str
    """What the asset is; fiat needs conformance L2."""
    rail: str
    """internal, or the name of the outside system this is paid through."""
    denomination: ListOutputAssetDenomination
    """Code and precision."""
    settlement_finality_seconds: int
    """How long a settlement can still be reversed by both."""
    lot_size: str
    """Orders are for multiples of this many minor units."""
    tick_size: str
    """Prices are multiples of this."""
    max_supply: str | None = None
    """The most minor units that can be issued; absent means no limit."""
    balances: List[ListOutputAssetBalance]
    """What your organization holds, by type of account."""
    detail: ListOutputAssetDetail | None = None
    """Only with include_detail."""


class ListOutputAssetDenomination(Output):
    """Code and precision."""

    code: str
    """Such as USD or GPUH."""
    decimals: int
    """Digits after the point: a minor unit is 10^-decimals."""


class ListOutputAssetBalance(Output):
    """A part of the above."""

    type: Literal["available", "reserved", "escrow", "runway", "fees", "revenue", "issuance"] | str
    """available, or bound: reserved, escrow, runway and so on; issuance is the issuer's."""
    balance: str
    """Whole minor units, as a decimal string."""
    accounts: int
    """Number of accounts that were added up."""


class ListOutputAssetDetail(Output):
    """Only with include_detail."""

    accounts: List[ListOutputAssetDetailAccount]
    """The largest first; without a holder it is the organization’s."""


class ListOutputAssetDetailAccount(Output):
    """A part of the above."""

    holder_did: str | None = None
    """Who holds it; absent for the organization itself."""
    type: Literal["available", "reserved", "escrow", "runway", "fees", "revenue", "issuance"] | str
    """What the account is for."""
    balance: str
    """Whole minor units, as a decimal string."""


class Made(Operations):
    """What can be owned, who owes what to whom, and the ledger in which it is paid."""

    protocol = "MADE"

    def account_history(
        self,
        *,
        asset_id: str,
        type: Literal["available", "reserved", "escrow", "runway", "fees", "revenue", "issuance"] | None = None,
        holder_did: str | None = None,
        from_: str | None = None,
        until: str | None = None,
        format: Literal["csv", "ledger"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> AccountHistoryOutput:
        """Read what moved an account, with the balance after each entry; also as CSV or for ledger-cli. A read: retried."""
        return self._call("account_history", AccountHistoryInput, AccountHistoryOutput, {
            "asset_id": asset_id,
            "type": type,
            "holder_did": holder_did,
            "from_": from_,
            "until": until,
            "format": format,
            "limit": limit,
            "cursor": cursor,
        })

    def asset_definition_publish(
        self,
        *,
        asset_id: str,
        kind: Literal["fiat", "credit", "token", "commodity", "service_unit"],
        rail: str,
        denomination: AssetDefinitionPublishDenominationObject | str,
        settlement_finality_seconds: int,
        lot_size: str | None = None,
        tick_size: str | None = None,
        max_supply: str | None = None,
    ) -> AssetDefinitionPublishOutput:
        """Define something that can be owned and paid. A write: never retried."""
        return self._call("asset_definition_publish", AssetDefinitionPublishInput, AssetDefinitionPublishOutput, {
            "asset_id": asset_id,
            "kind": kind,
            "rail": rail,
            "denomination": denomination,
            "settlement_finality_seconds": settlement_finality_seconds,
            "lot_size": lot_size,
            "tick_size": tick_size,
            "max_supply": max_supply,
        })

    def economic_contract_create(
        self,
        *,
        counterparty_did: str | None = None,
        obligations: List[EconomicContractCreateObligation] | None = None,
        escrow: bool | None = None,
        treaty_id: str | None = None,
        expires_at: str | None = None,
        arbitration: EconomicContractCreateArbitration | None = None,
        memo: str | None = None,
        nonce: str | None = None,
        contract_id: str | None = None,
        action: Literal["view", "withdraw", "cancel", "waive"] | None = None,
        obligation_ids: List[str] | None = None,
        signature: str | None = None,
        public_key: str | None = None,
    ) -> EconomicContractCreateOutput:
        """Offer, view, accept, withdraw, cancel or waive an agreement on who owes what to whom. A write: never retried."""
        return self._call("economic_contract_create", EconomicContractCreateInput, EconomicContractCreateOutput, {
            "counterparty_did": counterparty_did,
            "obligations": obligations,
            "escrow": escrow,
            "treaty_id": treaty_id,
            "expires_at": expires_at,
            "arbitration": arbitration,
            "memo": memo,
            "nonce": nonce,
            "contract_id": contract_id,
            "action": action,
            "obligation_ids": obligation_ids,
            "signature": signature,
            "public_key": public_key,
        })

    def economic_contract_settle(
        self,
        *,
        contract_id: str,
        obligation_ids: List[str] | None = None,
        amount: str | None = None,
        rail_reference: str | None = None,
        authority: str | None = None,
        reverse: str | None = None,
        signature: str | None = None,
        public_key: str | None = None,
    ) -> EconomicContractSettleOutput:
        """Pay what a contract owes, all of it or a part, or take a payment back while both agree. A write: never retried."""
        return self._call("economic_contract_settle", EconomicContractSettleInput, EconomicContractSettleOutput, {
            "contract_id": contract_id,
            "obligation_ids": obligation_ids,
            "amount": amount,
            "rail_reference": rail_reference,
            "authority": authority,
            "reverse": reverse,
            "signature": signature,
            "public_key": public_key,
        })

    def list(
        self,
        *,
        kind: Literal["contracts", "assets"] | None = None,
        state: Literal["OFFERED", "ACTIVE", "PARTIALLY_SETTLED", "SETTLED", "FINAL", "WITHDRAWN", "EXPIRED", "CANCELLED", "DEFAULTED", "DISPUTED", "RULED_CLOSED"] | None = None,
        contract_id: str | None = None,
        party_did: str | None = None,
        asset_id: str | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List contracts with what is owed under them, or assets with what is held of them. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "kind": kind,
            "state": state,
            "contract_id": contract_id,
            "party_did": party_did,
            "asset_id": asset_id,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })


class AsyncMade(AsyncOperations):
    """What can be owned, who owes what to whom, and the ledger in which it is paid."""

    protocol = "MADE"

    async def account_history(
        self,
        *,
        asset_id: str,
        type: Literal["available", "reserved", "escrow", "runway", "fees", "revenue", "issuance"] | None = None,
        holder_did: str | None = None,
        from_: str | None = None,
        until: str | None = None,
        format: Literal["csv", "ledger"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> AccountHistoryOutput:
        """Read what moved an account, with the balance after each entry; also as CSV or for ledger-cli. A read: retried."""
        return await self._call("account_history", AccountHistoryInput, AccountHistoryOutput, {
            "asset_id": asset_id,
            "type": type,
            "holder_did": holder_did,
            "from_": from_,
            "until": until,
            "format": format,
            "limit": limit,
            "cursor": cursor,
        })

    async def asset_definition_publish(
        self,
        *,
        asset_id: str,
        kind: Literal["fiat", "credit", "token", "commodity", "service_unit"],
        rail: str,
        denomination: AssetDefinitionPublishDenominationObject | str,
        settlement_finality_seconds: int,
        lot_size: str | None = None,
        tick_size: str | None = None,
        max_supply: str | None = None,
    ) -> AssetDefinitionPublishOutput:
        """Define something that can be owned and paid. A write: never retried."""
        return await self._call("asset_definition_publish", AssetDefinitionPublishInput, AssetDefinitionPublishOutput, {
            "asset_id": asset_id,
            "kind": kind,
            "rail": rail,
            "denomination": denomination,
            "settlement_finality_seconds": settlement_finality_seconds,
            "lot_size": lot_size,
            "tick_size": tick_size,
            "max_supply": max_supply,
        })

    async def economic_contract_create(
        self,
        *,
        counterparty_did: str | None = None,
        obligations: List[EconomicContractCreateObligation] | None = None,
        escrow: bool | None = None,
        treaty_id: str | None = None,
        expires_at: str | None = None,
        arbitration: EconomicContractCreateArbitration | None = None,
        memo: str | None = None,
        nonce: str | None = None,
        contract_id: str | None = None,
        action: Literal["view", "withdraw", "cancel", "waive"] | None = None,
        obligation_ids: List[str] | None = None,
        signature: str | None = None,
        public_key: str | None = None,
    ) -> EconomicContractCreateOutput:
        """Offer, view, accept, withdraw, cancel or waive an agreement on who owes what to whom. A write: never retried."""
        return await self._call("economic_contract_create", EconomicContractCreateInput, EconomicContractCreateOutput, {
            "counterparty_did": counterparty_did,
            "obligations": obligations,
            "escrow": escrow,
            "treaty_id": treaty_id,
            "expires_at": expires_at,
            "arbitration": arbitration,
            "memo": memo,
            "nonce": nonce,
            "contract_id": contract_id,
            "action": action,
            "obligation_ids": obligation_ids,
            "signature": signature,
            "public_key": public_key,
        })

    async def economic_contract_settle(
        self,
        *,
        contract_id: str,
        obligation_ids: List[str] | None = None,
        amount: str | None = None,
        rail_reference: str | None = None,
        authority: str | None = None,
        reverse: str | None = None,
        signature: str | None = None,
        public_key: str | None = None,
    ) -> EconomicContractSettleOutput:
        """Pay what a contract owes, all of it or a part, or take a payment back while both agree. A write: never retried."""
        return await self._call("economic_contract_settle", EconomicContractSettleInput, EconomicContractSettleOutput, {
            "contract_id": contract_id,
            "obligation_ids": obligation_ids,
            "amount": amount,
            "rail_reference": rail_reference,
            "authority": authority,
            "reverse": reverse,
            "signature": signature,
            "public_key": public_key,
        })

    async def list(
        self,
        *,
        kind: Literal["contracts", "assets"] | None = None,
        state: Literal["OFFERED", "ACTIVE", "PARTIALLY_SETTLED", "SETTLED", "FINAL", "WITHDRAWN", "EXPIRED", "CANCELLED", "DEFAULTED", "DISPUTED", "RULED_CLOSED"] | None = None,
        contract_id: str | None = None,
        party_did: str | None = None,
        asset_id: str | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List contracts with what is owed under them, or assets with what is held of them. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "kind": kind,
            "state": state,
            "contract_id": contract_id,
            "party_did": party_did,
            "asset_id": asset_id,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })
