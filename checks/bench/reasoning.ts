// The cost of reasoning: an everyday theory in English through dispatch, and rules fired per second when
// there is much to derive.
import type { Engine } from '@svc/engine/dispatch'
import { startInProcess } from '../engines/in-process.ts'

const rounds = 200
const warm_up = 20
const chain = 300
const heavy_rounds = 5
const budget = { tokens: 1_000_000, deadline_ms: 60_000 }

const theory = [
  'Anne is kind.',
  'All kind people are nice.',
  'If someone is nice then they are young.',
  'Young people are smart.',
  'If someone is smart and young then they are furry.',
  'Furry, smart people are white.',
]

/** Reachability along a chain, queried so that all of it must be derived. */
const closure = [
  ...Array.from({ length: chain }, (_, nth) => `datalog: edge(n${nth}, n${nth + 1}).`),
  'datalog: reach(X, Y) :- edge(X, Y).',
  'datalog: reach(X, Z) :- reach(X, Y), edge(Y, Z).',
]

type Caller = { readonly did: string; readonly tenant_id: string }

export async function measureReasoning(): Promise<Record<string, unknown>> {
  const service = await startInProcess({ check_outputs: false, config: { limits: 'off' } })
  const { engine, audit_log } = service.service
  try {
    const caller: Caller = { did: service.agent_did, tenant_id: service.tenant_id }
    await audit_log.ready(caller.tenant_id)
    const times: number[] = []
    for (let round = -warm_up; round < rounds; round++) {
      const begun_ms = performance.now()
      await ask(engine, caller, 'Anne is white.', theory)
      if (round >= 0) times.push(performance.now() - begun_ms)
    }
    times.sort((a, b) => a - b)
    let steps = 0
    const begun_ms = performance.now()
    for (let round = 0; round < heavy_rounds; round++)
      steps += (await ask(engine, caller, 'datalog: reach(X, Y)', closure)).usage.work
    const steps_per_s = Math.round((steps * 1_000) / (performance.now() - begun_ms))
    const p50_ms = Number(times[Math.floor(times.length / 2)]!.toFixed(2))
    console.log(
      `reasoning: p50 ${p50_ms} ms for six sentences through dispatch; ${steps_per_s} rules fired a second (${steps / heavy_rounds} each)`,
    )
    return { p50_ms, steps_per_s, steps: steps / heavy_rounds }
  } finally {
    await service.stop()
  }
}

async function ask(
  engine: Engine,
  { did, tenant_id }: Caller,
  intent: string,
  premises: readonly string[],
): Promise<{ readonly answer: string; readonly usage: { readonly work: number } }> {
  const outcome = await engine.dispatch({
    request: {
      protocol: 'MARC',
      version: 'v1',
      operation: 'reasoning_task',
      tenant_id,
      input: { intent, premises, budget },
    },
    credential: { key_id: 'bench', did, tenant_id, tier: 'sovereign', capabilities: [] },
    origin: 'http',
  })
  if (outcome.kind !== 'success') throw new Error(`a call failed: ${JSON.stringify(outcome)}`)
  return JSON.parse(outcome.output_text)
}
