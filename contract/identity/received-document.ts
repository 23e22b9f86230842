// An identity document from outside: accepted only if well formed, small, and signed by its subject.
import { Compile } from 'typebox/compile'
import { canonicalJson } from '../signing/canonical-json.ts'
import { documentFault, IdentityDocument } from './identity-document.ts'

export const document_bytes_max = 64 * 1024

let check: ReturnType<typeof Compile<typeof IdentityDocument>> | undefined

/** The document of this identity, or briefly why it is rejected; never throws. */
export function readDocument(received: unknown, did: string): IdentityDocument | string {
  check ??= Compile(IdentityDocument)
  if (!check.Check(received)) return 'it is no identity document'
  try {
    if (Buffer.byteLength(canonicalJson(received)) > document_bytes_max)
      return `it is larger than ${document_bytes_max} bytes`
  } catch {
    return 'it has no canonical form'
  }
  return documentFault(received, did) ?? received
}
