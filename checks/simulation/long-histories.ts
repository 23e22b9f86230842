// Long histories of one part, each in a file of its own, so that a long run can be stopped and resumed between them.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { test } from 'node:test'
import { promisify } from 'node:util'

const simulate = new URL('./simulate.ts', import.meta.url).pathname

/** Always the same in the short form: a change is judged by its own effect. The long form looks for new ones. */
export function holdLongHistories(part: string, is_long: boolean): void {
  // Of five parts: 20,000.
  const count = is_long ? 4_000 : 20
  test(`${part}: no invariant is broken by long histories of many seeds`, async (t) => {
    const first_seed = Number(process.env.SVC_TEST_SEED ?? (is_long ? randomInt(2 ** 31) : 1))
    t.diagnostic(`N=${count} seed=${first_seed}; again with: SVC_TEST_SEED=${first_seed}`)
    const shares = is_long ? availableParallelism() : 1
    const each = Math.ceil(count / shares)
    const runShare = async (_: unknown, share: number) => {
      const seeds = ['--seed', `${first_seed + share * each}`, '--seeds', `${each}`]
      const { stdout } = await promisify(execFile)(process.execPath, [simulate, '--only', part, ...seeds])
      t.diagnostic(stdout.trim())
    }
    // The command ends with 1 at a failure, and prints its history.
    const ended = await Promise.allSettled(Array.from({ length: shares }, runShare))
    assert.deepEqual(
      ended.flatMap((one) => (one.status === 'rejected' ? [one.reason.stdout || one.reason.message] : [])),
      [],
    )
  })
}
