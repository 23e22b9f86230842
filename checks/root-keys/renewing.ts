// A process that renews root keys without end, for kills: node renewing.ts <database> <master key>. It reports each step on a line.

import { system_clock } from '@svc/adapters/clock/system'
import { masterKeyOf } from '@svc/adapters/root-keys/master-key'
import { announceRootKey, settle_ms, takeStep } from '@svc/adapters/root-keys/renewal'
import { openRootKeys, readRows, ringOf } from '@svc/adapters/root-keys/root-key-store'
import { storeAt } from '../rehearsal/test-store.ts'

const [url = '', key = ''] = process.argv.slice(2)
const master_key = Buffer.from(key, 'hex')
const { engine: db } = await storeAt(url)
const root_keys = await openRootKeys(db, master_key)
for (;;) {
  root_keys.learn(await ringOf(await readRows(db), masterKeyOf(master_key), root_keys.ring))
  // Past the time that calls under way get.
  const now = new Date(system_clock.now_ms() + settle_ms)
  const { kind } = await takeStep(db, { root_keys, now, onDestroyed: async () => {} })
  process.stdout.write(`${kind}\n`)
  if (kind !== 'none') continue
  const version = await db.transaction((trx) => announceRootKey(trx, master_key)).catch(() => 'refused')
  process.stdout.write(`announced ${version}\n`)
}
