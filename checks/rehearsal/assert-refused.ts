import assert from 'node:assert/strict'
import { Refusal, type RefusalCode } from '@svc/contract/refusal'

const sentence_form = /^\S.*[.?]$/s

/** The refusal of a rehearsed call, once its code, its reason and the form of its sentence are checked. */
export async function assertRefused(
  call: Promise<unknown>,
  code: RefusalCode,
  reason?: string,
): Promise<Refusal> {
  const thrown: unknown = await call.then(
    (output) => assert.fail(`not refused: ${JSON.stringify(output)}`),
    (error) => error,
  )
  if (!(thrown instanceof Refusal)) throw thrown
  assert.equal(thrown.code, code, thrown.message)
  if (reason !== undefined) assert.equal(thrown.details.reason, reason)
  assert.match(thrown.message, sentence_form)
  return thrown
}
