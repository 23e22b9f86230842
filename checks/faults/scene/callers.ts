// Callers that make one call after another and keep every answer: those must be in the audit log.
import { Agent, request } from 'node:http'
import type { Addresses } from '../../engines/running-engine.ts'
import { pace, stopwatch } from '../../suite/real-time.ts'
import { type Chance, is_long } from './chance.ts'

const failures_in_a_row_max = 3
/** When calls were sent, comparable across callers: for the order of events, and for figures. */
export const moment_ms = stopwatch()
/** Callers mostly wait for a fault: in the short form they do not fill both cores meanwhile. */
const usual_pause_ms = is_long ? 0 : 10

export interface Asked {
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A kind of call, and how many records with its correlation id each answer stands for. */
export interface Sort {
  readonly name: string
  readonly weight: number
  readonly records: number
  /** Whose audit log records it. */
  readonly audit_log: 'own' | 'operator'
  ask(engine: Addresses): Asked
}

export interface Answered {
  readonly sort: Sort
  readonly status: number
  readonly code: string | null
  readonly correlation_id: string
  readonly record_id: string | null
  /** The head named in the answer; it must stay in the chain. */
  readonly head: string | null
  /** The record position named in the answer to an entry. */
  readonly place: { readonly seq: number; readonly record_hash: string } | null
  readonly sent_ms: number
  readonly took_ms: number
}

export interface Callers {
  readonly answered: readonly Answered[]
  /** Calls without a complete answer are not counted. */
  readonly unanswered: number
  /** Stops new calls; resolves when those in progress have ended. */
  stop(): Promise<void>
}

function dispatchOf(protocol: string, operation: string, input: unknown, tenant_id: string): string {
  return JSON.stringify({ protocol, version: 'v1', operation, tenant_id, input })
}

export const emit: Sort = {
  name: 'emit',
  weight: 6,
  records: 1,
  audit_log: 'own',
  ask: ({ tenant_id }) => ({
    body: dispatchOf('MOTET', 'emit', { signals: [{ name: 'load', kind: 'counter', value: 1 }] }, tenant_id),
  }),
}
/** Waits for its own record to be committed; the second record is that of the call itself. */
export const entry: Sort = {
  name: 'entry',
  weight: 2,
  records: 2,
  audit_log: 'own',
  ask: ({ tenant_id }) => ({
    body: dispatchOf('MAX', 'audit_log_entry', { event_type: 'custom.load', meta: { n: 1 } }, tenant_id),
  }),
}
export const query: Sort = {
  name: 'query',
  weight: 1,
  records: 1,
  audit_log: 'own',
  ask: ({ tenant_id }) => ({
    body: dispatchOf('MAX', 'audit_query', { outcome: 'refused', limit: 1 }, tenant_id),
  }),
}
export const list: Sort = {
  name: 'list',
  weight: 1,
  records: 1,
  audit_log: 'own',
  ask: ({ tenant_id }) => ({ body: dispatchOf('MAKER', 'list', { limit: 1 }, tenant_id) }),
}
export const foreign: Sort = {
  name: 'foreign',
  weight: 1,
  records: 1,
  audit_log: 'own',
  ask: () => ({ body: dispatchOf('MAX', 'audit_query', { outcome: 'refused' }, 'somebody-else') }),
}
export const malformed: Sort = {
  name: 'malformed',
  weight: 1,
  records: 1,
  audit_log: 'own',
  ask: () => ({ body: '{"protocol":' }),
}
export const stranger: Sort = {
  name: 'stranger',
  weight: 1,
  records: 1,
  audit_log: 'operator',
  ask: (engine) => ({
    ...emit.ask(engine),
    headers: { authorization: `Bearer ${engine.api_key.slice(0, -4)}AAAA` },
  }),
}

/** An operation of slow-engine.ts. */
export function slowSort(operation: string, input: object): Sort {
  return {
    name: operation,
    weight: 6,
    records: 1,
    audit_log: 'own',
    ask: ({ tenant_id }) => ({ body: dispatchOf('SLOW', operation, input, tenant_id) }),
  }
}

/** An operation of effects-protocol.ts. */
export function effectSort(operation: string, input: () => object, records = 1): Sort {
  const body = (tenant_id: string) => dispatchOf('EFFECTS', operation, input(), tenant_id)
  return {
    name: operation,
    weight: 4,
    records,
    audit_log: 'own',
    ask: ({ tenant_id }) => ({ body: body(tenant_id) }),
  }
}

export function startCallers(
  engine: Addresses,
  count: number,
  sorts: readonly Sort[],
  chance: Chance,
  pause_ms = usual_pause_ms,
): Callers {
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  const raffle = sorts.flatMap((sort) => Array<Sort>(sort.weight).fill(sort))
  const answered: Answered[] = []
  let unanswered = 0
  let stopped = false
  const call = async () => {
    for (let failures = 0; !stopped && failures < failures_in_a_row_max; ) {
      try {
        answered.push(await ask(engine, chance.pick(raffle), agent))
        failures = 0
      } catch {
        unanswered++
        failures++
      }
      if (pause_ms > 0) await pace(pause_ms)
    }
  }
  const calling = Promise.all(Array.from({ length: count }, call))
  return {
    answered,
    get unanswered() {
      return unanswered
    },
    async stop() {
      stopped = true
      await calling
      agent.destroy()
    },
  }
}

/** Rejects if the answer is incomplete. */
export function ask(engine: Addresses, sort: Sort, agent?: Agent): Promise<Answered> {
  const { body, headers } = sort.ask(engine)
  const sent_ms = moment_ms()
  return new Promise((resolve, reject) => {
    const req = request(`${engine.api_url}/v1/dispatch`, {
      method: 'POST',
      agent,
      headers: headersOf(engine, headers),
    })
    req.on('error', reject)
    req.on('response', (res) => {
      let text = ''
      res.setEncoding('utf8')
      res.on('data', (chunk) => {
        text += chunk
      })
      res.on('error', reject)
      res.on('close', () => reject(new Error('the answer was cut off')))
      res.on('end', () => {
        if (res.complete) resolve(keep(sort, res.statusCode ?? 0, text, sent_ms))
      })
    })
    req.end(body)
  })
}

function headersOf(engine: Addresses, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    authorization: `Bearer ${engine.api_key}`,
    'x-agent-did': engine.agent_did,
    'content-type': 'application/json',
    ...more,
  }
}

function keep(sort: Sort, status: number, text: string, sent_ms: number): Answered {
  const { output, metadata, error } = JSON.parse(text)
  return {
    sort,
    status,
    code: error?.code ?? null,
    correlation_id: (metadata ?? error).correlation_id,
    record_id: metadata?.audit_record_id ?? null,
    head: (metadata ?? error).audit_head,
    place: sort === entry && output ? { seq: output.seq, record_hash: output.record_hash } : null,
    sent_ms,
    took_ms: moment_ms() - sent_ms,
  }
}
