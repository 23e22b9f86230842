// How long tests wait for what reaches every replica within a second: a cache would keep it for a minute, a
// busy machine may need many seconds.
import { is_long } from '../faults/scene/chance.ts'

/** `npm run assurance` has the machine to itself and enforces the second. */
export const noticed = { interval: 10, timeout: is_long ? 1_000 : 50_000 }
