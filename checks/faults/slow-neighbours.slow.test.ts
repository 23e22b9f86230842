// A stalled neighbour is no refusal: under each fault, calls that succeeded before succeed or can be retried,
// and calls that were denied before are never admitted.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import { type Addresses, type Answer, dispatch } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { announce, type Chance, is_long, openChance } from './scene/chance.ts'
import { type Neighbour, type NeighboursScene, openNeighbours } from './scene/neighbours-scene.ts'

const stalls_ms = is_long ? [500, 1_000, 5_000, 30_000] : [4_000]
const neighbours: readonly Neighbour[] = ['aegis', 'identity', 'database', 'redis']
const sample_size = 10
const breaker_tries_max = 20
const patience = { timeout: 600_000 }

interface Operation {
  readonly protocol: string
  readonly version: string
  readonly operation: string
  readonly input: unknown
  readonly is_adapter: boolean
}

const operations: readonly Operation[] = catalogue.flatMap(({ id, version, estate, operations: all }) =>
  Object.entries(all)
    // Nobody is an administrator here, and no wildcard makes one.
    .filter(([, { for_administrators }]) => !for_administrators)
    .map(([operation, { example }]) => ({
      protocol: id,
      version,
      operation,
      input: example,
      is_adapter: estate === 'adapter',
    })),
)

/** Each call uses up a place: series of a metric, unfinished uploads. There are fewer than this test calls. */
const left_out = new Set(['MOTIF detect', 'MANTIC upload_forecasts'])

const chance = openChance()
let scene: NeighboursScene
/** Operations whose example succeeds repeatedly; the short form takes a few of them. */
let subjects: readonly Operation[]
before(async () => {
  scene = await openNeighbours()
  subjects = await choose(chance)
})
after(() => scene.close())

function call(caller: Addresses, { is_adapter: _, ...request }: Operation): Promise<Answer> {
  return dispatch(caller, request)
}

async function choose({ below }: Chance): Promise<readonly Operation[]> {
  const left = operations.filter(({ protocol, operation }) => !left_out.has(`${protocol} ${operation}`))
  const chosen: Operation[] = []
  while (left.length > 0 && (is_long || chosen.length < sample_size)) {
    const [one] = left.splice(below(left.length), 1)
    const answers = [await call(scene.owner, one!), await call(scene.delegate, one!)]
    if (answers.every(({ status }) => status === 200)) chosen.push(one!)
  }
  assert.ok(chosen.length >= sample_size, `only ${chosen.length} examples succeed`)
  return chosen
}

/** What the stranger is denied without a fault. */
async function deniedOperations(): Promise<readonly Operation[]> {
  const denied: Operation[] = []
  for (const one of subjects) if ((await call(scene.stranger, one)).status === 403) denied.push(one)
  assert.ok(denied.length > 0)
  return denied
}

/** Neither final nor internal; only an adapter's call may be answered as its node's failure. */
function isUndecided({ status, body }: Answer, { is_adapter }: Operation): boolean {
  const expected = [409, 429, 503, 504, ...(is_adapter ? [502] : [])]
  return expected.includes(status) && body.error.retryable === true
}

async function goThrough(neighbour: Neighbour, stall_ms: number): Promise<number> {
  const denied = await deniedOperations()
  const proxy = scene.proxies[neighbour]
  let undecided = 0
  const ask = async (caller: Addresses, one: Operation) => {
    const answer = await call(caller, one)
    if (answer.status === 200) return
    const message = `${neighbour} silent for ${stall_ms} ms: ${one.protocol} ${one.operation} answered ${answer.status}`
    assert.ok(isUndecided(answer, one), `${message}: ${JSON.stringify(answer.body)}`)
    undecided++
  }
  const intrude = async (one: Operation) => {
    const { status, body } = await call(scene.stranger, one)
    const message = `${one.protocol} ${one.operation} answered a stranger ${status}: ${JSON.stringify(body)}`
    assert.ok(status === 403 || isUndecided({ status, body } as Answer, one), message)
  }
  scene.letTimePass()
  proxy.set({ silent: true })
  let is_well = false
  const healing = pace(stall_ms).then(() => {
    proxy.set({})
    is_well = true
  })
  do {
    const asking = subjects.flatMap((one) => [ask(scene.owner, one), ask(scene.delegate, one)])
    await Promise.all([...asking, ...denied.map(intrude)])
  } while (!is_well)
  await healing
  return undecided
}

async function allWell(): Promise<void> {
  for (const one of subjects) {
    for (const caller of [scene.owner, scene.delegate]) {
      let last = ''
      let tries = 0
      const isWell = async () => {
        const { status, body } = await call(caller, one)
        last = JSON.stringify(body)
        // An open breaker is retried after a while.
        if (status !== 200 && ++tries <= breaker_tries_max) scene.letTimePass()
        return status === 200
      }
      await until(`${one.protocol} ${one.operation} succeeds again`, isWell).catch((error) => {
        throw new Error(`${error.message}; its last answer: ${last}`)
      })
    }
  }
}

for (const neighbour of neighbours) {
  for (const stall_ms of stalls_ms) {
    test(
      `${neighbour} silent for ${stall_ms} ms: no wrong final refusal, no wrong admission`,
      patience,
      async (t) => {
        announce(t, import.meta.filename, 1, chance)
        const undecided = await goThrough(neighbour, stall_ms)
        t.diagnostic(`${undecided} calls were told to try again`)
        await allWell()
      },
    )
  }
}

test('the log says what could not be checked, and blames no permitted caller', async () => {
  const { service, owner, delegate } = scene
  const of_fault = { event_types: ['DependencyUnavailable'] }
  const records = await service.records(service.tenant_id, of_fault)
  assert.ok(records.length > 0)
  for (const { outcome, meta } of records)
    assert.deepEqual([outcome, meta.code], ['error', 'unavailable'], JSON.stringify(meta))
  const accused = await service.records(service.tenant_id, { event_types: ['SecurityViolation'] })
  const dids = new Set([owner.agent_did, delegate.agent_did])
  assert.deepEqual(
    accused.filter(({ caller_did, meta }) => dids.has(caller_did) && meta.stage === 4),
    [],
  )
})
