import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { initiationOf, unevenShare } from './dissolution.ts'

const to_did = `did:oas:heir:agent:${'a'.repeat(64)}`

test('each asset must be distributed completely, or the uneven one is named', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9_999 }), (part) => {
      const share = (asset_id: string, bps: number) => ({ asset_id, to_did, share_bps: String(bps) })
      const whole = [share('*', 10_000), share('coin', part), share('coin ', 10_000 - part)]
      assert.equal(unevenShare(whole), undefined)
      assert.match(unevenShare([...whole, share('gold', part)]) ?? '', /^The shares of gold sum to/)
    }),
  )
  assert.equal(unevenShare([]), undefined)
})

test('typed values are sent without surrounding spaces', () => {
  const shares = [{ asset_id: '*', to_did: ` ${to_did}`, share_bps: '10000' }]
  const draft = { authority: 'mace://sole-member ', reason: ' Enough.', successor_did: to_did, shares }
  assert.deepEqual(initiationOf(draft), {
    charter_authority: 'mace://sole-member',
    reason: 'Enough.',
    schedule: {
      asset_distribution: [{ asset_id: '*', to_did, share_bps: 10_000 }],
      obligation_transfer: [],
      successor_did: to_did,
    },
  })
})
