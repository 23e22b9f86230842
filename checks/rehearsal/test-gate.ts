// Stage 4 with any caller and capabilities, for its tests.
import assert from 'node:assert/strict'
import type { HeldCapability } from '@svc/contract/authority/capability'
import type { ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { type Dependency, Refusal } from '@svc/contract/refusal'
import type { ConformanceLevel } from '@svc/contract/schema'
import type { Asked, Credential } from '@svc/engine/call'
import type { Ports } from '@svc/engine/ports'
import { gateCapability } from '@svc/engine/stages/4-gate-capability'
import { askedOf, callBefore, credentialOf, no_capabilities, testPorts, tryProtocol } from './test-ports.ts'

/** What the caller holds and is, and what it calls. */
export interface Case {
  held: Partial<HeldCapability>[]
  caller?: ResolvedAgentIdentity
  level?: ConformanceLevel
  open_to?: 'anyone' | 'self'
  input?: unknown
  tenant_id?: string
  other?: Partial<Ports>
  /** What could not be looked up of the caller's capabilities and identity. */
  unknown?: Dependency
  unknown_of_caller?: 'document' | 'revocation'
  facts?: Partial<OperationFacts>
  /** What the manifests of the plugins allow through which it is called. */
  ceilings?: readonly (readonly string[])[] | null
  /** Of its credential: what it may be used for, and the delegation it acts under. */
  bounds?: Partial<Pick<Credential, 'usable_for' | 'delegation_id'>>
}

export async function gate(given_case: Case) {
  const { held, caller, level = 'L0', tenant_id = 'acme', other, unknown } = given_case
  const { unknown_of_caller, open_to, facts, ceilings, bounds } = given_case
  const input = 'input' in given_case ? given_case.input : {}
  const effective = held.map((grant) => ({
    name: 'svc.try.run',
    caveats: [],
    source: 'key' as const,
    ...grant,
  }))
  const ports = testPorts([tryProtocol(() => ({}), { level, ...(open_to && { open_to }), ...facts })], {
    identity: {
      resolve: () =>
        unknown_of_caller
          ? { outcome: 'Unavailable', reason: 'x', unknown: unknown_of_caller }
          : caller
            ? { outcome: 'Resolved', identity: caller }
            : { outcome: 'Failed', reason: 'x' },
    },
    capabilities: { ...no_capabilities, effective: () => ({ held: effective, ...(unknown && { unknown }) }) },
    ...other,
  })
  const within = ceilings === undefined ? undefined : ({ ...(ceilings && { ceilings }) } as Asked['within'])
  const call = await callBefore(
    4,
    askedOf(
      { input, tenant_id },
      { within, ...(bounds && { credential: { ...credentialOf('svc.*.*'), ...bounds } }) },
    ),
    ports,
  )
  return { call, ports, gated: (async () => gateCapability(call, ports))() }
}
export const grantOf = async (given_case: Case) => (await (await gate(given_case)).gated).grant
export async function refusalOf(given_case: Case): Promise<Refusal> {
  const { call, gated } = await gate(given_case)
  const thrown = await gated.then(
    () => assert.fail('it was let through'),
    (error: unknown) => error,
  )
  assert.ok(thrown instanceof Refusal)
  assert.deepEqual([call.stage, call.grant], [4, undefined])
  return thrown
}
