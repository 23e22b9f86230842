// How patient tests are with what every replica is told of within a second: a cache would keep it for a minute, a busy machine may need many seconds.
import { is_long } from '../faults/scene/chance.ts'

/** `npm run assurance` has the machine for itself and holds the engine to its second. */
export const noticed = { interval: 10, timeout: is_long ? 1_000 : 50_000 }
