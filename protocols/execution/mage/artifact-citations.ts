// What may be cited: sound sources, and others only if the publisher acknowledges them.
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { isSound } from './artifact-provenance.ts'
import { type SeenSource, seeSources } from './artifact-sources.ts'

export async function requireSoundCitations(
  context: OperationContext<'audit_log' | 'compute' | 'embedder' | 'vault'>,
  citations: readonly string[],
  acknowledge: readonly string[],
): Promise<SeenSource[]> {
  for (const [place, ref] of acknowledge.entries())
    if (!citations.includes(ref)) throw faulty(`/acknowledge/${place}`, `${ref} is not among the citations`)
  const source_of = await seeSources(context, citations)
  for (const [place, ref] of citations.entries())
    if (!source_of.has(ref)) throw faulty(`/citations/${place}`, `${ref} leads nowhere that you may see`)
  const cited = [...new Set(citations)].map((ref) => source_of.get(ref)!)
  const fallen = cited.filter(({ ref, state }) => !isSound(state) && !acknowledge.includes(ref))
  if (fallen.length === 0) return cited
  const { ref, state } = fallen[0]!
  throw refuse(
    'policy_denied',
    `${ref} is ${state}, and only what is undisputed may be cited; leave it out, or acknowledge it to publish with the dissent.`,
    {
      reason: 'cited claim rejected',
      citations: fallen.map((one) => ({ ref: one.ref, state: one.state, against: one.against ?? [] })),
    },
  )
}

function faulty(pointer: string, message: string) {
  return refuse('invalid_payload', `${message}; check ${pointer}.`, {
    reason: 'not_found',
    path: pointer,
    faults: [{ pointer, message }],
  })
}
