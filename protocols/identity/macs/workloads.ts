// MACS add_workload, list_workloads and remove_workload: which tokens of other platforms act as which agents.
import { isWithin } from '@svc/contract/authority/attenuation'
import { unexpired } from '@svc/contract/authority/capability'
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import { type ListedWorkload, workloads_max } from '@svc/contract/needs/workloads'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { requireOwn } from './key-life.ts'

const claims_max = 16
const texts_max = 16
const workload_id_form = /^[0-9a-f]{10}$/

const WorkloadId = Type.String({
  pattern: workload_id_form.source,
  description: 'Names the mapping, to remove it.',
})
const Claims = Type.Record(
  Type.String({ pattern: '^[!-~]{1,200}$' }),
  Type.Array(Text(500), { minItems: 1, maxItems: texts_max }),
  {
    minProperties: 1,
    maxProperties: claims_max,
    additionalProperties: false,
    description:
      'Accepted texts of each claim; all claims must fit. A name that begins with / leads into objects.',
  },
)

const mapping = {
  agent_did: described(Did, 'Identity that such a workload acts as.'),
  issuer: Type.String({
    pattern: '^https://[!-~]{1,480}$',
    description: 'As in the iss of its tokens; its public keys are read there.',
  }),
  audience: Text(500, { description: 'As in the aud of its tokens.' }),
  claims: Claims,
}

export const AddWorkloadInput = Closed(mapping)
export const AddWorkloadOutput = Closed({ workload_id: WorkloadId, ...mapping })

export const ListWorkloadsInput = Closed({
  agent_did: Type.Optional(
    described(Did, 'Only mappings to this identity; default: all of your organization.'),
  ),
  ...page_fields,
})
export const ListWorkloadsOutput = Closed({
  items: described(
    ListOf(
      Closed({
        workload_id: WorkloadId,
        ...mapping,
        // The operator also maps issuers of other forms.
        issuer: Type.String({ description: 'As in the iss of its tokens.' }),
        has_stored_keys: Type.Boolean({ description: 'The operator stored the keys of its issuer.' }),
        created_at: described(Timestamp, 'When it was added.'),
        last_used_at: Type.Optional(described(Timestamp, 'When a token last used it; absent: never.')),
      }),
      0,
      page_max,
    ),
    'Mappings, newest first.',
  ),
  next_cursor,
})

export const RemoveWorkloadInput = Closed({
  workload_id: described(WorkloadId, 'Mapping to remove; its tokens are refused at once.'),
  reason: Type.Optional(Text(500, { description: 'Why, for the audit log.' })),
})
export const RemoveWorkloadOutput = Closed({
  workload_id: WorkloadId,
  agent_did: described(Did, 'Identity that workloads acted as.'),
  removed_at: described(Timestamp, 'When it was removed.'),
})

type WorkloadContext = OperationContext<'authority' | 'workloads'>

export async function addWorkload(input: Static<typeof AddWorkloadInput>, context: WorkloadContext) {
  const { agent_did, issuer, audience, claims } = input
  requireAtHome(context, 'workloads')
  await requireOwn(agent_did, context)
  requireIssuer(issuer)
  await requireUnbounded(context)
  await requireNoMore(agent_did, context)
  if ((await context.workloads.lockAndCount()) >= workloads_max)
    throw refuse(
      'policy_denied',
      `Your organization has ${workloads_max} workloads; remove one that is not used any more.`,
      { reason: 'too many workloads' },
    )
  const workload_id = context.randomBytes(5).toString('hex')
  await context.workloads.add({ workload_id, did: agent_did, issuer, audience, claims })
  context.audit('WorkloadAdded', { agent_did, workload_id }, { supplied: { issuer, audience, claims } })
  return { workload_id, agent_did, issuer, audience, claims }
}

export function listWorkloads(
  { agent_did, ...page }: Static<typeof ListWorkloadsInput>,
  context: WorkloadContext,
) {
  return listing(page, context, {
    own: 'workloads',
    id_form: workload_id_form,
    read: (bounds) => context.workloads.list(agent_did, bounds),
    placeOf: ({ created_at, workload_id }) => ({ at: created_at.toISOString(), id: workload_id }),
    view: (workloads) => workloads.map(viewOf),
  })
}

export async function removeWorkload(
  { workload_id, reason }: Static<typeof RemoveWorkloadInput>,
  context: WorkloadContext,
) {
  const workload = await context.workloads.find(workload_id)
  if (!workload) throw notFound('workload', workload_id)
  await requireOwn(workload.did, context, () => notFound('workload', workload_id))
  await context.workloads.remove(workload_id)
  context.audit('WorkloadRemoved', { agent_did: workload.did, workload_id }, { supplied: { reason } })
  return { workload_id, agent_did: workload.did, removed_at: context.now }
}

function viewOf({ did, claims, has_keys, created_at, last_used_at, ...workload }: ListedWorkload) {
  const { workload_id, issuer, audience } = workload
  return {
    workload_id,
    agent_did: did,
    issuer,
    audience,
    claims: Object.fromEntries(Object.entries(claims).map(([name, texts]) => [name, [...texts]])),
    has_stored_keys: has_keys,
    created_at: created_at.toISOString(),
    ...(last_used_at && { last_used_at: last_used_at.toISOString() }),
  }
}

/** The engine asks this address for keys, so that it is plain and over https; other issuers are the operator's to add. */
function requireIssuer(issuer: string): void {
  const url = URL.parse(issuer)
  if (url && !url.search && !url.hash && !url.username && !url.password) return
  const message = 'must be an https address without user, query or fragment'
  throw refuse('invalid_payload', `The input of svc.macs.add_workload is invalid: /issuer ${message}.`, {
    reason: 'invalid issuer',
    faults: [{ pointer: '/issuer', message }],
  })
}

/** A workload has no bounds of its own, so that one who has them cannot pass on more by it. */
async function requireUnbounded({ workloads }: WorkloadContext): Promise<void> {
  const why_not = await workloads.whyNot()
  if (why_not === undefined) return
  throw refuse(
    'policy_denied',
    `You cannot add a workload with this credential: ${why_not}; sign in, or use a key without bounds.`,
    { reason: 'bounded credential' },
  )
}

/** Its sessions do all that the agent may, but for what its keys carry. */
async function requireNoMore(did: string, { authority, now }: WorkloadContext): Promise<void> {
  const own = unexpired((await authority.ofCaller()).held, now)
  const { identity, held } = await authority.of(did)
  if (identity.revoked)
    throw refuse('policy_denied', 'This agent was revoked and is given nothing any more; name another.', {
      reason: 'identity revoked',
    })
  const beyond = unexpired(held, now).find((grant) => grant.source !== 'key' && !isWithin(grant, own))
  if (!beyond) return
  throw refuse(
    'policy_denied',
    `This agent may do ${beyond.name}, which you may not or only within bounds, so you cannot let a workload act as it; ask somebody who may.`,
    { reason: `capability amplification: ${beyond.name}` },
  )
}
