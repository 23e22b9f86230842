// The result of a fusion: stored under its hash, and learned as facts on request.

import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import {
  keepContent,
  linkContent,
  normaliseName,
  noteCall,
  type Readers,
  readContent,
  type Span,
  type Triple,
} from '../content/api.ts'
import { addTriples } from '../knowledge/api.ts'
import type { Fused } from './fusion.ts'

export function withTimes<T extends { readonly valid: Span }>({ valid, ...rest }: T) {
  return {
    ...rest,
    ...(Number.isFinite(valid.from) ? { valid_from: new Date(valid.from).toISOString() } : {}),
    ...(Number.isFinite(valid.until) ? { valid_to: new Date(valid.until).toISOString() } : {}),
  }
}

type StoredFact = ReturnType<typeof withTimes<Fused['facts'][number]>>

/** Content-addressed: equal snapshots of the same readers have the same reference. */
export async function keepSnapshot(
  context: OperationContext<'embedder' | 'vault'>,
  sources: readonly string[],
  facts: readonly StoredFact[],
  readers: Readers,
): Promise<string> {
  const body = { facts }
  const address = readers === null ? body : { ...body, readers }
  const snapshot_ref = `mind://snapshot/${sha256Hex(canonicalJson(address))}`
  const { created } = await keepContent(context, { ref: snapshot_ref, kind: 'snapshot', body, readers })
  if (!created && (await readContent(context, snapshot_ref))?.body === undefined)
    throw refuse(
      'policy_denied',
      `${snapshot_ref} was redacted, and the same snapshot is not stored again; change the sources.`,
      {
        reason: 'content is redacted; the same content cannot be kept again',
      },
    )
  // The input of this call has the same content: redaction must find it, too.
  if (!created) await noteCall(context, snapshot_ref)
  const refs = sources.map((ref) => ({ ref }))
  await linkContent(context, snapshot_ref, refs, 'derived_from')
  return snapshot_ref
}

export async function writeBack(
  context: OperationContext<'vault'>,
  snapshot_ref: string,
  facts: readonly StoredFact[],
  merges: Fused['entity_merges'],
): Promise<{ added: number; superseded: string[] }> {
  const triples: Triple[] = facts.map(
    ({ subject, predicate, object, valid_from, valid_to, confidence, functional }) => ({
      subject,
      predicate,
      object,
      confidence,
      ...(valid_from ? { valid_from } : {}),
      ...(valid_to ? { valid_to } : {}),
      ...(functional ? { functional } : {}),
    }),
  )
  const aliases = merges.flatMap(({ label, merged }) =>
    merged
      .filter((name) => normaliseName(name) !== normaliseName(label))
      .map((name) => ({ subject: label, predicate: 'alias', object: name })),
  )
  const { added, superseded } = await addTriples(context, snapshot_ref, [...triples, ...aliases], {
    pointer: '/facts',
  })
  return { added, superseded: [...superseded] }
}
