// The rules of dissolutions: who may decide, on which schedule, and until when to cancel.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { councilOf } from '../../../checks/rehearsal/council.ts'
import {
  administrators,
  asCaller,
  newCharter,
  newParty,
  type Party,
} from '../../../checks/rehearsal/organizations.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { mace } from '../mace/mace.ts'
import { mausoleum } from './mausoleum.ts'

const day_ms = 86_400_000
let stage: Rehearsal
let heirs: Party[]
let next: Party

before(async () => {
  stage = await rehearse(mausoleum, { others: [mace], ports: administrators() })
  await ensureTenant(stage.store.engine, 'operator', 'operator', 'sovereign')
  heirs = [await newParty(stage, 'heir-a'), await newParty(stage, 'heir-b')]
  next = await newParty(stage, 'after')
})
after(() => stage.close())

const initiate = (who: Party, input: object) => stage.run('initiate', input, asCaller(who))
const seal = (who: Party, input: object = {}) => stage.run('seal', input, asCaller(who))
const alone = { charter_authority: 'mace://sole-member', reason: 'Enough.' }
const will = () => ({
  asset_distribution: heirs.map(({ did: to_did }) => ({ asset_id: '*', to_did, share_bps: 5000 })),
  obligation_transfer: [],
  successor_did: next.did,
})

test('a dissolution needs a valid schedule and two thirds of all charter members', async () => {
  const council = await newCharter(stage, 'ending', 5)
  const [founder] = council
  const reason = 'Our purpose is fulfilled.'
  const schedule = will()
  const begin = (more: object) => initiate(founder, { ...alone, reason, schedule, ...more })
  const [first, ...others] = schedule.asset_distribution
  const uneven = { ...schedule, asset_distribution: [{ ...first, share_bps: 1 }, ...others] }
  await assertRefused(begin({ schedule: uneven }), 'invalid_payload', 'schedule does not hold')
  const stranger = { ...schedule, successor_did: `did:oas:nowhere:agent:${'0'.repeat(64)}` }
  await assertRefused(begin({ schedule: stranger }), 'invalid_payload', 'successor unresolvable')
  await assertRefused(begin({}), 'policy_denied', 'charter quorum required')
  const subject = contentHash({ reason, schedule })
  const binds = [{ protocol: 'MAUSOLEUM', operation: 'initiate', subject }]
  const decide = async (in_favour: number) => {
    const { motion_id } = await stage.run(
      'MACE.convene',
      {
        motion: { title: 'The end', text: reason, binds },
        quorum: 'majority',
        deadline_ms: day_ms,
        composition_rules: {},
      },
      asCaller(founder),
    )
    for (const [place, member] of council.entries())
      await councilOf(stage).vote(member, motion_id, place < in_favour ? 'for' : 'against')
    return (await councilOf(stage).tally(founder, motion_id)).ref
  }
  const weak = begin({ charter_authority: await decide(3) })
  const { details } = await assertRefused(weak, 'policy_denied', 'supermajority required')
  assert.equal((details.dissent as unknown[]).length, 2)
  const begun = await begin({ charter_authority: await decide(4) })
  assert.deepEqual([begun.state, begun.blockers], ['INITIATED', []])
  const notice = stage.records('after').find(({ event_type }) => event_type === 'DissolutionInitiated')
  assert.equal(notice?.meta.dissolution_id, begun.dissolution_id)
  await assertRefused(begin({}), 'policy_denied', 'organization dissolving')
  await assertRefused(seal(founder), 'policy_denied', 'dissolution is INITIATED; seal needs READY_TO_SEAL')
  const foreign = seal(heirs[0]!, { dissolution_id: begun.dissolution_id })
  await assertRefused(foreign, 'invalid_payload', 'not_found')
})

test('during the notice period the charter may cancel; afterwards nobody can', async () => {
  const [only] = await newCharter(stage, 'wavering', 1)
  const [bob] = await newCharter(stage, 'globex', 1)
  const schedule = { asset_distribution: [], successor_did: next.did }
  const { dissolution_id } = await initiate(only, { ...alone, schedule })
  const cancel = { ...alone, cancel: dissolution_id }
  await assertRefused(initiate(bob, cancel), 'invalid_payload', 'not_found')
  assert.equal((await initiate(only, cancel)).state, 'CANCELLED')
  await assertRefused(initiate(only, cancel), 'invalid_payload', 'not_found')
  const again = await initiate(only, { ...alone, schedule })
  stage.ports.clock.advance(7 * day_ms)
  const late = initiate(only, { ...alone, cancel: again.dissolution_id })
  await assertRefused(late, 'policy_denied', 'dissolution is DISTRIBUTING; cancel needs INITIATED')
})

test('the organization that operates the engine cannot be dissolved', async () => {
  const [own] = await newCharter(stage, 'operator', 1)
  const schedule = { asset_distribution: [], successor_did: next.did }
  await assertRefused(initiate(own, { ...alone, schedule }), 'policy_denied', 'operator cannot dissolve')
})
