// An engine with registered agents that answer their tasks by mail, and the official client for it.
import { randomBytes } from 'node:crypto'
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import { issueKey } from '@svc/adapters/access/api-keys'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { keepSeed } from '@svc/adapters/custody/keystore'
import { type InProcessOptions, type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { basic_capabilities } from '../../scenes/basic-capabilities.ts'
import { newKey } from '../../scenes/delegation-scene.ts'
import { assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
export type Fields = Record<string, any>

export interface A2aScene extends InProcessService {
  newParty(tenant_id?: string, capabilities?: readonly string[]): Promise<Addresses>
}

export async function startA2a(options: InProcessOptions = {}): Promise<A2aScene> {
  const master_key = randomBytes(32)
  const service = await startInProcess({ ...options, config: { ...options.config, master_key } })
  const { engine } = service.service.store
  return {
    ...service,
    async newParty(tenant_id = 'acme', capabilities = ['svc.*.*']) {
      const { did, seed } = newKey(tenant_id, 'agent')
      await ensureTenant(engine, tenant_id, tenant_id, 'charter')
      await keepSeed(engine, service.service.root_keys, tenant_id, did, seed)
      const all = [...basic_capabilities, ...capabilities.map((name) => ({ name, caveats: [] }))]
      const issued = await issueKey(engine, { tenant_id, did, mode: 'test', capabilities: all })
      return { ...service, ...issued, tenant_id, agent_did: did }
    },
  }
}

export async function ask(
  who: Addresses,
  protocol: string,
  operation: string,
  input: Fields,
): Promise<Fields> {
  return assertSuccess(await dispatch(who, { protocol, operation, input })).output
}

export function register(agent: Addresses, more: Fields = {}): Promise<Fields> {
  return ask(agent, 'MARS', 'register_agent', {
    name: 'Translator',
    summary: 'Translates between German and English.',
    entity_kind: 'Agent',
    capabilities: [],
    service_endpoints: [],
    tags: ['translation'],
    ...more,
  })
}

const task_form = { content_type: 'application/a2a+json' }

/** What an agent replies to a mail: each is sent in turn, in the task's thread. */
export type Respond = (mail: Fields, send: (reply: Fields) => Promise<void>) => Promise<void>

/** Answers its mail until it is stopped. */
export function answering(agent: Addresses, respond: Respond): () => Promise<void> {
  let is_stopped = false
  const handle = async (mail: Fields) => {
    const { reply_to: to, thread_id } = mail
    await respond(mail, async (reply) => {
      await dispatch(agent, {
        protocol: 'MIM',
        operation: 'message_send',
        input: { to, thread_id, ...task_form, ...reply },
      })
    })
  }
  const running = (async () => {
    let ack: string[] = []
    const handling: Promise<void>[] = []
    while (!is_stopped) {
      const { messages } = await ask(agent, 'MIM', 'message_receive', { wait_ms: 500, ack })
      ack = messages.map(({ receipt }: Fields) => receipt)
      handling.push(...messages.map(handle))
    }
    await Promise.all(handling)
  })()
  return async () => {
    is_stopped = true
    await running
  }
}

export function cardUrlOf({ api_url }: Addresses, agent_did: string): string {
  return `${api_url}/a2a/${agent_did}/.well-known/agent-card.json`
}

/** Fetch with the caller's key, as a client of A2A sends it. */
export function fetchAs({ api_key }: Addresses, more: Record<string, string> = {}): typeof fetch {
  return (url, init = {}) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${api_key}`)
    for (const [name, value] of Object.entries(more)) headers.set(name, value)
    return fetch(url, { ...init, headers })
  }
}

function factoryFor(caller: Addresses, is_legacy: boolean): ClientFactory {
  const fetchImpl = fetchAs(caller)
  const legacyCompat = { enabled: is_legacy }
  return new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat }),
  })
}

export function connect(caller: Addresses, agent_did: string): Promise<Client> {
  return factoryFor(caller, false).createFromUrl(cardUrlOf(caller, agent_did), '')
}

/** As a client of 0.3, which knows nothing of later interfaces. */
export async function connectLegacy(caller: Addresses, agent_did: string): Promise<Client> {
  const answer = await fetchAs(caller)(`${cardUrlOf(caller, agent_did)}?A2A-Version=0.3`)
  return factoryFor(caller, true).createFromAgentCard((await answer.json()) as never)
}
