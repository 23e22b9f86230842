// Three or four engines write one tenant's chain; one is halted and resumed, another is killed: one complete
// chain of all that was answered.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { openReplicas, type Replica, type Replicas } from '../engines/replicas.ts'
import type { Addresses } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { assertKept } from './scene/audit-log-check.ts'
import {
  type Answered,
  ask,
  type Callers,
  effectSort,
  entry,
  moment_ms,
  startCallers,
} from './scene/callers.ts'
import { announce, is_long, openChance, report } from './scene/chance.ts'
import { emptyChain, readChain } from './scene/exported-chain.ts'

const names = is_long ? ['first', 'second', 'third', 'fourth'] : ['first', 'second', 'third']
const callers_each = is_long ? 4 : 2
const halt_ms = is_long ? 30_000 : 0
const answers_wanted = is_long ? 100_000 : 400
const tries_max = 400

const look = effectSort('look', () => ({}))
const happen = effectSort('happen', () => ({ name: 'once' }), 2)
const sorts = [look, happen, entry]

interface Line {
  readonly replicas: Replicas
  readonly running: Map<string, Replica>
  readonly calling: { readonly name: string; readonly callers: Callers }[]
  at(name: string): Addresses
  call(name: string): void
  answers(name?: string): Answered[]
  /** How many there are, without collecting them. */
  count(): number
}

async function openLine(t: TestContext): Promise<Line> {
  const chance = openChance()
  announce(t, import.meta.filename, answers_wanted, chance)
  const replicas = await openReplicas()
  t.after(() => replicas.close())
  const started = await Promise.all(names.map((name) => replicas.start(name)))
  const running = new Map(names.map((name, i) => [name, started[i]!]))
  const key = await replicas.newCaller('acme')
  const calling: Line['calling'] = []
  const at = (name: string) => ({ ...key, api_url: running.get(name)!.api_url })
  const call = (name: string) => {
    calling.push({ name, callers: startCallers(at(name), callers_each, sorts, chance) })
  }
  const answers = (code?: string) =>
    calling.flatMap(({ name, callers }) => (code === undefined || name === code ? callers.answered : []))
  const count = () => calling.reduce((sum, { callers }) => sum + callers.answered.length, 0)
  return { replicas, running, calling, at, call, answers, count }
}

test('several writers of one chain, one halted and one killed', { timeout: 1_200_000 }, async (t) => {
  const line = await openLine(t)
  for (const name of names) line.call(name)
  const flowing = (name: string) => until(`${name} answers`, () => line.answers(name).length > 20)
  await Promise.all(names.map(flowing))

  const [halted, killed] = [line.running.get('second')!, line.running.get('third')!]
  const in_transaction = await halt(line.replicas, halted)
  const halted_ms = moment_ms()
  const before = line.answers('first').length
  await killed.stop('SIGKILL')
  line.running.set('third', await line.replicas.start('third'))
  line.call('third')
  await until('the others go on', () => line.answers('first').length > before + 20)
  await pace(halt_ms)
  const resumed_ms = moment_ms()
  halted.process.kill('SIGCONT')
  const back = await ask(line.at('second'), entry)
  assert.equal(back.status, 200, 'the halted one does not commit any more')
  while (line.count() < answers_wanted) {
    const reached = line.count()
    await until('more is answered', () => line.count() >= Math.min(answers_wanted, reached + 1_000))
  }

  await Promise.all(line.calling.map(({ callers }) => callers.stop()))
  const codes = await Promise.all([...line.running.values()].map((replica) => replica.stop()))
  assert.deepEqual(
    codes,
    names.map(() => 0),
  )
  const own = await readChain({ data_dir: '', db_url: line.replicas.db_url }, 'acme')
  const answered = [...line.answers(), back]
  assertKept(answered, { own, operator: emptyChain(), records: own.hashes.length })
  const others = [...line.answers('first'), ...line.answers('fourth')].filter(
    ({ sent_ms, took_ms }) => sent_ms < resumed_ms && sent_ms + took_ms > halted_ms,
  )
  const held_up_ms = Math.max(0, ...others.map(({ took_ms }) => took_ms))
  report(t, {
    halted_ms: resumed_ms - halted_ms,
    halted_in_transaction: String(in_transaction),
    others_answered_meanwhile: others.length,
    others_held_up_ms: held_up_ms,
    answered: answered.length,
    records: own.hashes.length,
    lost: 0,
    forks: 0,
    gaps: 0,
    duplicate_seq: 0,
  })
  assert.deepEqual(others.filter(({ status }) => status !== 200).slice(0, 3), [])
})

/** In the long form it is halted while it holds the head of the chain, the worst moment. */
async function halt(replicas: Replicas, { process: child }: Replica): Promise<boolean> {
  for (let n = 0; n < tries_max; n++) {
    child.kill('SIGSTOP')
    if (!is_long || (await holdsHead(replicas))) return is_long
    child.kill('SIGCONT')
    await pace(7)
  }
  child.kill('SIGSTOP')
  return false
}

/** Looks twice: a lock that is still there a while later belongs to a halted writer. */
async function holdsHead({ db_url }: Replicas): Promise<boolean> {
  return await asOwner(db_url, async (client) => {
    const look = async () => {
      const { rows } = await client.query<{ pid: number; xact_start: Date }>(
        `SELECT pid, xact_start FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'svc audit writer' AND state = 'idle in transaction'`,
      )
      return rows.map((row) => `${row.pid} ${row.xact_start.toISOString()}`)
    }
    const first = new Set(await look())
    if (first.size === 0) return false
    await pace(300)
    return (await look()).some((session) => first.has(session))
  })
}
