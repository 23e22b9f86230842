# Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.
"""MACE v1.0.0. Councils: an organization decides as a whole by motions, votes and verdicts."""

from __future__ import annotations

from typing import List, Literal

from pydantic import Field

from ..models import Input, Output
from ..operations import AsyncOperations, Operations


class ConveneInput(Input):
    """Convene a council on a motion."""

    motion: ConveneMotionObject | str
    """Its text, or title and text with what it authorizes and changes."""
    quorum: ConveneQuorumObject | Literal["simple", "majority", "supermajority", "unanimous"] | str
    """simple and majority: more than half attend, more than half agree. n/d sets only the threshold."""
    deadline_ms: int
    """Time until the deadline; at least an hour for a charter-level motion of several seats."""
    objection_ms: int | None = None
    """How long seats may still object after the last position, where nothing can change any more. A vote of all seats needs no wait, and the deadline ends it. At least an hour for a charter-level motion of several seats. Default `86400000`."""
    composition_rules: ConveneCompositionRules
    """Who sits in the council and who must take part."""


class ConveneMotionObject(Input):
    """A part of the above."""

    title: str
    """Short name for lists."""
    text: str
    """What is put to the vote; it cannot be changed later."""
    charter_level: bool | None = None
    """Binds the whole organization; always true if binds or effects do."""
    binds: List[ConveneMotionObjectBind] | None = None
    """Operations that the verdict authorizes once passed."""
    effects: List[ConveneMotionObjectEffect] | None = None
    """Changes made in the moment it passes."""
    authority_ttl_days: int | None = None
    """Days for which a passed verdict may be used. Default `30`."""
    max_uses: int | None = None
    """How often a passed verdict may be used. Default `1`."""
    executor_did: str | None = None
    """Who may use the verdict; absent: any charter member."""


class ConveneMotionObjectBind(Input):
    """A part of the above."""

    protocol: str
    """Protocol of the operation that the verdict authorizes."""
    operation: str
    """Operation that the verdict authorizes."""
    subject: str
    """What the operation may be applied to: a hash, or a name defined by the operation."""


class ConveneMotionObjectEffect(Input):
    """A part of the above."""

    kind: Literal["charter_members"]
    """What the motion changes when it passes: who is a charter member."""
    add: List[str] | None = None
    """New charter members."""
    remove: List[str] | None = None
    """Charter members who leave."""


class ConveneQuorumObject(Input):
    """A part of the above."""

    attendance: str
    """Share of the seats that must attend, such as 1/2."""
    threshold: str
    """Share of the votes for and against that must agree, such as 2/3."""


class ConveneCompositionRules(Input):
    """Who sits in the council and who must take part."""

    min_delegates: int | None = None
    """Members who must attend at least, whatever the quorum. Default `1`."""
    must_include_did: str | List[str] | None = None
    """Must take part, or there is no quorum."""
    delegates: List[str] | None = None
    """The seats. Default, and fixed for charter-level motions: all charter members."""


class ConveneOutput(Output):
    """Answer of MACE convene."""

    motion_id: str
    """Names the motion in the other MACE operations."""
    council_id: str
    """Council of this motion; it ends with the motion."""
    motion_hash: str
    """Hash of the motion; votes sign it."""
    state: Literal["CONVENED", "OPEN", "TALLIED", "LAPSED", "WITHDRAWN"] | str
    """CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN."""
    title: str
    """Short name for lists."""
    text: str
    """What is put to the vote."""
    charter_level: bool
    """Whether it binds the whole organization; seats are then all charter members."""
    binds: List[ConveneOutputBind]
    """Operations that the verdict authorizes once passed."""
    effects: List[ConveneOutputEffect]
    """Changes made in the moment it passes."""
    authority_ttl_days: int
    """Days for which a passed verdict may be used."""
    max_uses: int
    """How often a passed verdict may be used."""
    executor_did: str | None = None
    """Who may use the verdict; absent: any charter member."""
    convened_by: str
    """DID that called the council."""
    seats: List[ConveneOutputSeat]
    """Members of the council."""
    attendance: ConveneOutputAttendance
    """Who has appeared, and how many must."""
    attendance_needed: int
    """Seats needed for a quorum."""
    threshold: ConveneOutputThreshold
    """Agreement needed to pass."""
    opens_when: str
    """What is needed for voting to open, in words."""
    deadline_at: str
    """Positions are taken until then."""
    objection_ms: int
    """How long seats may still object after the last position of a settled vote."""


class ConveneOutputBind(Output):
    """A part of the above."""

    protocol: str
    """Protocol of the operation that the verdict authorizes."""
    operation: str
    """Operation that the verdict authorizes."""
    subject: str
    """What the operation may be applied to: a hash, or a name defined by the operation."""


class ConveneOutputEffect(Output):
    """A part of the above."""

    kind: Literal["charter_members"] | str
    """What changes: who is a charter member."""
    add: List[str]
    """New charter members."""
    remove: List[str]
    """Charter members who leave."""


class ConveneOutputSeat(Output):
    """A part of the above."""

    did: str
    """The member."""
    required: bool
    """Whether there is no quorum without this member."""


class ConveneOutputAttendance(Output):
    """Who has appeared, and how many must."""

    present: int
    """Seats that voted, abstained or are present."""
    needed: int
    """Seats needed for a quorum."""


class ConveneOutputThreshold(Output):
    """Agreement needed to pass."""

    of_votes: str
    """Share of the votes for and against."""
    of_seats: str | None = None
    """Share of all seats; charter-level motions only."""


class DeliberateInput(Input):
    """Take a seat, argue or vote; the last position before the deadline counts."""

    motion_id: str
    """Motion to take a position on."""
    position: Literal["for", "against", "abstain", "recuse", "present"]
    """Abstain and present count for attendance only; recuse leaves the count. The last one counts."""
    reasoning: str
    """Why; published with the verdict, also if outvoted."""
    citations: List[str] | None = None
    """Evidence that must exist; it is checked."""
    signature: str | None = None
    """Of the vote; absent: the engine signs if it keeps your key. Charter-level votes must be signed."""
    public_key: str | None = None
    """Key that made the signature; needed unless the engine keeps it."""


class DeliberateOutput(Output):
    """Answer of MACE deliberate."""

    position_id: str
    """Names this position in the verdict."""
    state: Literal["CONVENED", "OPEN", "TALLIED", "LAPSED", "WITHDRAWN"] | str
    """CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN."""
    attendance: DeliberateOutputAttendance
    """Who has appeared, and how many must."""
    counted_position: Literal["for", "against", "abstain", "recuse", "present"] | str
    """Your position as it counts now."""
    revision: int
    """Number of positions you have taken on this motion."""
    closes_at: str
    """When it may be tallied as things are now; until then every seat may still take a position or dissent."""


class DeliberateOutputAttendance(Output):
    """Who has appeared, and how many must."""

    present: int
    """Seats that voted, abstained or are present."""
    needed: int
    """Seats needed for a quorum."""


class ListInput(Input):
    """List the motions of your organization, or read one in full with its votes and dissent."""

    motion_id: str | None = None
    """Only this motion."""
    state: Literal["CONVENED", "OPEN", "TALLIED", "LAPSED", "WITHDRAWN"] | None = None
    """Only motions in this state now."""
    charter_level: bool | None = None
    """True: only those that bind the whole organization; false: only others."""
    include_detail: bool | None = None
    """Only with motion_id. Default `false`."""
    since: str | None = None
    """Only entries from this time on, RFC 3339 in UTC."""
    limit: int | None = None
    """Entries per page. Default `25`."""
    cursor: str | None = None
    """next_cursor of the previous page."""


class ListOutput(Output):
    """Answer of MACE list."""

    items: List[ListOutputItem]
    """Motions, newest first."""
    next_cursor: str | None = None
    """There may be more entries, even after a page that is not full."""


class ListOutputItem(Output):
    """A part of the above."""

    motion_id: str
    """Names the motion in the other MACE operations."""
    council_id: str
    """Council of this motion; it ends with the motion."""
    motion_hash: str
    """Hash of the motion; votes sign it."""
    state: Literal["CONVENED", "OPEN", "TALLIED", "LAPSED", "WITHDRAWN"] | str
    """CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN."""
    title: str
    """Short name for lists."""
    charter_level: bool
    """Whether it binds the whole organization."""
    binds: List[ListOutputItemBind]
    """Operations that the verdict authorizes once passed."""
    convened_by: str
    """DID that called the council."""
    convened_at: str
    """When the council was called."""
    deadline_at: str
    """Positions are taken until then."""
    seats: int
    """Number of members in the council."""
    attendance: ListOutputItemAttendance
    """Who has appeared, and how many must."""
    threshold: ListOutputItemThreshold
    """Agreement needed to pass."""
    verdict: ListOutputItemVerdict | None = None
    """Result; absent before the tally."""
    detail: ListOutputItemDetail | None = None
    """Motion, quorum and verdict in full; with include_detail."""


class ListOutputItemBind(Output):
    """A part of the above."""

    protocol: str
    """Protocol of the operation that the verdict authorizes."""
    operation: str
    """Operation that the verdict authorizes."""
    subject: str
    """What the operation may be applied to: a hash, or a name defined by the operation."""


class ListOutputItemAttendance(Output):
    """Who has appeared, and how many must."""

    present: int
    """Seats that voted, abstained or are present."""
    needed: int
    """Seats needed for a quorum."""


class ListOutputItemThreshold(Output):
    """Agreement needed to pass."""

    of_votes: str
    """Share of the votes for and against."""
    of_seats: str | None = None
    """Share of all seats; charter-level motions only."""


class ListOutputItemVerdict(Output):
    """Result; absent before the tally."""

    ref: str
    """Reference to cite as authority."""
    outcome: Literal["PASSED", "FAILED", "NO_QUORUM"] | str
    """NO_QUORUM: too few took part, or a required member did not."""
    counts: ListOutputItemVerdictCounts
    """Seats by final position."""
    dissent: int
    """Number of outvoted seats."""
    tallied_at: str
    """When the result was declared."""
    valid_until: str
    """The verdict authorizes nothing after this."""
    uses: int
    """How often it has been used."""
    max_uses: int
    """How often it may be used."""


class ListOutputItemVerdictCounts(Output):
    """Seats by final position."""

    for_: int = Field(validation_alias="for", serialization_alias="for")
    """Votes for."""
    against: int
    """Votes against."""
    abstain: int
    """Attended without voting for or against."""
    recused: int
    """Members who recused themselves."""
    absent: int
    """Members who took no position."""


class ListOutputItemDetail(Output):
    """Motion, quorum and verdict in full; with include_detail."""

    motion: ListOutputItemDetailMotion
    """The motion in full."""
    quorum: ListOutputItemDetailQuorum
    """Attendance and agreement it needs."""
    verdict: ListOutputItemDetailVerdict | None = None
    """Result with majority and dissent; absent before the tally."""
    positions: List[ListOutputItemDetailPosition] | None = None
    """The last position of each seat, once the motion is tallied."""


class ListOutputItemDetailMotion(Output):
    """The motion in full."""

    motion_id: str
    """Names the motion in the other MACE operations."""
    council_id: str
    """Council of this motion; it ends with the motion."""
    motion_hash: str
    """Hash of the motion; votes sign it."""
    state: Literal["CONVENED", "OPEN", "TALLIED", "LAPSED", "WITHDRAWN"] | str
    """CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN."""
    title: str
    """Short name for lists."""
    text: str
    """What is put to the vote."""
    charter_level: bool
    """Whether it binds the whole organization; seats are then all charter members."""
    binds: List[ListOutputItemBind]
    """Operations that the verdict authorizes once passed."""
    effects: List[ListOutputItemDetailMotionEffect]
    """Changes made in the moment it passes."""
    authority_ttl_days: int
    """Days for which a passed verdict may be used."""
    max_uses: int
    """How often a passed verdict may be used."""
    executor_did: str | None = None
    """Who may use the verdict; absent: any charter member."""
    convened_by: str
    """DID that called the council."""
    seats: List[ListOutputItemDetailMotionSeat]
    """Members of the council."""
    attendance: ListOutputItemAttendance
    """Who has appeared, and how many must."""
    attendance_needed: int
    """Seats needed for a quorum."""
    threshold: ListOutputItemThreshold
    """Agreement needed to pass."""
    opens_when: str
    """What is needed for voting to open, in words."""
    deadline_at: str
    """Positions are taken until then."""
    objection_ms: int
    """How long seats may still object after the last position of a settled vote."""


class ListOutputItemDetailMotionEffect(Output):
    """A part of the above."""

    kind: Literal["charter_members"] | str
    """What changes: who is a charter member."""
    add: List[str]
    """New charter members."""
    remove: List[str]
    """Charter members who leave."""


class ListOutputItemDetailMotionSeat(Output):
    """A part of the above."""

    did: str
    """The member."""
    required: bool
    """Whether there is no quorum without this member."""


class ListOutputItemDetailQuorum(Output):
    """Attendance and agreement it needs."""

    attendance: str
    """Share of the seats that are not recused."""
    threshold: str
    """Share of the votes for and against."""
    min_delegates: int
    """Members who must attend at least, whatever the quorum."""


class ListOutputItemDetailVerdict(Output):
    """Result with majority and dissent; absent before the tally."""

    motion_id: str
    """The motion."""
    state: Literal["CONVENED", "OPEN", "TALLIED", "LAPSED", "WITHDRAWN"] | str
    """CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN."""
    motion: ListOutputItemDetailMotion | None = None
    """The motion in full; for view and withdraw."""
    verdict_id: str | None = None
    """Hash of the verdict with every position."""
    ref: str | None = None
    """Reference to cite as authority."""
    registered: str | None = None
    """Its entry in the registry."""
    outcome: Literal["PASSED", "FAILED", "NO_QUORUM"] | str | None = None
    """NO_QUORUM: too few took part, or a required member did not."""
    counts: ListOutputItemVerdictCounts | None = None
    """Seats by final position."""
    attendance: ListOutputItemAttendance | None = None
    """Who appeared, and how many had to."""
    threshold: ListOutputItemThreshold | None = None
    """Agreement needed to pass."""
    majority: List[ListOutputItemDetailVerdictMajority] | None = None
    """Members whose side won, with reasons."""
    dissent: List[ListOutputItemDetailVerdictMajority] | None = None
    """Members who were outvoted, with reasons."""
    binds: List[ListOutputItemBind] | None = None
    """Operations that it authorizes."""
    max_uses: int | None = None
    """How often it may be used."""
    valid_until: str | None = None
    """It authorizes nothing after this."""
    effects_applied: List[ListOutputItemDetailVerdictEffectsApplied] | None = None
    """Changes that were made with it."""


class ListOutputItemDetailVerdictMajority(Output):
    """A part of the above."""

    did: str
    """Member of the council."""
    reasoning: str
    """The reasons given."""
    position_id: str
    """Names the position."""


class ListOutputItemDetailVerdictEffectsApplied(Output):
    """A part of the above."""

    kind: Literal["charter_members"] | str
    """What changed: who is a charter member."""
    add: List[str]
    """New charter members."""
    remove: List[str]
    """Charter members who left."""


class ListOutputItemDetailPosition(Output):
    """A part of the above."""

    did: str
    """Member who took it."""
    position: Literal["for", "against", "abstain", "recuse", "present"] | str
    """Abstain and present count for attendance only; recuse leaves the count."""
    position_id: str
    """Names the position in the verdict."""
    signed: Literal["own", "custodial", "no"] | str
    """Own: by the member's key. Custodial: by the engine, which keeps the key. No: unsigned."""


class TallyInput(Input):
    """Tally a motion and declare its verdict with the dissent, or view or withdraw the motion."""

    motion_id: str
    """Motion to close or view."""
    action: Literal["tally", "view", "withdraw"] | None = None
    """Default tally: declare the result. View changes nothing; withdraw ends it without a result."""


class TallyOutput(Output):
    """Answer of MACE tally."""

    motion_id: str
    """The motion."""
    state: Literal["CONVENED", "OPEN", "TALLIED", "LAPSED", "WITHDRAWN"] | str
    """CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN."""
    motion: TallyOutputMotion | None = None
    """The motion in full; for view and withdraw."""
    verdict_id: str | None = None
    """Hash of the verdict with every position."""
    ref: str | None = None
    """Reference to cite as authority."""
    registered: str | None = None
    """Its entry in the registry."""
    outcome: Literal["PASSED", "FAILED", "NO_QUORUM"] | str | None = None
    """NO_QUORUM: too few took part, or a required member did not."""
    counts: TallyOutputCounts | None = None
    """Seats by final position."""
    attendance: TallyOutputMotionAttendance | None = None
    """Who appeared, and how many had to."""
    threshold: TallyOutputMotionThreshold | None = None
    """Agreement needed to pass."""
    majority: List[TallyOutputMajority] | None = None
    """Members whose side won, with reasons."""
    dissent: List[TallyOutputMajority] | None = None
    """Members who were outvoted, with reasons."""
    binds: List[TallyOutputMotionBind] | None = None
    """Operations that it authorizes."""
    max_uses: int | None = None
    """How often it may be used."""
    valid_until: str | None = None
    """It authorizes nothing after this."""
    effects_applied: List[TallyOutputEffectsApplied] | None = None
    """Changes that were made with it."""


class TallyOutputMotion(Output):
    """The motion in full; for view and withdraw."""

    motion_id: str
    """Names the motion in the other MACE operations."""
    council_id: str
    """Council of this motion; it ends with the motion."""
    motion_hash: str
    """Hash of the motion; votes sign it."""
    state: Literal["CONVENED", "OPEN", "TALLIED", "LAPSED", "WITHDRAWN"] | str
    """CONVENED until enough members appeared, then OPEN for votes; ends as TALLIED, LAPSED or WITHDRAWN."""
    title: str
    """Short name for lists."""
    text: str
    """What is put to the vote."""
    charter_level: bool
    """Whether it binds the whole organization; seats are then all charter members."""
    binds: List[TallyOutputMotionBind]
    """Operations that the verdict authorizes once passed."""
    effects: List[TallyOutputMotionEffect]
    """Changes made in the moment it passes."""
    authority_ttl_days: int
    """Days for which a passed verdict may be used."""
    max_uses: int
    """How often a passed verdict may be used."""
    executor_did: str | None = None
    """Who may use the verdict; absent: any charter member."""
    convened_by: str
    """DID that called the council."""
    seats: List[TallyOutputMotionSeat]
    """Members of the council."""
    attendance: TallyOutputMotionAttendance
    """Who has appeared, and how many must."""
    attendance_needed: int
    """Seats needed for a quorum."""
    threshold: TallyOutputMotionThreshold
    """Agreement needed to pass."""
    opens_when: str
    """What is needed for voting to open, in words."""
    deadline_at: str
    """Positions are taken until then."""
    objection_ms: int
    """How long seats may still object after the last position of a settled vote."""


class TallyOutputMotionBind(Output):
    """A part of the above."""

    protocol: str
    """Protocol of the operation that the verdict authorizes."""
    operation: str
    """Operation that the verdict authorizes."""
    subject: str
    """What the operation may be applied to: a hash, or a name defined by the operation."""


class TallyOutputMotionEffect(Output):
    """A part of the above."""

    kind: Literal["charter_members"] | str
    """What changes: who is a charter member."""
    add: List[str]
    """New charter members."""
    remove: List[str]
    """Charter members who leave."""


class TallyOutputMotionSeat(Output):
    """A part of the above."""

    did: str
    """The member."""
    required: bool
    """Whether there is no quorum without this member."""


class TallyOutputMotionAttendance(Output):
    """Who has appeared, and how many must."""

    present: int
    """Seats that voted, abstained or are present."""
    needed: int
    """Seats needed for a quorum."""


class TallyOutputMotionThreshold(Output):
    """Agreement needed to pass."""

    of_votes: str
    """Share of the votes for and against."""
    of_seats: str | None = None
    """Share of all seats; charter-level motions only."""


class TallyOutputCounts(Output):
    """Seats by final position."""

    for_: int = Field(validation_alias="for", serialization_alias="for")
    """Votes for."""
    against: int
    """Votes against."""
    abstain: int
    """Attended without voting for or against."""
    recused: int
    """Members who recused themselves."""
    absent: int
    """Members who took no position."""


class TallyOutputMajority(Output):
    """A part of the above."""

    did: str
    """Member of the council."""
    reasoning: str
    """The reasons given."""
    position_id: str
    """Names the position."""


class TallyOutputEffectsApplied(Output):
    """A part of the above."""

    kind: Literal["charter_members"] | str
    """What changed: who is a charter member."""
    add: List[str]
    """New charter members."""
    remove: List[str]
    """Charter members who left."""


class Mace(Operations):
    """Councils: an organization decides as a whole by motions, votes and verdicts."""

    protocol = "MACE"

    def convene(
        self,
        *,
        motion: ConveneMotionObject | str,
        quorum: ConveneQuorumObject | Literal["simple", "majority", "supermajority", "unanimous"] | str,
        deadline_ms: int,
        objection_ms: int | None = None,
        composition_rules: ConveneCompositionRules,
    ) -> ConveneOutput:
        """Convene a council on a motion. A write: never retried."""
        return self._call("convene", ConveneInput, ConveneOutput, {
            "motion": motion,
            "quorum": quorum,
            "deadline_ms": deadline_ms,
            "objection_ms": objection_ms,
            "composition_rules": composition_rules,
        })

    def deliberate(
        self,
        *,
        motion_id: str,
        position: Literal["for", "against", "abstain", "recuse", "present"],
        reasoning: str,
        citations: List[str] | None = None,
        signature: str | None = None,
        public_key: str | None = None,
    ) -> DeliberateOutput:
        """Take a seat, argue or vote; the last position before the deadline counts. A write: never retried."""
        return self._call("deliberate", DeliberateInput, DeliberateOutput, {
            "motion_id": motion_id,
            "position": position,
            "reasoning": reasoning,
            "citations": citations,
            "signature": signature,
            "public_key": public_key,
        })

    def list(
        self,
        *,
        motion_id: str | None = None,
        state: Literal["CONVENED", "OPEN", "TALLIED", "LAPSED", "WITHDRAWN"] | None = None,
        charter_level: bool | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the motions of your organization, or read one in full with its votes and dissent. A read: retried."""
        return self._call("list", ListInput, ListOutput, {
            "motion_id": motion_id,
            "state": state,
            "charter_level": charter_level,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    def tally(
        self,
        *,
        motion_id: str,
        action: Literal["tally", "view", "withdraw"] | None = None,
    ) -> TallyOutput:
        """Tally a motion and declare its verdict with the dissent, or view or withdraw the motion. A write: never retried."""
        return self._call("tally", TallyInput, TallyOutput, {
            "motion_id": motion_id,
            "action": action,
        })


class AsyncMace(AsyncOperations):
    """Councils: an organization decides as a whole by motions, votes and verdicts."""

    protocol = "MACE"

    async def convene(
        self,
        *,
        motion: ConveneMotionObject | str,
        quorum: ConveneQuorumObject | Literal["simple", "majority", "supermajority", "unanimous"] | str,
        deadline_ms: int,
        objection_ms: int | None = None,
        composition_rules: ConveneCompositionRules,
    ) -> ConveneOutput:
        """Convene a council on a motion. A write: never retried."""
        return await self._call("convene", ConveneInput, ConveneOutput, {
            "motion": motion,
            "quorum": quorum,
            "deadline_ms": deadline_ms,
            "objection_ms": objection_ms,
            "composition_rules": composition_rules,
        })

    async def deliberate(
        self,
        *,
        motion_id: str,
        position: Literal["for", "against", "abstain", "recuse", "present"],
        reasoning: str,
        citations: List[str] | None = None,
        signature: str | None = None,
        public_key: str | None = None,
    ) -> DeliberateOutput:
        """Take a seat, argue or vote; the last position before the deadline counts. A write: never retried."""
        return await self._call("deliberate", DeliberateInput, DeliberateOutput, {
            "motion_id": motion_id,
            "position": position,
            "reasoning": reasoning,
            "citations": citations,
            "signature": signature,
            "public_key": public_key,
        })

    async def list(
        self,
        *,
        motion_id: str | None = None,
        state: Literal["CONVENED", "OPEN", "TALLIED", "LAPSED", "WITHDRAWN"] | None = None,
        charter_level: bool | None = None,
        include_detail: bool | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListOutput:
        """List the motions of your organization, or read one in full with its votes and dissent. A read: retried."""
        return await self._call("list", ListInput, ListOutput, {
            "motion_id": motion_id,
            "state": state,
            "charter_level": charter_level,
            "include_detail": include_detail,
            "since": since,
            "limit": limit,
            "cursor": cursor,
        })

    async def tally(
        self,
        *,
        motion_id: str,
        action: Literal["tally", "view", "withdraw"] | None = None,
    ) -> TallyOutput:
        """Tally a motion and declare its verdict with the dissent, or view or withdraw the motion. A write: never retried."""
        return await self._call("tally", TallyInput, TallyOutput, {
            "motion_id": motion_id,
            "action": action,
        })
