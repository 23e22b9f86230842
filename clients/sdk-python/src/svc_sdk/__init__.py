"""The Python client of svc: typed, sync and async, with offline verification.

>>> from svc_sdk import Client
>>> client = Client()  # doctest: +SKIP
>>> client.max.audit_query(outcome="refused", limit=10).records  # doctest: +SKIP
"""

from ._version import VERSION as __version__
from .answer import Answer, AnswerMetadata, DryRun, Progress, Result, StageVerdict, Usage, Whoami
from .async_client import AsyncClient
from .audit_log import (
    ExportVerdict,
    ExportVerifier,
    ProofVerdict,
    ReceiptVerdict,
    verify_export,
    verify_proof,
    verify_receipt,
)
from .client import Client
from .errors import AnswerHeaders, RateLimit, SvcError
from .governed import Refused, govern
from .key_changes import KeepKeys, KeyPair, Recovery, RecoveryState, RotatedKey
from .options import CallOptions
from .settings import Settings
from .signature import SigningKey

__all__ = [
    "Answer",
    "AnswerHeaders",
    "AnswerMetadata",
    "AsyncClient",
    "CallOptions",
    "Client",
    "DryRun",
    "ExportVerdict",
    "ExportVerifier",
    "KeepKeys",
    "KeyPair",
    "Progress",
    "ProofVerdict",
    "RateLimit",
    "ReceiptVerdict",
    "Recovery",
    "RecoveryState",
    "Refused",
    "Result",
    "RotatedKey",
    "Settings",
    "SigningKey",
    "StageVerdict",
    "SvcError",
    "Usage",
    "Whoami",
    "__version__",
    "govern",
    "verify_export",
    "verify_proof",
    "verify_receipt",
]
