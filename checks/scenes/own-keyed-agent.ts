// A child that keeps its own key: its parent derives it, it signs its document, and proves itself by the wire alone.
import assert from 'node:assert/strict'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { signText } from '@svc/contract/signing/signature'
import { askBundledNode, makeIdentity } from '@svc/service/assembly/identities'
import type { InProcessService } from '../engines/in-process.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { dpopProof } from './dpop-proof.ts'
import { newKeyed, responseOf, type TestIdentity } from './test-descent.ts'

export async function deriveOwnKeyed(
  parent: Addresses,
  capabilities: readonly string[] = ['svc.mars.query_registry'],
): Promise<TestIdentity> {
  const child = newKeyed(parent.tenant_id, 'Agent')
  const input = {
    entity_kind: 'Agent',
    label: child.did.slice(-16),
    custody: 'client',
    child_public_key: child.public_key,
    capabilities: capabilities.map((name) => ({ name, caveats: [] })),
  }
  const derive = async (more = {}) => {
    const request = { protocol: 'MACS', operation: 'derive', input: { ...input, ...more } }
    const answer = await dispatch(parent, request)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.output
  }
  const { document_signing_input } = await derive()
  const document_proof = signText(child.private_key, document_signing_input)
  assert.equal((await derive({ document_proof })).published, true)
  return child
}

/** The same in an engine of this process that resolves identities by its nodes, as an operator makes it. */
export async function makeOwnKeyed(
  { service }: InProcessService,
  tenant_id: string,
  names: readonly string[],
): Promise<TestIdentity> {
  const { engine: db } = service.store
  const clock = system_clock
  await ensureTenant(db, tenant_id, tenant_id, 'sovereign')
  const home = { db, root_keys: service.root_keys, clock, askNode: askBundledNode(db, clock) }
  const root = await makeIdentity(home, { tenant_id, custody: 'engine', entity_kind: 'HumanRoot' })
  const capabilities = names.map((name) => ({ name, caveats: [] }))
  const agent = { tenant_id, custody: 'client', entity_kind: 'Agent', parent_did: root.did } as const
  const { private_key } = await makeIdentity(home, { ...agent, capabilities })
  return newKeyed(tenant_id, 'Agent', Buffer.from(private_key!, 'base64url'))
}

export interface Proven {
  readonly session_id: string
  readonly session_token: string
  readonly key_id: string
}

/** `public_url` is the address that callers use, where it is not the one that is connected to. */
export async function proveItself(
  engine: Addresses,
  agent: TestIdentity,
  public_url = engine.api_url,
): Promise<Proven> {
  const macs = async (operation: string, input: object) => {
    const headers = {
      authorization: undefined,
      dpop: dpopProof(agent, { url: `${public_url}/v1/dispatch` }),
      'x-agent-did': agent.did,
    }
    const answer = await dispatch(engine, { protocol: 'MACS', operation, input }, headers)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.output
  }
  const { session_id } = await macs('auth_negotiation', { profile: 'DidAuth', challenge_kind: 'Nonce' })
  const issued = await macs('generate_challenge', { session_id })
  return await macs('verify_response', responseOf(agent, issued))
}
