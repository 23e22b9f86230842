// Calls to the Aegis node. Its answers are checked: shapes always, tokens by their signatures.
import { type AgentCapability, isOwn } from '@svc/contract/authority/capability'
import { faultIn, forgeryIn, type StoredChain, worthOf } from '@svc/contract/authority/delegation-chain'
import { type NodeAnswers, readAnswer } from '@svc/contract/authority/received-delegations'
import { parseDid } from '@svc/contract/identity/did'
import type { Holdings } from '@svc/contract/needs/authority'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { remoteSide } from '../oas/api.ts'

export async function askNode<Name extends keyof NodeAnswers>(
  context: OperationContext<'remote'>,
  operation: Name,
  payload: unknown,
): Promise<NodeAnswers[Name]> {
  const answer = readAnswer(operation, await remoteSide('Aegis', context).invoke(operation, payload))
  if (!answer) throw unbelievable('its answer has an unexpected shape')
  return answer
}

/** The links down to a token, with signatures checked; not whether they are still in force. */
export async function askChain(context: OperationContext<'remote'>, token_id: string): Promise<StoredChain> {
  const token_chain = await askNode(context, 'chain', { token_id })
  const { links } = token_chain
  const fault = links.map(forgeryIn).find(Boolean) ?? faultIn(links)
  if (fault || links.at(-1)?.token_id !== token_id) {
    context.alarm('forged delegation', { token_id, fault: fault ?? 'another token' })
    throw unbelievable('it stores an invalid delegation')
  }
  if (parseDid(links[0]!.token.from_did)?.namespace !== context.tenant_id)
    throw notFound('delegation', token_id)
  return token_chain
}

/** What the holder of a parent token may redelegate now. */
export async function worthNow(
  context: OperationContext<'authority'>,
  { links, policies }: StoredChain,
): Promise<AgentCapability[]> {
  const revoked = new Set<string>()
  let own: readonly AgentCapability[] = []
  for (const [index, { token }] of links.entries()) {
    const authority = await context.authority.of(token.from_did)
    if (authority.identity.revoked) revoked.add(token.from_did)
    if (index === 0) own = ownOf(authority)
  }
  const standing = { now: context.now, own, policies, isRevoked: (did: string) => revoked.has(did) }
  return [...worthOf(links, standing).held]
}

export function ownOf({ held }: Holdings): AgentCapability[] {
  return held.filter(isOwn).map(({ source: _, source_ref: __, ...capability }) => capability)
}

/** Identities of other tenants are answered as if they did not exist. */
export function requireOwnDid(context: OperationContext, did: string): void {
  if (parseDid(did)?.namespace !== context.tenant_id) throw notFound('identity', did)
}

function unbelievable(why: string): Refusal {
  return refuse(
    'adapter_error',
    `The Aegis node gave an invalid answer: ${why}; ask its operator to investigate.`,
    {
      reason: 'unbelievable answer',
    },
  )
}
