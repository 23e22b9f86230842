// Content that can be redacted: each box has its own key, and redaction destroys that key.

export interface Vault {
  /** A box with a new key, which a root key wraps. The box is bound to the tenant and the name: it opens under no other. */
  seal(name: string, plain: string | Uint8Array): SealedBox
  open(name: string, box: SealedBox): Buffer
  /** Its key is not wrapped: it must be kept only within a sealed box, whose redaction then ends both. */
  sealWithin(name: string, plain: Uint8Array): InnerBox
  openWithin(name: string, box: InnerBox): Buffer
  /** 32 hex, the same for the same text of this tenant, and meaningless without the index key. */
  blind(text: string): string
  /** Random bytes that make a commitment unguessable. */
  salt(): Buffer
}

export interface SealedBox {
  readonly sealed: Buffer
  readonly wrapped_key: Buffer
}

export interface InnerBox {
  readonly sealed: Buffer
  readonly key: Buffer
}
