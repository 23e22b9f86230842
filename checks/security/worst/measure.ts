// One request, measured in the engine that serves it.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { testDatabase } from '../../rehearsal/test-database.ts'
import { arrives } from '../../suite/eventually.ts'
import type { Question, Usage } from './engine-process.ts'
import type { MemoryGroup } from './memory-group.ts'

const patience_ms = 5_000
/** The ending of a request that timed out. */
export const still_under_way = 'still under way'
/** What the fixed work takes on an idle machine. */
const yardstick_ms_usual = 3.5

export interface Cost {
  readonly cpu_ms: number
  readonly bytes: number
  /** `200`, or the code and reason it was refused with. */
  readonly ending: string
}

export interface Request {
  readonly protocol: string
  readonly operation: string
  readonly input: unknown
}

export interface MeasuredEngine {
  readonly addresses: Addresses
  /** Includes memory if `weighs`: that collects garbage first, which takes longer than most requests. */
  cost(request: Request, weighs?: boolean): Promise<Cost>
  stop(): Promise<void>
}

export async function startMeasured(group?: MemoryGroup): Promise<MeasuredEngine> {
  // Passed to the engine: with little memory it would start its own server within its cgroup.
  const database = await testDatabase()
  await database.close()
  const child = fork(join(import.meta.dirname, 'engine-process.ts'), {
    env: { ...process.env, SVC_TEST_DB_URL: new URL('/postgres', database.url).href },
    execArgv: ['--expose-gc', '--max-semi-space-size=32'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  group?.add(child.pid!)
  const ended = once(child, 'exit')
  const [addresses] = (await arrives('the address of the engine', once(child, 'message'))) as [Addresses]
  return {
    addresses,
    cost: (request, weighs = false) => cost(child, addresses, request, weighs),
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

async function ask(child: ChildProcess, question: Question): Promise<Usage> {
  if (!child.connected) throw new Error('the engine has ended')
  const answered = once(child, 'message')
  child.send(question)
  return (await answered)[0] as Usage
}

/** Time of worker threads is not waited for: it is not what is measured. */
async function answerOf(engine: Addresses, request: Request): Promise<Pick<Answer, 'status' | 'body'>> {
  const waiting = AbortSignal.timeout(patience_ms)
  const left = once(waiting, 'abort').then(() => ({
    status: 0,
    body: { error: { code: still_under_way } },
  }))
  const answered = dispatch(engine, request).catch((error) => {
    throw new Error(`the engine did not survive it: ${error.cause ?? error}`)
  })
  return await Promise.race([answered, left])
}

async function cost(
  child: ChildProcess,
  engine: Addresses,
  request: Request,
  weighs: boolean,
): Promise<Cost> {
  const before = await ask(child, weighs ? 'rest' : 'look')
  const { status, body } = await answerOf(engine, request)
  const after = await ask(child, 'look')
  const { code, reason } = body.error ?? {}
  return {
    cpu_ms: (after.cpu_ms - before.cpu_ms) / Math.max(1, before.yardstick_ms / yardstick_ms_usual),
    bytes: weighs ? after.peak_bytes - before.rss_bytes : 0,
    ending: status === 200 ? '200' : `${code} ${reason ?? ''}`.trim(),
  }
}
