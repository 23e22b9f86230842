// An artifact as content, and how research finds it.

import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import type { DataIntegrityProof } from '@svc/contract/signing/data-integrity'
import { type Indexing, readContent } from '../../cognition/content/api.ts'
import { readBytes, textOf } from './artifact-bytes.ts'
import type { Manifest, Provenance } from './artifact-provenance.ts'
import { artifactRef } from './artifact-store.ts'
import type { DraftBody } from './draft-store.ts'

/** The index query of an inquiry. */
export const artifact_search = { kinds: ['artifact'], namespace: 'artifacts' }

/** Only the text up to here is indexed; the rest can only be fetched. */
const indexed_bytes_max = 256 * 1024

export interface Published extends DraftBody {
  readonly manifest: Manifest
  readonly provenance: Provenance
  readonly proof: DataIntegrityProof
}

export async function readPublished(context: OperationContext<'vault'>, digest: string): Promise<Published> {
  const ref = artifactRef(digest)
  const content = await readContent(context, ref)
  if (content?.body !== undefined) return content.body as Published
  throw refuse(
    'policy_denied',
    `${ref} was redacted, so its bytes no longer exist; publish them again if you have them.`,
    {
      reason: 'artifact is redacted',
    },
  )
}

/** By title and text; binary content by its title alone. */
export async function indexingOf(context: OperationContext<'vault'>, body: DraftBody): Promise<Indexing> {
  const is_binary = body.kind === 'binary'
  const text = is_binary
    ? ''
    : (body.content ?? wholeText(await readBytes(context, body, 0, indexed_bytes_max)))
  return { namespace: artifact_search.namespace, text: `${body.title}\n\n${text}`.trim(), vector: true }
}

/** The cut at the limit may split the last character. */
function wholeText(bytes: Buffer): string {
  for (let less = 0; less < 4; less++) {
    const text = textOf(bytes.subarray(0, bytes.length - less))
    if (text !== undefined) return text
  }
  return ''
}
