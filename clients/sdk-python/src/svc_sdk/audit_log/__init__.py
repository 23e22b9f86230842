"""Checks exports, receipts and proofs of audit logs offline.

Anyone can make a consistent log and sign it with their own key: a verdict is `verified` only if something you trust
vouches for it.
"""

from .export import ExportVerdict, ExportVerifier, Signer, Voucher, verify_export
from .proof import ProofVerdict, verify_proof
from .receipt import ReceiptVerdict, verify_receipt
from .witnesses import Cosigned, Witnessed

__all__ = [
    "Cosigned",
    "ExportVerdict",
    "ExportVerifier",
    "ProofVerdict",
    "ReceiptVerdict",
    "Signer",
    "Voucher",
    "Witnessed",
    "verify_export",
    "verify_proof",
    "verify_receipt",
]
