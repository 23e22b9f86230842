// Two engines that serve each other: PING runs on one, PONG on the other, and each has the other's
// registered.
import { randomBytes } from 'node:crypto'
import { keepRegistration } from '@svc/adapters/external/registrations'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import { operation, type Protocol, protocol } from '@svc/contract/protocol'
import { type RefusalCode, refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, OneOf, Text } from '@svc/contract/schema'
import type { SigningKey } from '@svc/contract/signing/signature'
import type { Service } from '@svc/service/assembly/assemble'
import { Type } from 'typebox'
import { testDatabase } from '../rehearsal/test-database.ts'
import { newSigner } from '../scenes/signed-invocation.ts'
import { until } from '../suite/eventually.ts'
import { type InProcessService, startInProcess, type TestConfig } from './in-process.ts'

const loopback = ['127.0.0.0/8']

const plain = { level: 'L0', meters: ['seconds', 'tokens'], output: AnyObject } as const

/** Signals of a `wait` call to the test, by name. */
export const waiting = new Map<
  string,
  { readonly began: PromiseWithResolvers<void>; readonly ended: PromiseWithResolvers<void> }
>()

const resting = {
  refuse: operation({
    ...plain,
    summary: 'Say no in a given way.',
    effect: 'read',
    input: Closed({ code: OneOf('policy_denied', 'invalid_payload', 'missing_capability', 'internal') }),
    example: { code: 'policy_denied' },
    handle({ code }) {
      throw refuse(code as RefusalCode, 'No, says the module.', { reason: 'as asked' })
    },
  }),
  wait: operation({
    ...plain,
    summary: 'Wait until the caller leaves.',
    effect: 'read',
    input: Closed({ name: Type.String() }),
    example: { name: 'x' },
    async handle({ name }, { signal }) {
      waiting.get(name)?.began.resolve()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      waiting.get(name)?.ended.resolve()
      return {}
    },
  }),
}

/** `other` is the protocol that its operations call. */
function half(id: string, other: string): Protocol {
  return protocol({
    id,
    version: 'v1.0.0',
    plane: 'awareness',
    estate: 'protocol',
    rate: 'standard',
    category: 'svc-infrastructure',
    summary: `One half of a pair; the other is ${other}.`,
    operations: {
      note: operation({
        ...plain,
        summary: 'Keep a text and say where.',
        effect: 'write',
        needs: ['engine', 'tokens'],
        input: Closed({ text: Text(2_000_000) }),
        example: { text: 'x' },
        handle({ text }, context) {
          context.audit('custom.noted', { length: text.length })
          context.tokens.use(5, 7)
          context.metadata.half = id
          return { at: context.engine.did, by: context.caller.did }
        },
      }),
      across: operation({
        ...plain,
        summary: 'Have the other half keep a text.',
        effect: 'read',
        input: Closed({ text: Text(1000) }),
        example: { text: 'x' },
        handle: (input, context) => context.call(other, 'note', input) as Promise<Record<string, unknown>>,
      }),
      bounce: operation({
        ...plain,
        summary: 'Call the other half, which does the same.',
        effect: 'read',
        input: Closed({}),
        example: {},
        handle: (input, context) => context.call(other, 'bounce', input) as Promise<Record<string, unknown>>,
      }),
      ...resting,
    },
  })
}

const [ping, pong, lost] = [half('PING', 'PONG'), half('PONG', 'PING'), half('LOST', 'LOST')]

export interface EnginePair {
  /** Runs PONG, and has PING and LOST registered at the other. */
  readonly a: InProcessService
  /** Runs PING, and has PONG and LOST registered at the other. */
  readonly b: InProcessService
  readonly a_key: SigningKey
  readonly b_key: SigningKey
  /** The audit log in which the second engine records its work for the first. */
  readonly b_operator: string
  stop(): Promise<void>
}

/** With a database each, or a shared one. */
export async function openEnginePair({
  one_database = false,
  config = {} as Partial<TestConfig>,
} = {}): Promise<EnginePair> {
  const [a_key, b_key] = [newSigner(), newSigner()]
  const database = one_database ? await testDatabase() : undefined
  const common: Partial<TestConfig> = {
    ...config,
    allowed_networks: loopback,
    trusted_engines: [a_key.did, b_key.did],
    ...(database && { db_url: database.url, master_key: randomBytes(32) }),
  }
  const b_operator = 'operator-b'
  const start = (key: SigningKey, tenant_id: string, native: string) =>
    startInProcess({
      identity: key_only_resolver,
      more_protocols: [ping, pong, lost],
      caller: { capabilities: ['svc.ping.*', 'svc.pong.*', 'svc.lost.*'] },
      config: { ...common, agent_did: key.did, agent_key: key, tenant_id, protocols: [native] },
    })
  const a = await start(a_key, 'operator', 'PONG')
  const b = await start(b_key, b_operator, 'PING')
  await registerAt(a.service, ping, b.api_url, b_key.did)
  await registerAt(b.service, pong, a.api_url, a_key.did)
  // On a shared database two registrations would be balanced over both.
  await registerAt(a.service, lost, b.api_url, b_key.did)
  if (!one_database) await registerAt(b.service, lost, a.api_url, a_key.did)
  const stop = async () => {
    await a.stop()
    await b.stop()
    await database?.close()
  }
  return { a, b, a_key, b_key, b_operator, stop }
}

/** Like the operator's command; resolves when the engine routes by it. */
export async function registerAt(
  { store, registry }: Service,
  { id: name, version, operations }: Protocol,
  endpoint: string,
  did: string,
): Promise<void> {
  const registration = { name, version, endpoint, timeout_ms: 120_000, operations: Object.keys(operations) }
  await keepRegistration(store.engine, { ...registration, did, weight: 1 })
  await until(`${name} is routed to ${endpoint}`, () => {
    const endpoints = registry.versions(name)?.flatMap((registered) => registered.endpoints) ?? []
    return endpoints.some(({ id }) => id === endpoint)
  })
}
