// A service with its Aegis node, and identities with their keys, for delegation tests.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { issueKey } from '@svc/adapters/access/api-keys'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { keepSeed } from '@svc/adapters/custody/keystore'
import type { AgentCapability } from '@svc/contract/authority/capability'
import {
  type DelegationToken,
  tokenInput,
  type UnsignedToken,
} from '@svc/contract/authority/delegation-token'
import { type ResolvedAgentIdentity, unresolved } from '@svc/contract/identity/identity'
import { privateKeyOf, type SigningKey, signText } from '@svc/contract/signing/signature'
import type { IdentityResolver } from '@svc/engine/ports'
import { type InProcessOptions, type InProcessService, startInProcess } from '../engines/in-process.ts'
import { type Addresses, type Answer, dispatchDecided } from '../engines/running-engine.ts'
import { type ManualClock, manualClock } from '../rehearsal/manual-clock.ts'
import { basic_capabilities } from './basic-capabilities.ts'

export interface Member extends Addresses {
  readonly key: SigningKey
  readonly key_id: string
}

export interface MemberOptions {
  readonly tenant_id?: string
  readonly kind?: string
  /** What its document declares; a bare name has no caveats. */
  readonly declares?: readonly (string | AgentCapability)[]
  /** What its API key carries. */
  readonly carries?: readonly (string | AgentCapability)[]
  /** The engine has its seed in custody as well. */
  readonly in_custody?: boolean
  readonly more?: Partial<ResolvedAgentIdentity>
}

export interface DelegationScene {
  readonly service: InProcessService
  readonly clock: ManualClock
  /** The resolver's data on each identity; tests change it. */
  readonly known: Map<string, ResolvedAgentIdentity>
  newMember(options?: MemberOptions): Promise<Member>
  stop(): Promise<void>
}

export const scene_start = '2026-11-12T10:00:00.000Z'

export async function openDelegationScene(options: InProcessOptions = {}): Promise<DelegationScene> {
  const clock = (options.clock as ManualClock | undefined) ?? manualClock(scene_start)
  const identities = new Map<string, ResolvedAgentIdentity>()
  const identity: IdentityResolver = {
    resolve(did) {
      const registered = identities.get(did)
      return registered
        ? { outcome: 'Resolved', identity: registered }
        : { outcome: 'Failed', reason: 'not in the test' }
    },
  }
  const master_key = options.config?.master_key ?? randomBytes(32)
  const config = { ...options.config, master_key }
  const service = await startInProcess({ with_nodes: true, identity, ...options, clock, config })
  return {
    service,
    clock,
    known: identities,
    newMember: (member_options = {}) => addMember(service, identities, member_options),
    stop: () => service.stop(),
  }
}

async function addMember(
  { service: { store, root_keys, port, metrics_port } }: InProcessService,
  identities: Map<string, ResolvedAgentIdentity>,
  { tenant_id = 'dev', kind = 'agent', declares = [], carries = [], in_custody, more }: MemberOptions,
): Promise<Member> {
  await ensureTenant(store.engine, tenant_id, tenant_id, 'sovereign')
  const key = newKey(tenant_id, kind)
  const capabilities = [...declares, 'svc.aegis.*'].map(asCapability)
  identities.set(key.did, {
    ...unresolved(key.did),
    auth_method: 'did',
    lineage_verified: true,
    conformance_level: 'L1',
    capabilities,
    ...more,
  })
  if (in_custody) await keepSeed(store.engine, root_keys, tenant_id, key.did, key.seed)
  const key_request = {
    tenant_id,
    did: key.did,
    mode: 'test',
    capabilities: [...basic_capabilities, ...carries.map(asCapability)],
  } as const
  const issued = await issueKey(store.engine, key_request)
  return {
    api_url: `http://127.0.0.1:${port}`,
    metrics_url: `http://127.0.0.1:${metrics_port}/metrics`,
    tenant_id,
    agent_did: key.did,
    key,
    ...issued,
  }
}

export function newKey(tenant_id: string, kind = 'agent'): SigningKey & { readonly seed: Buffer } {
  const { did, public_key, private_key } = newIdentity(tenant_id, kind)
  const seed = Buffer.from(private_key, 'base64url')
  return { did, public_key, private_key: privateKeyOf(seed), seed }
}

export function asCapability(name_or_capability: string | AgentCapability): AgentCapability {
  return typeof name_or_capability === 'string'
    ? { name: name_or_capability, caveats: [] }
    : name_or_capability
}

export function signDelegation(token: UnsignedToken, { private_key }: SigningKey): DelegationToken {
  return { ...token, signature: signText(private_key, tokenInput(token)) }
}

export function askAegis(caller: Addresses, operation: string, input: unknown): Promise<Answer> {
  return dispatchDecided(caller, { protocol: 'Aegis', operation, input })
}

export interface DelegationAsked {
  readonly to: Member
  readonly capabilities: readonly (string | Partial<AgentCapability>)[]
  readonly more?: Record<string, unknown>
}

/** Like a client with its own key: the refusal names what to sign, the second call has the signature. */
export async function askDelegation(
  from: Member,
  { to, capabilities, more = {} }: DelegationAsked,
): Promise<Answer> {
  const expires_at = '2026-11-20T00:00:00Z'
  const input = { to_did: to.agent_did, capabilities, expires_at, ...more }
  const first = await askAegis(from, 'delegate', input)
  if (first.body.error?.reason !== 'signature required') return first
  const { signing_input } = first.body.error.details
  const signature = signText(from.key.private_key, signing_input)
  return askAegis(from, 'delegate', { ...input, signature, public_key: from.key.public_key })
}

export async function delegateTo(
  from: Member,
  request: DelegationAsked,
): Promise<{ token_id: string; token: DelegationToken }> {
  const answer = await askDelegation(from, request)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.output
}

export async function revokeDelegation(by: Addresses, token_id: string): Promise<Answer> {
  return askAegis(by, 'policy', { action: 'revoke', token_id, reason: 'no longer needed' })
}
