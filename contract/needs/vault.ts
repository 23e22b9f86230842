// Content that can be redacted: each box has its own key, and redaction destroys that key.

export interface Vault {
  /** A box with a new key, wrapped for this tenant. The name is bound to both: neither opens under another. */
  seal(name: string, plain: string | Uint8Array): SealedBox
  open(name: string, box: SealedBox): Buffer
  /** 32 hex, the same for the same text of this tenant, and meaningless without the master key. */
  blind(text: string): string
  /** Random bytes that make a commitment unguessable. */
  salt(): Buffer
}

export interface SealedBox {
  readonly sealed: Buffer
  readonly wrapped_key: Buffer
}
