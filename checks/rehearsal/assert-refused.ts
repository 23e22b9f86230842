// Asserts a refused rehearsal: its code, its reason if the test names one, and a whole sentence.
import assert from 'node:assert/strict'
import { Refusal, type RefusalCode } from '@svc/contract/refusal'

export async function assertRefused(
  attempt: Promise<unknown>,
  code: RefusalCode,
  reason?: string,
): Promise<Refusal> {
  const error = await attempt.then(
    (output) => assert.fail(`not refused: ${JSON.stringify(output)}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof Refusal)) throw error
  if (error.code === 'internal' && code !== 'internal') throw error.cause
  assert.equal(error.code, code, error.message)
  if (reason !== undefined) assert.equal(error.details.reason, reason)
  assert.match(error.message, /^\S.*[.?]$/s)
  return error
}
