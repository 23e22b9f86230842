// CPU per request, by stage: a sampled profile of an engine under load, each sample assigned to its stage.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEngine } from '../engines/running-engine.ts'
import { runLoad } from './load.ts'
import { engine_env, headersFor, trivialCall } from './targets.ts'

interface Profile {
  readonly nodes: readonly {
    id: number
    callFrame: { functionName: string; url: string }
    children?: number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Microseconds of main-thread CPU per request, by where it was spent. */
export async function profileDispatch(data_dir: string, seconds: number, connections: number) {
  const dir = join(data_dir, 'profile')
  mkdirSync(dir, { recursive: true })
  const engine = await startEngine({
    data_dir: join(data_dir, 'profiled'),
    env: engine_env,
    node_args: ['--cpu-prof', `--cpu-prof-dir=${dir}`, '--cpu-prof-interval=250'],
  })
  const load = {
    url: `${engine.api_url}/v1/dispatch`,
    headers: headersFor(engine, join(data_dir, 'profiled')),
    body: trivialCall(engine.tenant_id),
    connections,
  }
  await runLoad({ ...load, seconds: 6 })
  const report = await runLoad({ ...load, seconds })
  await engine.stop()
  // The profile includes the warm-up: requests are counted over both, at the measured rate.
  const requests = report.requests_per_s * (seconds + 6)
  const by_place = attribute(mainProfile(dir))
  const rows = [...by_place]
    .map(([place, us]) => ({ place, us_per_request: us / requests }))
    .sort((a, b) => b.us_per_request - a.us_per_request)
  console.log('\nCPU of the main thread per request (sampled under load, profiler on)')
  for (const { place, us_per_request } of rows) {
    if (us_per_request >= 0.05)
      console.log(`  ${place.padEnd(34)} ${us_per_request.toFixed(2).padStart(8)} µs`)
  }
  return rows
}

/** Worker threads write their own profiles; the main thread's is the one with the dispatch endpoint. */
function mainProfile(dir: string): Profile {
  const profiles = readdirSync(dir).map(
    (file) => JSON.parse(readFileSync(join(dir, file), 'utf8')) as Profile,
  )
  return profiles.find(({ nodes }) =>
    nodes.some(({ callFrame }) => callFrame.url.includes('gateway/dispatch/')),
  )!
}

function attribute({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const parent = new Map<number, number>()
  const by_id = new Map(nodes.map((node) => [node.id, node]))
  for (const node of nodes) for (const child of node.children ?? []) parent.set(child, node.id)
  const place_of = new Map<number, string>()
  const find = (id: number | undefined): string => {
    if (id === undefined) return 'node: http, sockets, event loop'
    const cached = place_of.get(id)
    if (cached) return cached
    const { functionName, url } = by_id.get(id)!.callFrame
    const place = placeOf(functionName, url) ?? find(parent.get(id))
    place_of.set(id, place)
    return place
  }
  const totals = new Map<string, number>()
  samples.forEach((id, index) => {
    const place = find(id)
    totals.set(place, (totals.get(place) ?? 0) + timeDeltas[index]!)
  })
  totals.delete('idle')
  return totals
}

function placeOf(name: string, url: string): string | undefined {
  if (name === '(idle)') return 'idle'
  if (name === '(garbage collector)') return 'garbage collector'
  const stage = /engine\/stages\/(\d-[a-z-]+)\.ts/.exec(url)
  if (stage) return `stage ${stage[1]}`
  if (/(?<!contract)\/audit\//.test(url)) return 'audit: record and journal'
  if (/\/adapters\/telemetry\//.test(url)) return 'metrics'
  if (/\/gateway\//.test(url)) return 'gateway: read, authenticate, answer'
  if (/\/engine\/dispatch/.test(url)) return 'engine: pipeline'
  return undefined
}
