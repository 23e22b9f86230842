// What the audit log says of a call's arguments.
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'

/** Lets the holder of the arguments prove them later, and reveals them to nobody else. */
export function commitmentOf(args: unknown, salt: Buffer) {
  const text = canonicalJson(args)
  const args_commitment = sha256Hex(Buffer.concat([salt, Buffer.from(text)]))
  return { args_commitment, args_bytes: Buffer.byteLength(text) }
}
