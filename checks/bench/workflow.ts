// Workflow steps per second: chains of calls that any engine could continue, beside the same calls made one
// by one with a key.

import { startInProcess } from '../engines/in-process.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { effects } from '../scenes/effects-protocol.ts'

const runs = 40
const steps_each = 10
const wait_ms = 25_000

export async function measureWorkflows(): Promise<Record<string, unknown>> {
  const service = await startInProcess({ more_protocols: [effects], check_outputs: false })
  try {
    const manifest_ref = await submit(service)
    await runMany(service, manifest_ref, 2)
    const one_ms = await runMany(service, manifest_ref, 1)
    const many_ms = await runMany(service, manifest_ref, runs)
    const calls_ms = await callMany(service, runs)
    const steps_per_s = ((runs * steps_each) / many_ms) * 1000
    const calls_per_s = ((runs * steps_each) / calls_ms) * 1000
    const ratio = steps_per_s / calls_per_s
    console.log(
      `\nworkflows: ${steps_per_s.toFixed(0)} steps/s in ${runs} runs at once (one run alone: ` +
        `${(one_ms / steps_each).toFixed(1)} ms a step); the same calls with a key ${calls_per_s.toFixed(0)}/s; ` +
        `ratio ${ratio.toFixed(2)}`,
    )
    return { steps_per_s, calls_per_s, ratio, one_step_ms: one_ms / steps_each, runs, steps_each }
  } finally {
    await service.stop()
  }
}

async function submit(who: Addresses): Promise<string> {
  const steps = Array.from({ length: steps_each }, (_, at) => ({
    kind: 'Protocol',
    name: `s${at}`,
    protocol: 'EFFECTS',
    operation: 'happen',
    payload: { name: `s${at}` },
  }))
  const manifest = { name: 'bench', version: '1.0.0', steps }
  return (await ask(who, 'MOON', 'submit_manifest', { manifest })).manifest_ref
}

async function runMany(who: Addresses, manifest_ref: string, count: number): Promise<number> {
  const begun = performance.now()
  const started = Array.from({ length: count }, () =>
    ask(who, 'MOON', 'execute_workflow', { manifest_ref, wait_ms }),
  )
  const ended = await Promise.all(started)
  const odd = ended.find(({ state }) => state !== 'succeeded')
  if (odd) throw new Error(`a run did not succeed: ${JSON.stringify(odd)}`)
  return performance.now() - begun
}

async function callMany(who: Addresses, lines: number): Promise<number> {
  const begun = performance.now()
  const line = async (at: number) => {
    for (let step = 0; step < steps_each; step++)
      await ask(who, 'EFFECTS', 'happen', { name: `s${step}` }, `bench-${at}-${step}`)
  }
  await Promise.all(Array.from({ length: lines }, (_, at) => line(at)))
  return performance.now() - begun
}

async function ask(
  who: Addresses,
  protocol: string,
  operation: string,
  input: unknown,
  idempotency_key?: string,
) {
  const { status, body } = await dispatch(who, {
    protocol,
    operation,
    input,
    ...(idempotency_key && { idempotency_key }),
  })
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.output
}
