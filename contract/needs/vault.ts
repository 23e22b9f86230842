// Content that can be forgotten: each box has a key of its own, and destroying that key is what redaction is.

export interface Vault {
  /** A box with a new key, which is wrapped for this tenant. The name is part of both: under another name neither opens. */
  seal(name: string, plain: string | Uint8Array): SealedBox
  open(name: string, box: SealedBox): Buffer
  /** 32 hex that are the same for the same text of this tenant, and tell nobody without the master key what it was. */
  blind(text: string): string
  /** Random bytes that make a commitment unguessable. */
  salt(): Buffer
}

export interface SealedBox {
  readonly sealed: Buffer
  readonly wrapped_key: Buffer
}
