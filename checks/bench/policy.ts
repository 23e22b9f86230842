// The cost of policies per call: the same dispatch for an organization without any and for one with ten, side
// by side.
import { addMember } from '@svc/adapters/access/charter'
import type { Engine } from '@svc/engine/dispatch'
import { startInProcess } from '../engines/in-process.ts'

const policies = 10
const rounds = 4_000
const warm_up = 500
const goal_us = 150

type Caller = { readonly did: string; readonly tenant_id: string }

export async function measurePolicies(): Promise<Record<string, unknown>> {
  const service = await startInProcess({ check_outputs: false, config: { limits: 'off' } })
  const { engine, audit_log, store } = service.service
  try {
    const callerOf = async (tenant_id: string, condition?: (place: number) => string): Promise<Caller> => {
      const { agent_did: did } = await service.newCaller({ tenant_id })
      await audit_log.ready(tenant_id)
      await addMember(store.engine, tenant_id, did, new Date())
      for (let place = 0; condition && place < policies; place++)
        await enact(engine, { did, tenant_id }, place, condition(place))
      return { did, tenant_id }
    }
    const plain = await callerOf('plain')
    const ruled = await callerOf('ruled', (place) => `principal.did == "did:oas:ruled:agent:${place}"`)
    const judged = await callerOf('judged', (place) => `principal.did like "did:oas:judged:agent:${place}*"`)
    const cached = await compare(engine, [plain, ruled])
    // A new caller each time, and policies that depend on the caller.
    const unseen = await compare(engine, [plain, ruled], newcomer)
    // Only the evaluator can tell whether these apply, so it runs each time.
    const unseen_judged = await compare(engine, [plain, judged], newcomer)
    for (const [name, { plain_us, ruled_us, added_us }] of Object.entries({
      known: cached,
      unseen,
      unseen_judged,
    })) {
      console.log(
        `policy, ${name.replace('_', ' and ')} scenes: p50 ${plain_us.toFixed(0)} us without, ${ruled_us.toFixed(0)} us with ${policies} policies: ` +
          `${added_us.toFixed(1)} us more (goal ${goal_us}), ${(ruled_us / plain_us).toFixed(2)} times`,
      )
    }
    return { policies, goal_us, known: cached, unseen, unseen_judged }
  } finally {
    await service.stop()
  }
}

let newcomers = 0
/** Created without a key: creating one would invalidate caches for the next call. */
function newcomer({ tenant_id }: Caller): string {
  return `did:oas:${tenant_id}:agent:${String(++newcomers).padStart(64, '0')}`
}

async function enact(engine: Engine, caller: Caller, place: number, who: string): Promise<void> {
  const condition = `${who} && resource.protocol == "MARKET" && (context.hour == ${place} || (context has jurisdiction && context.jurisdiction == "X${place}"))`
  const outcome = await dispatch(engine, caller, 'MAXIM', 'author', {
    policy_id: `rule-${place}`,
    policy_body: `@reason("rule ${place}") forbid(principal, action, resource) when { ${condition} };`,
    version: '1.0.0',
    active_from: new Date().toISOString(),
  })
  if (outcome.kind !== 'success') throw new Error(`a rule was not enacted: ${JSON.stringify(outcome)}`)
}

/** In alternation, so that both have the same conditions. */
async function compare(
  engine: Engine,
  callers: readonly [Caller, Caller],
  didFor = ({ did }: Caller) => did,
) {
  const times: [number[], number[]] = [[], []]
  for (let round = -warm_up; round < rounds; round++) {
    for (const [which, caller] of callers.entries()) {
      const asking = { ...caller, did: didFor(caller) }
      const begun = performance.now()
      const outcome = await dispatch(engine, asking, 'MOTET', 'emit', {
        signals: [{ name: 'bench', kind: 'gauge', value: 1 }],
      })
      const took_us = (performance.now() - begun) * 1000
      if (outcome.kind !== 'success') throw new Error(`a call failed: ${JSON.stringify(outcome)}`)
      if (round >= 0) times[which]!.push(took_us)
    }
  }
  const [plain_us, ruled_us] = times.map((list) => list.sort((a, b) => a - b)[Math.floor(rounds / 2)]!) as [
    number,
    number,
  ]
  return { plain_us, ruled_us, added_us: ruled_us - plain_us }
}

function dispatch(
  engine: Engine,
  { did, tenant_id }: Caller,
  protocol: string,
  operation: string,
  input: unknown,
) {
  return engine.dispatch({
    request: { protocol, version: 'v1', operation, tenant_id, input },
    credential: { key_id: 'bench', did, tenant_id, tier: 'sovereign', capabilities: [] },
    origin: 'http',
  })
}
