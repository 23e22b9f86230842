// The pure cores, and the tests that must notice any change in them. No test here needs a database.
import type { Target } from './mutate.ts'

/** `contract/money/money`: its file, the test beside it, and others. */
const own = (path: string, ...others: string[]): Target => ({
  file: `${path}.ts`,
  tests: [`${path}.test.ts`, ...others],
})

const vectors = 'checks/vectors/vectors.test.ts'
const proof_verdicts = 'checks/clients/sdk/proof-verdicts.test.ts'

/** A file of the verifier, and tests in its folder. */
const verify = (name: string, tests: readonly string[], ...others: string[]): Target => ({
  file: `clients/sdk-typescript/verify/${name}.ts`,
  tests: [...tests.map((test) => `clients/sdk-typescript/verify/${test}.test.ts`), ...others],
})

export const targets: readonly Target[] = [
  own('audit/chain/chain'),
  own('audit/chain/entry'),
  own('audit/tree/merkle'),
  own('audit/tree/checkpoint'),
  own('contract/audit/audit-record'),
  verify('bytes', ['bytes']),
  verify('canonical', ['canonical']),
  verify('export', ['export', 'hostile'], vectors),
  verify('header', ['export', 'hostile'], vectors),
  verify('key-changes', ['export']),
  verify('note', ['note'], vectors),
  verify('paths', ['paths']),
  verify('proof', [], proof_verdicts),
  verify('receipt', ['receipt', 'hostile'], vectors),
  verify('tree', ['tree']),
  verify('trust', ['export'], vectors),
  verify('witnesses', ['export'], vectors),
  own('contract/money/money'),
  own('contract/money/charge'),
  own('contract/money/budget-counter'),
  own('contract/money/books'),
  {
    file: 'protocols/economic/market/order-matching.ts',
    tests: ['protocols/economic/market/order-book.test.ts'],
  },
  own('protocols/economic/market/order-book'),
  own('protocols/economic/market/order-reservation'),
  own('contract/authority/capability', vectors),
  own('contract/authority/caveat'),
  own('contract/authority/attenuation', vectors),
  own('contract/authority/throttle'),
  own('engine/stages/4-gate-capability', 'engine/stages/4-gate-refusals.test.ts'),
  own('engine/idempotency/idempotency-line'),
  own('engine/idempotency/stored-answer'),
  own('engine/limits/budget', 'engine/stages/5-reserve-budget.test.ts'),
  own('engine/limits/usage'),
  own('engine/stages/5-reserve-budget', 'engine/stages/5-budget-refusals.test.ts'),
]
