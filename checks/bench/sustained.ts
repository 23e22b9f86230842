// Full load for minutes: what waits for the database and what memory is taken must not grow.
import { join } from 'node:path'
import { startEngine } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { runLoad } from './load.ts'
import { engine_env, headersFor, rssMib, trivialCall } from './targets.ts'

const step_s = 10

interface Step {
  readonly calls_per_s: number
  readonly not_2xx: number
  /** In the journal, not in the database yet. */
  readonly pending_mib: number
  readonly resident_mib: number
}

export async function measureSustained(data_dir: string, seconds: number, connections: number) {
  const dir = join(data_dir, 'sustained')
  const engine = await startEngine({ data_dir: dir, env: engine_env })
  const load = {
    url: `${engine.api_url}/v1/dispatch`,
    headers: headersFor(engine, dir),
    body: trivialCall(engine.tenant_id),
    seconds: step_s,
    connections,
  }
  const pendingMib = async () => {
    const text = await (await fetch(engine.metrics_url)).text()
    return Number(/^svc_audit_pending_bytes (\S+)$/m.exec(text)![1]) / 2 ** 20
  }
  try {
    const steps: Step[] = []
    for (let done = 0; done < seconds; done += step_s) {
      const { requests_per_s, not_2xx } = await runLoad(load)
      steps.push({
        calls_per_s: requests_per_s,
        not_2xx,
        pending_mib: await pendingMib(),
        resident_mib: rssMib(engine.process.pid!),
      })
    }
    const ended = performance.now()
    await until('the journal is empty', async () => (await pendingMib()) === 0)
    const drained_s = (performance.now() - ended) / 1000
    print(steps, drained_s)
    return { steps, drained_s }
  } finally {
    await engine.stop()
  }
}

function print(steps: readonly Step[], drained_s: number): void {
  console.log(
    `\n${steps.length * step_s} s of full load, by ${step_s} s; the rest was in the database ${drained_s.toFixed(1)} s later`,
  )
  console.log('  seconds   calls/s   not 2xx   waiting MiB   resident MiB')
  const shown = steps.filter(
    (_, place) => place % Math.ceil(steps.length / 12) === 0 || place === steps.length - 1,
  )
  for (const step of shown) {
    const columns = [
      [(steps.indexOf(step) + 1) * step_s, 9],
      [step.calls_per_s.toFixed(0), 10],
      [step.not_2xx, 10],
      [step.pending_mib.toFixed(1), 14],
      [step.resident_mib, 15],
    ] as const
    console.log(columns.map(([value, width]) => String(value).padStart(width)).join(''))
  }
}
