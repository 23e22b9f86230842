import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import { openKeystore } from '../custody/keystore.ts'
import { openMailboxes } from './mailboxes.ts'

test('waiting callers are limited, in all and per organization, and leaving twice counts once', () => {
  const { vault } = openKeystore(testRootKeys(Buffer.alloc(32)))
  const room = openMailboxes({ message_bytes_max: 10, vaultOf: vault })
  assert.equal(room.message_bytes_max, 10)
  const enter = (tenant_id: string) => {
    const left: (() => void)[] = []
    for (let place = room.wait(tenant_id); place; place = room.wait(tenant_id)) left.push(place)
    return left
  }
  const [acme, globex] = [enter('acme'), enter('globex')]
  assert.deepEqual([acme.length, globex.length, room.wait('third')], [200, 200, undefined])
  acme[0]!()
  acme[0]!()
  assert.equal(enter('third').length, 1)
  for (const leave of acme) leave()
  assert.equal(enter('acme').length, 199)
})
