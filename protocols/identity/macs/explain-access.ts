// MACS.explain_access: why an identity may do something or not, by every path of authority.

import { CapabilityLimits } from '@svc/contract/authority/capability'
import { DelegationState } from '@svc/contract/authority/delegation-chain'
import { parseDid } from '@svc/contract/identity/did'
import { UsdText, usdText } from '@svc/contract/money/money'
import { type AccessExplanation, type AccessPath, blocked_by } from '@svc/contract/needs/access'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import {
  CapabilityName,
  Closed,
  Did,
  described,
  Hash,
  ListOf,
  OneOf,
  TenantId,
  Timestamp,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const paths_max = 4096
/** A chain has at most nine links. */
const links_max = 9

export const ExplainInput = Closed({
  agent_did: Type.Optional(Type.String({ ...Did, description: 'Default: the caller.' })),
  capability: Type.Optional(
    Type.String({
      ...CapabilityName,
      description: 'Of an operation, such as svc.mind.recall; or name both below.',
    }),
  ),
  protocol: Type.Optional(
    Type.String({ pattern: '^[A-Za-z]{2,16}$', description: 'Protocol of the operation.' }),
  ),
  operation: Type.Optional(
    Type.String({ pattern: '^[a-z][a-z0-9_.]{0,63}$', description: 'Operation of the protocol.' }),
  ),
  target_tenant: Type.Optional(
    Type.String({ ...TenantId, description: 'Where it would be called; default: your own organization.' }),
  ),
  at: Type.Optional(
    Type.String({
      ...Timestamp,
      description: 'By which expiry, caveats and treaties are judged; grants are those of now.',
    }),
  ),
})

const Named = Closed({
  did: described(Did, 'The identity.'),
  name: Type.Optional(Type.String({ description: 'As its own document says.' })),
})

const Path = Closed({
  source: described(
    OneOf('open', 'declared', 'key', 'delegation', 'treaty', 'envelope', 'role'),
    'Where it comes from; open: everybody may call this operation.',
  ),
  capability: Type.String({ description: 'Name it is granted by, maybe a wildcard.' }),
  source_ref: Type.Optional(
    Type.String({ description: 'The delegation token, treaty, envelope or name of the role.' }),
  ),
  department: Type.Optional(Type.String({ description: 'Of an envelope.' })),
  expires_at: Type.Optional(described(Timestamp, 'When it ends; absent: it does not end by itself.')),
  limits: Type.Optional(described(CapabilityLimits, 'Bounds on its use; absent: none.')),
  caveats: described(ListOf(Type.String()), 'Conditions, such as time:09-17.'),
  usable: Type.Boolean({ description: 'Whether a call could use it.' }),
  used: Type.Boolean({ description: 'A call would use this one.' }),
  blocked: Type.Optional(
    Closed(
      {
        by: described(
          OneOf(...blocked_by),
          'What stands against it; source_lost: its delegator no longer holds it.',
        ),
        sentence: Type.String({ description: 'For people to read.' }),
        caveat: Type.Optional(Type.String({ description: 'The condition that does not hold.' })),
      },
      { description: 'Why a call cannot use it.' },
    ),
  ),
  chain: Type.Optional(
    described(
      ListOf(
        Closed({
          token_id: described(Hash, 'Hash of the token.'),
          from: described(Named, 'Who delegated.'),
          to: described(Named, 'Who received.'),
          state: DelegationState,
          expires_at: described(Timestamp, 'When it ends.'),
        }),
        1,
        links_max,
      ),
      'Delegations from the first delegator to the holder.',
    ),
  ),
})

export const ExplainOutput = Closed({
  agent: described(Named, 'Whose access is explained.'),
  capability: Type.String({ description: 'What a call would need.' }),
  target_tenant: described(TenantId, 'Organization in which the call would run.'),
  at: described(Timestamp, 'Time it was judged by.'),
  allowed: Type.Boolean({
    description: 'By stage 4, for a call without input; limits and budgets come later.',
  }),
  depends_on_call: Type.Boolean({
    description:
      'Not allowed without input, but a call with a fitting input, or from a fitting network, would be.',
  }),
  refusal: Type.Optional(
    Closed(
      {
        code: Type.String({ description: 'Error code.' }),
        reason: Type.Optional(Type.String({ description: 'Short reason, stable for programs.' })),
        sentence: Type.String({ description: 'What happened, why and what to do.' }),
      },
      { description: 'How the call would be refused; absent if allowed.' },
    ),
  ),
  key_budget: Type.Optional(
    Closed(
      {
        weekly_budget_usd: described(UsdText, 'What all calls with it may cost in this ISO week.'),
        spent_this_week_usd: described(UsdText, 'What they have cost so far.'),
      },
      {
        description: 'Of the key you ask with, about yourself: a call must also fit into what is left of it.',
      },
    ),
  ),
  paths: Type.Array(Path, {
    maxItems: paths_max,
    description: 'In the order in which they are tried; those that no longer count are last.',
  }),
})

export async function explainAccess(
  input: Static<typeof ExplainInput>,
  context: OperationContext<'authority'>,
): Promise<Static<typeof ExplainOutput>> {
  requireAtHome(context, 'permissions')
  const { agent_did: did = context.caller.did, at = context.now } = input
  const { target_tenant = context.tenant_id } = input
  if (did !== context.caller.did && parseDid(did)?.namespace !== context.tenant_id)
    throw notFound('identity', did)
  const explanation = await context.authority.explain({
    did,
    ...operationIn(input),
    target_tenant,
    at_ms: Date.parse(at),
  })
  const { capability, allowed, depends_on_call, refusal, budget } = explanation
  return {
    agent: named(did, new Map([[did, explanation.identity.name]])),
    capability,
    target_tenant,
    at,
    allowed,
    depends_on_call,
    ...(refusal && { refusal: { ...refusal } }),
    ...(budget && {
      key_budget: {
        weekly_budget_usd: usdText(budget.limit_micro_usd),
        spent_this_week_usd: usdText(budget.spent_micro_usd),
      },
    }),
    paths: explanation.paths.slice(0, paths_max).map((path) => viewOf(path, explanation)),
  }
}

function operationIn({ capability, protocol, operation }: Static<typeof ExplainInput>) {
  if (capability !== undefined && protocol === undefined && operation === undefined) {
    const [, of = '', ...name] = capability.split('.')
    return { protocol: of, operation: name.join('.') }
  }
  if (capability === undefined && protocol !== undefined && operation !== undefined)
    return { protocol, operation }
  throw unclear()
}

function unclear(): Refusal {
  const message = 'or else both protocol and operation'
  return refuse(
    'invalid_payload',
    'Say what is to be explained: a capability, or a protocol and an operation.',
    {
      reason: 'one_of',
      faults: [{ pointer: '/capability', message }],
    },
  )
}

function viewOf(
  { grant, chain, blocked, used }: AccessPath,
  { names, departments }: AccessExplanation,
): Static<typeof Path> {
  const { name: capability, source, source_ref, expires_at, limits, caveats } = grant
  const department = source === 'envelope' ? departments.get(source_ref!) : undefined
  return {
    source,
    capability,
    ...(source_ref !== undefined && { source_ref }),
    ...(department !== undefined && { department }),
    ...(expires_at !== undefined && { expires_at }),
    ...(limits !== undefined && { limits }),
    caveats: [...caveats],
    usable: blocked === undefined,
    used,
    ...(blocked && { blocked: { ...blocked } }),
    ...(chain && {
      chain: chain.map(({ from_did, to_did, ...step }) => ({
        ...step,
        from: named(from_did, names),
        to: named(to_did, names),
      })),
    }),
  }
}

function named(did: string, names: ReadonlyMap<string, string | undefined>): Static<typeof Named> {
  const name = names.get(did)
  return { did, ...(name !== undefined && { name }) }
}
