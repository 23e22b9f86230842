// What a tenant feels of another one that floods: its own latency, alone and beside the flood, in turns, because machines are noisy.
import { setTimeout as pause } from 'node:timers/promises'
import { startEngine } from '../engines/running-engine.ts'
import { runLoad } from './load.ts'
import { adminJson } from './targets.ts'

const calls_per_s = 50
const flood_connections = 64
/** What a sandbox organization may call of a standard protocol. */
const share_per_s = 25

interface Caller {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const floods = [
  // Nearly all of it is refused by its rate limit.
  { name: 'limited', limits: undefined },
  // All of it is admitted, and waits for the database.
  { name: 'admitted', limits: 'off' },
] as const

export async function measureNeighbours(data_dir: string, rounds: number, seconds: number) {
  const result: Record<string, unknown> = {}
  for (const { name, limits } of floods) {
    const env = { SVC_LOG: 'error', ...(limits && { SVC_RATE_LIMITS: limits }) }
    const engine = await startEngine({ data_dir: `${data_dir}/${name}`, env })
    const url = `${engine.api_url}/v1/dispatch`
    try {
      const quiet = newCaller(`${data_dir}/${name}`, 'quiet', 'institution')
      const loud = newCaller(`${data_dir}/${name}`, 'loud', 'sandbox')
      const flood = () => runLoad({ url, ...loud, seconds: seconds + 1, connections: flood_connections })
      await latencies(url, quiet, seconds)
      await flood()
      const alone: number[] = []
      const beside: number[] = []
      const flooded: number[] = []
      for (let round = 0; round < rounds; round++) {
        alone.push(...(await latencies(url, quiet, seconds)))
        const flooding = flood()
        await pause(500)
        beside.push(...(await latencies(url, quiet, seconds)))
        flooded.push((await flooding).requests_per_s)
      }
      result[name] = report(name, alone, beside, flooded)
    } finally {
      await engine.stop()
    }
  }
  return result
}

function newCaller(data_dir: string, tenant_id: string, tier: string): Caller {
  adminJson(data_dir, ['tenant', 'create', tenant_id, '--tier', tier])
  const { did, api_key } = adminJson(data_dir, ['key', 'issue', tenant_id, '--capability', 'svc.mind.*'])
  return {
    headers: {
      authorization: `Bearer ${api_key}`,
      'x-agent-did': String(did),
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      protocol: 'MIND',
      version: 'v1',
      operation: 'recall_memory',
      tenant_id,
      input: { predicate: { semantic: { text: 'which deliveries are late?' } }, limit: 3 },
    }),
  }
}

/** At a steady pace, each without waiting for the one before: a slow answer must not thin out the measurement. */
async function latencies(url: string, { headers, body }: Caller, seconds: number): Promise<number[]> {
  const taken: Promise<number>[] = []
  for (let i = 0; i < seconds * calls_per_s; i++) {
    taken.push(timed(url, headers, body))
    await pause(1_000 / calls_per_s)
  }
  return Promise.all(taken)
}

async function timed(url: string, headers: Caller['headers'], body: string): Promise<number> {
  const begun_ms = performance.now()
  const answer = await fetch(url, { method: 'POST', headers, body })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`the quiet tenant was answered ${answer.status}: ${text}`)
  return performance.now() - begun_ms
}

function report(name: string, alone: number[], beside: number[], flooded: number[]) {
  const quantile = (list: number[], part: number) =>
    list.toSorted((a, b) => a - b)[Math.floor(list.length * part)]!
  const flood_per_s = flooded.reduce((sum, one) => sum + one, 0) / flooded.length
  const row = {
    alone_p50_ms: quantile(alone, 0.5),
    alone_p99_ms: quantile(alone, 0.99),
    beside_p50_ms: quantile(beside, 0.5),
    beside_p99_ms: quantile(beside, 0.99),
    p99_ratio: quantile(beside, 0.99) / quantile(alone, 0.99),
    flood_per_s,
    flood_shares: flood_per_s / share_per_s,
  }
  const figures = Object.entries(row).map(([figure, value]) => `${figure} ${value.toFixed(2)}`)
  console.log(`${name}: ${figures.join(', ')}`)
  return row
}
