// Identities that keep their own keys: they change them, recover each other's and derive others, by the wire alone.
import assert from 'node:assert/strict'
import { system_clock } from '@svc/adapters/clock/system'
import { keyHash } from '@svc/contract/identity/key-events'
import { signText } from '@svc/contract/signing/signature'
import type { InProcessService } from '../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../engines/running-engine.ts'
import { dpopProof } from './dpop-proof.ts'
import { makeOwnKeyed, proveItself } from './own-keyed-agent.ts'
import { type Issued, newKeyed, outputOf, type TestIdentity } from './test-descent.ts'

/** Any call that needs a capability. */
export const query = { protocol: 'MARS', operation: 'query_registry', input: { tag: 'none', limit: 1 } }

export const reasonOf = ({ body }: Answer): string =>
  body.error?.reason ?? `status ok: ${JSON.stringify(body.output)}`

/** The same identity with another key. */
export function withKey(agent: TestIdentity): TestIdentity {
  return { ...newKeyed('dev', 'Agent'), did: agent.did, entity_kind: agent.entity_kind }
}

export function inSession(
  engine: Addresses,
  agent: TestIdentity,
  token: string,
  request: object,
): Promise<Answer> {
  const dpop = dpopProof(agent, { url: `${engine.api_url}/v1/dispatch`, token })
  return dispatch(engine, request, { authorization: `DPoP ${token}`, 'x-agent-did': undefined, dpop })
}

/** In a session of its own. */
export async function asAgent(
  engine: Addresses,
  agent: TestIdentity,
  operation: string,
  input: object,
  protocol = 'MACS',
): Promise<Answer> {
  const { session_token } = await proveItself(engine, agent)
  return inSession(engine, agent, session_token, { protocol, operation, input })
}

/** Without a session, as whoever has the key calls what opens one. */
export function beforeSession(
  engine: Addresses,
  agent: TestIdentity,
  operation: string,
  input: object,
): Promise<Answer> {
  const dpop = dpopProof(agent, { url: `${engine.api_url}/v1/dispatch` })
  const headers = { authorization: undefined, dpop, 'x-agent-did': agent.did }
  return dispatch(engine, { protocol: 'MACS', operation, input }, headers)
}

/** The challenge that the agent has to answer for a session. */
export async function challengeOf(engine: Addresses, agent: TestIdentity): Promise<Issued> {
  const wish = { profile: 'DidAuth', challenge_kind: 'Nonce' }
  const { session_id } = outputOf(await beforeSession(engine, agent, 'auth_negotiation', wish))
  return outputOf(await beforeSession(engine, agent, 'generate_challenge', { session_id })) as never
}

/** Asks what to sign, signs it with the new key, and sends it again. */
export async function rotate(
  engine: Addresses,
  agent: TestIdentity,
  to: TestIdentity,
  next: TestIdentity,
  more: object = {},
): Promise<Answer> {
  const input = { public_key: to.public_key, next_key_hash: keyHash(next.public_key), ...more }
  const unsigned = await asAgent(engine, agent, 'rotate_key', input)
  if (unsigned.status !== 200) return unsigned
  const { at, signing_input, document_signing_input } = unsigned.body.output
  assert.equal(unsigned.body.output.state, 'unsigned')
  return asAgent(engine, agent, 'rotate_key', {
    ...input,
    at,
    signature: signText(to.private_key, signing_input),
    document_proof: signText(to.private_key, document_signing_input),
  })
}

/** Its first commitment; with the key that it commits to. */
export async function commitNext(
  engine: Addresses,
  agent: TestIdentity,
  more: object = {},
): Promise<TestIdentity> {
  const next = withKey(agent)
  assert.equal(outputOf(await rotate(engine, agent, agent, next, more)).state, 'committed')
  return next
}

/** From its first key to the next, which it then has. */
export async function changeKey(engine: Addresses, agent: TestIdentity): Promise<TestIdentity> {
  const next = await commitNext(engine, agent)
  assert.equal(outputOf(await rotate(engine, agent, next, withKey(agent))).state, 'rotated')
  return next
}

/** With all signatures that `by` and the new key can give. */
export async function recover(
  engine: Addresses,
  by: TestIdentity,
  subject: TestIdentity,
  to = withKey(subject),
): Promise<Answer> {
  const next_key_hash = keyHash(withKey(subject).public_key)
  const input = { agent_did: subject.did, public_key: to.public_key, next_key_hash }
  const unsigned = outputOf(await asAgent(engine, by, 'recover_key', input)) as Record<string, never>
  const signing_input: string = unsigned.signing_input!
  return asAgent(engine, by, 'recover_key', {
    ...input,
    signature: signText(to.private_key, signing_input),
    document_proof: signText(to.private_key, unsigned.document_signing_input!),
    own_signature: signText(by.private_key, signing_input),
    own_public_key: by.public_key,
  })
}

/** The parent's half of a derivation: whoever has the key need not agree, and does so with its `document_proof`. */
export async function claim(
  engine: Addresses,
  parent: TestIdentity,
  child: TestIdentity,
  names: readonly string[] = [],
) {
  const input = {
    entity_kind: 'Agent',
    label: child.did.slice(-16),
    custody: 'client',
    child_public_key: child.public_key,
    parent_public_key: parent.public_key,
    capabilities: names.map((name) => ({ name, caveats: [] })),
  }
  const unsigned = await asAgent(engine, parent, 'derive', input)
  const text: string = unsigned.body.error.details.faults[0].message
  const { created_at } = JSON.parse(text.slice(text.indexOf('{'))) as { created_at: string }
  const signed = { ...input, created_at, signature: signText(parent.private_key, text) }
  return { signed, answer: await asAgent(engine, parent, 'derive', signed) }
}

/** A child that has agreed. */
export async function childOf(
  engine: Addresses,
  parent: TestIdentity,
  names: readonly string[] = ['svc.macs.*'],
): Promise<TestIdentity> {
  const child = newKeyed(engine.tenant_id, 'Agent')
  const { signed, answer } = await claim(engine, parent, child, names)
  const { document_signing_input } = outputOf(answer) as Record<string, never>
  const document_proof = signText(child.private_key, document_signing_input!)
  const published = outputOf(await asAgent(engine, parent, 'derive', { ...signed, document_proof }))
  assert.equal(published.published, true)
  return child
}

/** A parent and its child in an organization of their own, and how to call it there. */
export async function family(engine: InProcessService, tenant_id: string) {
  const home: Addresses = { ...engine, tenant_id }
  const parent = await makeOwnKeyed(engine, tenant_id, ['svc.macs.*', 'svc.mars.*'])
  return { home, parent, child: await childOf(home, parent) }
}

/** For an hour, signed by the key of `signer`. */
export async function delegate(
  engine: Addresses,
  from: TestIdentity,
  to_did: string,
  capability: string,
  signer = from,
): Promise<Answer> {
  const expires_at = new Date(system_clock.now_ms() + 3_600_000).toISOString()
  const input = { to_did, expires_at, capabilities: [capability], public_key: signer.public_key }
  const unsigned = await asAgent(engine, from, 'delegate', input, 'Aegis')
  const signature = signText(signer.private_key, unsigned.body.error.details.signing_input)
  return asAgent(engine, from, 'delegate', { ...input, signature }, 'Aegis')
}
