// The cost of a causal query: an intervention on a network shaped like ALARM (37 variables), through
// dispatch, beside the arithmetic alone.
import type { Engine } from '@svc/engine/dispatch'
import { intervene } from '@svc/protocols/cognition/causal/analysis'
import { buildNetwork, type Network } from '@svc/protocols/cognition/causal/network'
import { alarm_shape, numbersFrom, randomContent } from '@svc/protocols/cognition/causal/test-random-network'
import { startInProcess } from '../engines/in-process.ts'

const rounds = 400
const warm_up = 40
const seed = 7
const cells_max = 2 ** 24

type Caller = { readonly did: string; readonly tenant_id: string }

export async function measureCausal(): Promise<Record<string, unknown>> {
  const service = await startInProcess({ check_outputs: false, config: { limits: 'off' } })
  const { engine, audit_log } = service.service
  try {
    const caller: Caller = { did: service.agent_did, tenant_id: service.tenant_id }
    await audit_log.ready(caller.tenant_id)
    const content = randomContent(alarm_shape, numbersFrom(seed))
    const { bidirected: _, ...model } = content
    const publishing = { name: 'alarm-like', version: '1.0.0', ...model }
    const { model_ref } = await ask(engine, caller, 'publish_model', publishing)
    const network = buildNetwork(content)
    const dispatched: number[] = []
    const alone: number[] = []
    for (let round = -warm_up; round < rounds; round++) {
      const question = questionOf(network, round + warm_up)
      const took_ms = await timed(() => ask(engine, caller, 'causal_analysis', { model_ref, ...question }))
      const alone_ms = await timed(() => computeAlone(network, question))
      if (round < 0) continue
      dispatched.push(took_ms)
      alone.push(alone_ms)
    }
    const result = {
      variables: network.variables.length,
      ...measuresOf('dispatch', dispatched),
      ...measuresOf('alone', alone),
    }
    console.log(
      `causal, ${result.variables} variables: p50 ${result.dispatch_ms_p50} ms, p99 ${result.dispatch_ms_p99} ms through dispatch; ` +
        `p50 ${result.alone_ms_p50} ms the elimination alone`,
    )
    return result
  } finally {
    await service.stop()
  }
}

interface Question {
  readonly outcome: { readonly variable: string }
  readonly do: Record<string, string>
  readonly given: Record<string, string>
}

/** A different cause, outcome and observation each time, so that nothing comes from a cache. */
function questionOf({ variables }: Network, round: number): Question {
  const at = (place: number) => variables[place % variables.length]!
  const [outcome, cause, covariate] = [at(round), at(round + 11), at(round + 23)]
  return {
    outcome: { variable: outcome.name },
    do: { [cause.name]: cause.states[0]! },
    given: { [covariate.name]: covariate.states[1]! },
  }
}

function computeAlone(network: Network, { outcome, do: done, given }: Question): void {
  const placed = (named: Record<string, string>) =>
    new Map(
      Object.entries(named).map(([name, state]) => {
        const place = network.places.get(name)!
        return [place, network.variables[place]!.states.indexOf(state)]
      }),
    )
  const target = network.places.get(outcome.variable)!
  intervene(network, {
    target,
    done: placed(done),
    given: placed(given),
    cells_max,
    seed: '',
    spend: () => {},
  })
}

async function timed(work: () => unknown): Promise<number> {
  const begun_ms = performance.now()
  await work()
  return performance.now() - begun_ms
}

function measuresOf<N extends string>(name: N, times: number[]) {
  times.sort((a, b) => a - b)
  const share = (part: number) => Number(times[Math.floor((times.length - 1) * part)]!.toFixed(3))
  return { [`${name}_ms_p50`]: share(0.5), [`${name}_ms_p99`]: share(0.99) } as Record<
    `${N}_ms_p50` | `${N}_ms_p99`,
    number
  >
}

async function ask(engine: Engine, { did, tenant_id }: Caller, operation: string, input: unknown) {
  const outcome = await engine.dispatch({
    request: { protocol: 'MARC', version: 'v1', operation, tenant_id, input },
    credential: { key_id: 'bench', did, tenant_id, tier: 'sovereign', capabilities: [] },
    origin: 'http',
  })
  if (outcome.kind !== 'success') throw new Error(`a call failed: ${JSON.stringify(outcome)}`)
  return JSON.parse(outcome.output_text) as { model_ref: string }
}
