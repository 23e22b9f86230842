// Bugs planted into a copy, one at a time: simulated dispatch must find each within a thousand seeds.
import type { PlantedBug } from './planted-bug.ts'

export const dispatch_bugs: readonly PlantedBug[] = [
  {
    name: 'a key that another call holds is claimed',
    part: 'dispatch',
    file: 'engine/idempotency/idempotency.ts',
    old_text: 'WHERE (kept.output_text IS NOT NULL OR kept.held_until < clock_timestamp())',
    new_text: 'WHERE (true)',
  },
  {
    name: 'a stored answer is not replayed',
    part: 'dispatch',
    file: 'engine/idempotency/idempotency.ts',
    old_text: 'return result.rows[0]\n',
    new_text: 'return undefined\n',
  },
  {
    name: 'a replay is charged',
    part: 'dispatch',
    file: 'engine/stages/8-record-outcome.ts',
    old_text: 'const quanta = call.replayed ? 0n : chargeQuanta(measured, rate, multipliers)',
    new_text: 'const quanta = chargeQuanta(measured, rate, multipliers)',
  },
  {
    name: 'an unconfirmed commit is answered as not done',
    part: 'dispatch',
    file: 'adapters/store/tenant-transaction.ts',
    old_text: "throw unavailable('database', error.cause, 'unknown')",
    new_text: 'throw error',
  },
  {
    name: 'reservations of other engines are not counted',
    part: 'dispatch',
    file: 'adapters/budget-counters/counter-script.ts',
    old_text: 'then counter.reserved = counter.reserved + reserved end',
    new_text: 'then counter.reserved = counter.reserved end',
  },
  {
    name: 'the reservation of a refused call is not released',
    part: 'dispatch',
    file: 'engine/dispatch.ts',
    old_text: '    releaseBudget(call, ports)\n',
    new_text: '',
  },
  {
    name: 'a bucket in Redis is charged half',
    part: 'dispatch',
    file: 'adapters/rate-limit/limit-script.ts',
    old_text: 'tokens = tokens - cost\n',
    new_text: 'tokens = tokens - cost / 2\n',
  },
]
