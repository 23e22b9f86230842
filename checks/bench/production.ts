// The production setup on these cores, with Redis and PostgreSQL: one engine process against the bare echo,
// two workers against one.
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../engines/running-engine.ts'
import { openProduction, type Production } from '../faults/scene/production-scene.ts'
import { generator, medianOf, type Report, runLoad, warm_up_s } from './load.ts'
import { startEcho, trivialCall } from './targets.ts'

interface Rounds {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
}

const families = { alone: [], one: ['--workers', '1'], two: ['--workers', '2'] } as const

export async function measureProduction({ rounds, seconds, connections }: Rounds) {
  const production = await openProduction()
  try {
    const { bare, urls } = await openTargets(production)
    const load = (url: string, for_s: number) =>
      runLoad({ url, headers: headersOf(production), body: trivialCall('acme'), seconds: for_s, connections })
    const reports = new Map<string, Report[]>(urls.map(([name]) => [name, []]))
    for (const [, url] of urls) await load(url, warm_up_s)
    for (let round = 0; round < rounds; round++)
      for (const [name, url] of urls) reports.get(name)!.push(await load(url, seconds))
    await bare.close()
    const summary = Object.fromEntries([...reports].map(([name, list]) => [name, medianOf(list)]))
    return print(summary, reports)
  } finally {
    await production.close()
  }
}

/** All are up all the time; one at a time is called. Limits in Redis are high enough to refuse nobody. */
async function openTargets(production: Production) {
  const limits = join(production.dir, 'limits.json')
  const wide = { capacity: 1e9, refill_per_s: 1e9 }
  writeFileSync(limits, JSON.stringify({ infrastructure: wide }))
  const bare = await startEcho('bare-echo.ts')
  const urls: [string, string][] = [['bare', bare.url]]
  for (const [name, args] of Object.entries(families)) {
    const port = await freePorts()
    await production.start({ args, port, folder: name, env: { SVC_RATE_LIMITS: limits, SVC_LOG: 'error' } })
    urls.push([name, `http://127.0.0.1:${port}/v1/dispatch`])
  }
  return { bare, urls }
}

function headersOf({ caller }: Production): Record<string, string> {
  return {
    authorization: `Bearer ${caller.api_key}`,
    'x-agent-did': caller.agent_did,
    'content-type': 'application/json',
  }
}

function print(summary: Record<string, Report>, reports: ReadonlyMap<string, Report[]>) {
  console.log(`\nproduction set: ${generator}, Redis and PostgreSQL on the same ${cpus().length} cores`)
  console.log('             requests/s    p50 ms    p99 ms   not 2xx')
  for (const [name, { requests_per_s, p50_ms, p99_ms, not_2xx }] of Object.entries(summary)) {
    const cells = [requests_per_s.toFixed(0), p50_ms.toFixed(2), p99_ms.toFixed(2), String(not_2xx)]
    console.log(`${name.padEnd(10)} ${cells.map((cell) => cell.padStart(10)).join('')}`)
  }
  const rate = (name: string) => summary[name]!.requests_per_s
  const ratios = { alone_to_bare: rate('alone') / rate('bare'), two_to_one: rate('two') / rate('one') }
  console.log(`\none engine process / bare echo ${ratios.alone_to_bare.toFixed(3)}`)
  console.log(`two workers / one worker        ${ratios.two_to_one.toFixed(3)}`)
  return { summary, ratios, reports: Object.fromEntries(reports) }
}
