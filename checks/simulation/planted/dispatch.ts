// Bugs planted into a copy, one at a time: simulated dispatch must find each within a thousand seeds.
export const planted_dispatch_bugs = [
  {
    name: 'a key that another call holds is claimed',
    file: 'engine/idempotency/idempotency.ts',
    old: 'WHERE (kept.output_text IS NOT NULL OR kept.held_until < clock_timestamp())',
    new: 'WHERE (true)',
  },
  {
    name: 'a stored answer is not replayed',
    file: 'engine/idempotency/idempotency.ts',
    old: 'if (claimed.rows.length) return undefined',
    new: 'return undefined',
  },
  {
    name: 'a replay is charged',
    file: 'engine/stages/8-record-outcome.ts',
    old: 'const quanta = call.replayed ? 0n : chargeQuanta(measured, rate, multipliers)',
    new: 'const quanta = chargeQuanta(measured, rate, multipliers)',
  },
  {
    name: 'an unconfirmed commit is answered as not done',
    file: 'adapters/store/tenant-transaction.ts',
    old: "throw unavailable('database', error.cause, 'unknown')",
    new: 'throw error',
  },
  {
    name: 'reservations of other engines are not counted',
    file: 'adapters/budget-counters/counter-script.ts',
    old: 'then counter.reserved = counter.reserved + reserved end',
    new: 'then counter.reserved = counter.reserved end',
  },
  {
    name: 'the reservation of a refused call is not released',
    file: 'engine/dispatch.ts',
    old: '    releaseBudget(call, ports)\n',
    new: '',
  },
  {
    name: 'a bucket in Redis is charged half',
    file: 'adapters/rate-limit/limit-script.ts',
    old: 'tokens = tokens - cost\n',
    new: 'tokens = tokens - cost / 2\n',
  },
]
