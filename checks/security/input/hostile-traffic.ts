// Calls meant to make an engine remember too much: each names things that were never named before.
import { connect } from 'node:net'
import { dispatch } from '../../engines/running-engine.ts'
import { pace } from '../../suite/real-time.ts'
import type { AttackedEngine, Caller } from '../attacked-engine.ts'
import { requestBytes } from './raw-http.ts'

export interface Hostile {
  readonly name: string
  /** `n` differs in every call of a run. */
  call(n: number): Promise<unknown>
}

const big_body_bytes = 1_000_000
const too_big_body_bytes = 3_000_000
const headers_many = 60

type Kinds = Readonly<Record<string, (n: number) => Promise<unknown>>>

const keep = (input: object, more: object = {}) => ({ protocol: 'PROBE', operation: 'keep', input, ...more })
const hex = (n: number) => n.toString(16).padStart(64, '0')

export function hostileTraffic(attacked: AttackedEngine, callers: readonly Caller[]): Hostile[] {
  const kinds = {
    ...namesOfNothing(attacked, callers),
    ...oddRequests(attacked),
    ...thingsKept(attacked, callers),
    ...otherSurfaces(attacked),
    ...droppedConnections(attacked, callers),
  }
  return Object.entries(kinds).map(([name, call]) => ({ name, call }))
}

function namesOfNothing({ acme }: AttackedEngine, callers: readonly Caller[]): Kinds {
  return {
    'unknown protocol': (n) => dispatch(acme, { protocol: `NONE${n}`, operation: 'x', input: {} }),
    'unknown operation': (n) => dispatch(acme, { protocol: 'PROBE', operation: `none_${n}`, input: {} }),
    'unknown version': (n) => dispatch(acme, keep({}, { version: `v1.${n}.0` })),
    'unknown tenant': (n) => dispatch(acme, keep({}, { tenant_id: `nobody-${n}` })),
    'key of nobody': (n) =>
      dispatch(acme, keep({}), { authorization: `Bearer svc_test_${hex(n).slice(-8)}_${'A'.repeat(43)}` }),
    'key of no form': (n) => dispatch(acme, keep({}), { authorization: `Bearer ${n}` }),
    'no key': (n) => dispatch(acme, keep({ n }), { authorization: undefined }),
    'DID of somebody else': (n) =>
      dispatch(acme, keep({}), { 'x-agent-did': `did:oas:acme:agent:${hex(n)}` }),
    'many callers': (n) => dispatch(callers[n % callers.length]!, keep({ n })),
  }
}

function oddRequests({ acme, rival }: AttackedEngine): Kinds {
  return {
    'no JSON': (n) => dispatch(acme, `{"n": ${n},`),
    'odd fields': (n) => dispatch(acme, keep({ [`field_${n}`]: { [`inner_${n}`]: n } })),
    'big body': (n) => dispatch(acme, keep({ text: `${n}`.padEnd(big_body_bytes, 'x') })),
    'body too big': (n) => dispatch(acme, keep({ text: `${n}`.padEnd(too_big_body_bytes, 'x') })),
    'dry run': (n) => dispatch(acme, keep({ n }), { 'x-svc-dry-run': 'true' }),
    'idempotency key': (n) => dispatch(acme, keep({ n }, { idempotency_key: `key-${n}` })),
    'correlation id': (n) =>
      dispatch(acme, keep({}), {
        'x-correlation-id': `c-${n}`,
        traceparent: `00-${hex(n).slice(-32)}-${hex(n + 1).slice(-16)}-01`,
      }),
    'failing text': (n) =>
      dispatch(acme, { protocol: 'PROBE', operation: 'fail', input: { text: `broken by ${n}` } }),
    'other tenant': (n) => dispatch(rival, keep({ n }, { tenant_id: 'acme' })),
    stream: (n) => dispatch(acme, keep({ n }), { accept: 'text/event-stream' }),
    'header names': (n) =>
      dispatch(
        acme,
        keep({}),
        Object.fromEntries(Array.from({ length: headers_many }, (_, at) => [`x-h${at}-${n}`, `${n}`])),
      ),
  }
}

function thingsKept({ acme }: AttackedEngine, callers: readonly Caller[]): Kinds {
  return {
    'metric names': (n) =>
      dispatch(acme, {
        protocol: 'MOTET',
        operation: 'emit',
        input: {
          signals: [{ name: `metric_${n}`, kind: 'gauge', value: n, labels: { [`label_${n}`]: `${n}` } }],
        },
      }),
    memory: (n) =>
      dispatch(acme, {
        protocol: 'MIND',
        operation: 'store_memory',
        input: { kind: 'episodic', payload: { text: `number ${n}` }, namespace: `space-${n}` },
      }),
    reasoning: (n) =>
      dispatch(callers[n % callers.length]!, {
        protocol: 'MARC',
        operation: 'reasoning_task',
        input: {
          intent: `Is Anne${n} nice?`,
          premises: [`Anne${n} is kind.`, 'All kind people are nice.'],
          budget: { tokens: 1_000, deadline_ms: 20_000 },
        },
      }),
  }
}

function otherSurfaces({ acme, port }: AttackedEngine): Kinds {
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then((answer) => answer.arrayBuffer())
  const mcp_url = `http://127.0.0.1:${port + 2}/mcp`
  return {
    paths: (n) =>
      get(['/docs/', '/schemas/', '/v1/agents/', '/oauth/authorize?client_id=', '/'][n % 5]! + `none-${n}`),
    'MCP session': (n) =>
      fetch(mcp_url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${acme.api_key}`,
          'x-agent-did': acme.agent_did,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: n,
          method: 'initialize',
          params: {
            protocolVersion: '2025-06-18',
            capabilities: {},
            clientInfo: { name: `client-${n}`, version: '1' },
          },
        }),
      }).then((answer) => answer.arrayBuffer()),
  }
}

function droppedConnections({ acme, port }: AttackedEngine, callers: readonly Caller[]): Kinds {
  return {
    'live stream dropped': (n) => dropped(port, liveBytes(callers[n % callers.length]!)),
    'body that never comes': (n) => dropped(port, halfBytes(acme, n)),
    'bytes of no request': (n) => dropped(port, Buffer.from(`${n} \r\n\r\n`)),
  }
}

function authorised({ api_key, agent_did }: Caller): [string, string][] {
  return [
    ['Authorization', `Bearer ${api_key}`],
    ['X-Agent-DID', agent_did],
  ]
}

function liveBytes(caller: Caller): Buffer {
  const headers: [string, string][] = [...authorised(caller), ['Accept', 'text/event-stream']]
  return requestBytes({ method: 'GET', path: '/v1/live', headers, body: '' })
}

function halfBytes(caller: Caller, n: number): Buffer {
  const headers: [string, string][] = [
    ...authorised(caller),
    ['Content-Type', 'application/json'],
    ['Content-Length', '100000'],
  ]
  return requestBytes({ headers, body: `{"n":${n},` })
}

/** Sends, and disconnects: at the first byte, or soon if the server waits for more. */
function dropped(port: number, bytes: Buffer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect({ port, host: '127.0.0.1' })
  void pace(50).then(() => socket.destroy())
  socket.on('connect', () => socket.write(bytes))
  socket.once('data', () => socket.destroy())
  socket.on('error', () => {})
  socket.on('close', () => resolve())
  return promise
}
