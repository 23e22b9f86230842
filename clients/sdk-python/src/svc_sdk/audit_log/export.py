"""Checks an export of an audit log offline, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ..canonical import NoCanonicalForm, canonical_json
from ..encoding import sha256_hex
from ..json_text import NotJson, read_json
from .fault import Fault
from .header import ChainKey, Header, is_signed_in_time, read_header
from .key_changes import KeyChanges
from .merkle import GrowingTree
from .note import Note, read_note
from .witnesses import Witnessed, Witnesses

_LINE_CHARS_MAX = 4 * 1024 * 1024
_LINE_BYTES_MAX = 4 * _LINE_CHARS_MAX + 1
_SEALING_EVENT = "ChainSealed"

Voucher = Literal["key", "checkpoint", "witness"]
"""What you trust that vouches for a log.

`key`: a key you trust signed it. `checkpoint`: it contains a checkpoint you kept, and continues under the key that
signed that. `witness`: witnesses you trust cosigned it up to its last record, so it was not rewritten since; they do not
prove who signed it.
"""


@dataclass(frozen=True)
class Signer:
    """A key that signed checkpoints of an export."""

    key_id: str
    public_key: str
    """base64url."""


@dataclass(frozen=True)
class ExportVerdict:
    """The verdict on an export."""

    verified: bool
    """The log is complete and consistent, and something you trust vouches for all of it. Use this, not `ok`."""
    ok: bool
    """The log is consistent. Anyone can make such a log and sign it with their own key."""
    tenant_id: str | None
    records: int
    checkpoints: int
    roots_checked: bool
    """False for a part of a chain: links and signatures were checked, but no root could be computed."""
    signed_by: list[Signer]
    """The signing keys in order of succession; none if it is invalid."""
    vouched_by: list[Voucher]
    """What you trust that vouches for it; empty if only the export itself does."""
    first_bad_seq: int | None = None
    reason: str | None = None
    head: str | None = None
    """The last record's hash, if valid."""
    sealed: bool = False
    """The last record seals the log: no record can follow it."""
    witnessed: Witnessed | None = None
    """Present if witness keys were given."""

    def to_json(self) -> dict[str, Any]:
        """As every other client writes it: what does not apply is absent."""
        fields = dict(vars(self))
        fields["signed_by"] = [dict(vars(one)) for one in self.signed_by]
        fields["witnessed"] = self.witnessed.to_json() if self.witnessed else None
        fields["sealed"] = self.sealed or None
        always = ("tenant_id",)
        return {name: value for name, value in fields.items() if value is not None or name in always}


def verify_export(
    lines: Iterable[str | bytes],
    *,
    trusted_keys: Sequence[str] | None = None,
    checkpoints: Sequence[str] = (),
    heads: Sequence[str] = (),
    witness_keys: Sequence[str] = (),
    witnesses_needed: int = 0,
) -> ExportVerdict:
    """Checks an export: canonical form, hashes, Merkle roots, signatures, key changes, and that nothing follows a seal.

    `lines` may be a file opened with "rb". Stores 32 bytes per record. Never raises for what a line says: faults are in
    the verdict. Without a key, checkpoint or witness you trust it is at most `ok` (consistent), else `verified`.

    `trusted_keys` are public keys (base64url): they must sign, or vouch for the signing keys. `checkpoints` are signed
    notes kept earlier: only they reveal a truncated or rewritten chain. `heads` are values of `audit_head` from
    answers: each must be in the chain. `witness_keys` are witnesses you trust, each as `name+id+key`;
    `witnesses_needed` says how many of them must have cosigned it, 0 to only report.
    """
    verifier = ExportVerifier(
        trusted_keys=trusted_keys,
        checkpoints=checkpoints,
        heads=heads,
        witness_keys=witness_keys,
        witnesses_needed=witnesses_needed,
    )
    for line in _bounded(lines):
        if not verifier.take(line):
            break
    return verifier.finish()


def _bounded(lines: Iterable[str | bytes]) -> Iterable[str | bytes]:
    """A file is read in pieces: one endless line must not fill the memory."""
    read_line = getattr(lines, "readline", None)
    return lines if read_line is None else iter(lambda: read_line(_LINE_BYTES_MAX) or None, None)


@dataclass
class ExportVerifier:
    """`verify_export` for lines that come one by one, such as those of `AsyncClient.export_audit_log`."""

    trusted_keys: Sequence[str] | None = None
    checkpoints: Sequence[str] = ()
    heads: Sequence[str] = ()
    witness_keys: Sequence[str] = ()
    witnesses_needed: int = 0
    _reading: _Reading = field(init=False, repr=False)
    _fault: Fault | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        self._reading = _Reading(self)

    def take(self, line: str | bytes) -> bool:
        """Takes the next line. False once something is wrong: then further lines change nothing."""
        if self._fault is None:
            try:
                self._reading.take(line)
            except Fault as fault:
                self._fault = fault
        return self._fault is None

    def finish(self) -> ExportVerdict:
        """The verdict, after the last line."""
        if self._fault is None:
            try:
                self._reading.finish()
            except Fault as fault:
                self._fault = fault
        return self._reading.verdict(self._fault)


class _Reading:
    def __init__(self, options: ExportVerifier) -> None:
        self._options = options
        self._witnesses = Witnesses()
        self._header: Header | None = None
        # Only if the export starts with the first record: otherwise no root can be computed.
        self._tree: GrowingTree | None = None
        self._head = ""
        self._next_seq = 0
        self._records = 0
        self._checkpoints = 0
        self._signed_size = 0
        self._is_sealed = False

    def take(self, line: str | bytes) -> None:
        text = self._text_of(line)
        value = self._parse(text)
        if self._header is None:
            self._begin(value)
        elif "checkpoint" in value:
            self._take_checkpoint(value, self._header)
        else:
            self._take_record(text, value, self._header)

    def finish(self) -> None:
        header = self._header
        if header is None:
            raise Fault("the export is empty")
        if self._next_seq <= header.to_seq:
            ends = f"ends after {self._next_seq - 1}"
            raise Fault(f"the export promises records up to {header.to_seq} and {ends}", self._next_seq)
        if self._signed_size != header.to_seq:
            raise Fault(f"no checkpoint covers the records up to {header.to_seq}", self._signed_size + 1)
        self._key_changes.finish()
        for text in self._options.checkpoints:
            self._compare_kept(text, header)
        for head in self._heads_missing:
            raise Fault(f"the head {str(head)[:64]} was given to a client and is not in this chain")
        self._witnesses.finish()

    def verdict(self, fault: Fault | None) -> ExportVerdict:
        header = None if fault else self._header
        witnessed = self._witnesses.verdict()
        vouched_by: list[Voucher] = []
        if header is not None and self._tree is not None:
            vouched_by = self._vouchers(header, witnessed)
        signers = _signers_of(header) if header else []
        return ExportVerdict(
            verified=len(vouched_by) > 0,
            ok=fault is None,
            tenant_id=self._header.tenant_id if self._header else None,
            records=self._records,
            checkpoints=self._checkpoints,
            roots_checked=self._tree is not None,
            signed_by=[Signer(one.key.key_id, one.key.public_key) for one in signers],
            vouched_by=vouched_by,
            first_bad_seq=fault.seq if fault else None,
            reason=fault.reason if fault else None,
            head=None if fault else self._head,
            sealed=fault is None and self._is_sealed,
            witnessed=witnessed,
        )

    def _vouchers(self, header: Header, witnessed: Witnessed | None) -> list[Voucher]:
        vouched_by: list[Voucher] = []
        if self._options.trusted_keys is not None:
            vouched_by.append("key")
        if len(self._options.checkpoints) > 0:
            vouched_by.append("checkpoint")
        # A cosignature does not cover later records, which anyone could add.
        if witnessed is not None and witnessed.size == header.to_seq:
            vouched_by.append("witness")
        return vouched_by

    def _text_of(self, line: str | bytes) -> str:
        seq = self._next_seq if self._header else None
        if isinstance(line, bytes):
            try:
                line = line.decode()
            except UnicodeDecodeError:
                raise Fault("a line is not JSON", seq) from None
        if not isinstance(line, str):
            raise Fault("a line is not text", seq)
        text = line[:-1] if line.endswith("\n") else line
        if len(text) > _LINE_CHARS_MAX:
            raise Fault(f"a line is longer than {_LINE_CHARS_MAX} characters", seq)
        return text

    def _parse(self, text: str) -> dict[str, Any]:
        seq = self._next_seq if self._header else None
        try:
            value = read_json(text)
        except NotJson:
            raise Fault("a line is not JSON", seq) from None
        if not isinstance(value, dict):
            raise Fault("a line is not a JSON object", seq)
        return value

    def _begin(self, value: dict[str, Any]) -> None:
        options = self._options
        self._witnesses.trust(options.witness_keys, options.witnesses_needed)
        header = read_header(value)
        _require_trusted(_signers_of(header), options.trusted_keys)
        self._header = header
        self._key_changes = KeyChanges(header)
        # In the order given, each once.
        self._heads_missing = dict.fromkeys(options.heads)
        self._head = header.previous_hash
        self._next_seq = header.from_seq
        # Roots at the sizes of kept notes are computed on the way, because the tree only grows.
        kept = (read_note(text) for text in options.checkpoints)
        if header.from_seq == 1:
            self._tree = GrowingTree(note.size for note in kept if note is not None)

    def _take_record(self, line: str, value: dict[str, Any], header: Header) -> None:
        seq = self._next_seq
        record, record_hash = value.get("record"), value.get("record_hash")
        if self._checkpoints > 0:
            raise Fault("a record stands after the checkpoints", seq)
        if not isinstance(record, dict) or not isinstance(record_hash, str):
            raise Fault("a line is no record", seq)
        _refuse_more(value, 2, seq)
        # No checkpoint covers records past the end.
        if seq > header.to_seq:
            raise Fault("a record stands past the end that the header names", seq)
        body = _canonical_body(line, record, record_hash)
        # Only the canonical text is the record; other spellings are rejected.
        if body is None:
            raise Fault("the record is not in canonical form", seq)
        if record.get("seq") != seq or isinstance(record.get("seq"), bool):
            raise Fault(f"record {seq} is missing: seq {_ecma_text(record)} stands in its place", seq)
        if record.get("tenant_id") != header.tenant_id:
            raise Fault("the record belongs to another tenant", seq)
        if sha256_hex(f"{self._head}{body}".encode()) != record_hash:
            raise Fault("its hash does not match its content and the previous hash", seq)
        if self._is_sealed:
            raise Fault("a record stands after the one that sealed the chain", seq)
        self._is_sealed = record.get("event_type") == _SEALING_EVENT
        self._key_changes.take_record(seq, record)
        self._head = record_hash
        self._next_seq += 1
        self._records += 1
        self._heads_missing.pop(record_hash, None)
        if self._tree is not None:
            self._tree.add(record_hash)

    def _take_checkpoint(self, value: dict[str, Any], header: Header) -> None:
        note = read_note(value["checkpoint"])
        if note is None:
            raise Fault("a checkpoint is no signed note")
        _refuse_more(value, 1, None)
        if note.origin != header.origin:
            raise Fault(f"a checkpoint is of another log, {note.origin[:80]}")
        misfit = f"the checkpoint of size {note.size} does not fit the records of this export"
        if note.size <= self._signed_size or note.size < header.from_seq:
            raise Fault(misfit)
        if note.size >= self._next_seq:
            raise Fault(misfit, self._next_seq)
        if not is_signed_in_time(note, header.keys):
            raise Fault(f"the checkpoint of size {note.size} is not signed by the key of its time")
        if not self._has_root_of(note):
            what = f"the checkpoint of size {note.size} signs another root than these records have"
            raise Fault(what, self._signed_size + 1)
        self._witnesses.take(note)
        self._key_changes.take_checkpoint(note.size)
        self._signed_size = note.size
        self._checkpoints += 1

    def _compare_kept(self, text: str, header: Header) -> None:
        """A kept note must belong to this chain and must not be newer than it."""
        note = read_note(text)
        if note is None:
            raise Fault("a held checkpoint is no signed note")
        if note.origin != header.origin:
            raise Fault(f"a held checkpoint is of another log, {note.origin[:80]}")
        if not is_signed_in_time(note, header.keys):
            raise Fault(f"a held checkpoint of size {note.size} is not signed by a key of this export")
        if note.size > header.to_seq:
            what = f"the tail is missing: a checkpoint of size {note.size} is held elsewhere"
            raise Fault(what, header.to_seq + 1)
        if not self._has_root_of(note):
            what = f"a checkpoint of size {note.size} held elsewhere signs another root"
            raise Fault(f"{what}: the chain was rewritten")
        self._witnesses.take(note)

    def _has_root_of(self, note: Note) -> bool:
        return self._tree is None or self._tree.root_at(note.size) == note.root


def _canonical_body(line: str, record: dict[str, Any], record_hash: str) -> str | None:
    """The hashed text of an exported record, or None if its line is not canonical."""
    try:
        body = canonical_json(record)
        written = f'{{"record":{body},"record_hash":{canonical_json(record_hash)}}}'
    except NoCanonicalForm:
        return None
    return body if line == written else None


def _ecma_text(record: dict[str, Any]) -> str:
    """The seq as ECMAScript would print it, so that every verifier says the same."""
    if "seq" not in record:
        return "undefined"
    seq = record["seq"]
    if isinstance(seq, str):
        return seq
    if isinstance(seq, dict):
        return "[object Object]"
    if isinstance(seq, list):
        inner = (("" if one is None else _ecma_text({"seq": one})) for one in seq)
        return ",".join(inner)
    return canonical_json(seq)


def _refuse_more(value: dict[str, Any], fields: int, seq: int | None) -> None:
    """Extra fields are unsigned but would look signed, so they are rejected."""
    if len(value) > fields:
        raise Fault("a line holds a field that nobody signed", seq)


def _signers_of(header: Header) -> list[ChainKey]:
    """The keys that sign within the export, in order of succession. Other keys vouch for nothing in it."""
    return [one for one in header.keys if one.from_seq <= header.to_seq and one.until_seq >= header.from_seq]


def _require_trusted(signers: Sequence[ChainKey], trusted: Sequence[str] | None) -> None:
    """One trusted key vouches for the others: for earlier keys by signing the tree that holds their records, for later
    ones by signing the records that name them. If a trusted key is missing, an unknown one may have replaced it."""
    if trusted is None:
        return
    signing = [one.key.public_key for one in signers]
    stranger = next((one for one in signers if one.key.public_key not in trusted), None)
    if stranger is None:
        return
    what = f"the key {stranger.key.key_id} of the export is not among the keys you trust"
    if not any(key in signing for key in trusted):
        raise Fault(what)
    if not all(key in signing for key in trusted):
        raise Fault(f"{what}, and one that you trust signs none of it")
