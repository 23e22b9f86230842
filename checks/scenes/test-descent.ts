// Identities with their keys, and what they sign: for tests that prove, forge and derive.
import { randomBytes } from 'node:crypto'
import { childDid, kindSegment, type LineageStatement, signStatement } from '@svc/contract/identity/lineage'
import { privateKeyOf, publicKeyOf, type SigningKey, signText } from '@svc/contract/signing/signature'
import { type Addresses, type Answer, dispatch } from '../engines/running-engine.ts'

export interface TestIdentity extends SigningKey {
  readonly entity_kind: string
  readonly seed: Buffer
}

export function newKeyed(
  namespace: string,
  entity_kind: string,
  seed: Buffer = randomBytes(32),
): TestIdentity {
  const private_key = privateKeyOf(seed)
  const public_key = publicKeyOf(private_key)
  return { did: childDid(namespace, entity_kind, public_key), public_key, private_key, entity_kind, seed }
}

/** The parent's statement for this child, at a time before every test's clock. */
export function vouch(
  child: TestIdentity,
  parent: TestIdentity,
  other: Partial<LineageStatement> = {},
): LineageStatement {
  const statement = {
    child_did: child.did,
    child_public_key: child.public_key,
    parent_did: parent.did,
    parent_public_key: parent.public_key,
    entity_kind: child.entity_kind,
    label: kindSegment(child.entity_kind),
    index: 0,
    created_at: '2026-01-01T00:00:00.000Z',
    ...other,
  }
  return {
    ...signStatement(statement, parent),
    ...('signature' in other ? { signature: other.signature } : {}),
  }
}

/** From the last of these up to the first, the root. */
export function lineageThrough(...line: readonly TestIdentity[]): LineageStatement[] {
  return line
    .slice(1)
    .map((child, at) => vouch(child, line[at]!))
    .reverse()
}

export function askMacs(caller: Addresses, operation: string, input: unknown, more: object = {}) {
  return dispatch(caller, { protocol: 'MACS', operation, input, ...more })
}

export interface Issued {
  readonly session_id: string
  readonly challenge_id: string
  readonly nonce: string
  readonly signing_input: string
}

/** Negotiates and gets a challenge, as this caller, for this agent. */
export async function challengeFor(
  caller: Addresses,
  agent_did: string,
  { profile = 'DidAuth', challenge_kind = 'Nonce', ...wish }: Record<string, string> = {},
): Promise<Issued> {
  const { session_id } = outputOf(
    await askMacs(caller, 'auth_negotiation', { profile, challenge_kind, agent_did }),
  )
  const issued = outputOf(await askMacs(caller, 'generate_challenge', { session_id, ...wish }))
  return { ...issued, session_id } as unknown as Issued
}

/** The agent's response. */
export function responseOf(agent: TestIdentity, { challenge_id, signing_input }: Issued, more: object = {}) {
  return {
    challenge_id,
    agent_did: agent.did,
    public_key: agent.public_key,
    signature: signText(agent.private_key, signing_input),
    ...more,
  }
}

export function outputOf(answer: Answer): Record<string, never> & { session_id: string } {
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return answer.body.output
}
