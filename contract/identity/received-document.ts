// An identity document from outside: accepted only if well formed, small, and signed by its subject.
import { Compile } from 'typebox/compile'
import { canonicalJson, sha256Hex } from '../signing/canonical-json.ts'
import { documentFault, IdentityDocument } from './identity-document.ts'

export const document_bytes_max = 64 * 1024

/** Digests of documents found good, oldest first: a document with many key events takes milliseconds to verify. */
const verified = new Set<string>()
const verified_max = 4_096

let check: ReturnType<typeof Compile<typeof IdentityDocument>> | undefined

/** The document of this identity, or briefly why it is rejected; never throws. */
export function readDocument(received: unknown, did: string): IdentityDocument | string {
  check ??= Compile(IdentityDocument)
  if (!check.Check(received)) return 'it is no identity document'
  let digest: string
  try {
    const text = canonicalJson(received)
    if (Buffer.byteLength(text) > document_bytes_max) return `it is larger than ${document_bytes_max} bytes`
    digest = sha256Hex(`${did}\n${text}`)
  } catch {
    return 'it has no canonical form'
  }
  if (verified.has(digest)) return received
  const fault = documentFault(received, did)
  if (fault) return fault
  if (verified.size >= verified_max) verified.delete(verified.values().next().value!)
  verified.add(digest)
  return received
}
