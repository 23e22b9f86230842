import { operation, protocol } from '@svc/contract/protocol'
import { type SceneStep, stand_ins } from '@svc/contract/scene'
import { initiate } from './dissolution-initiating.ts'
import { InitiateInput, InitiateOutput } from './dissolution-input.ts'
import { ListInput, ListOutput, listOwn } from './dissolution-list.ts'
import { SealInput, SealOutput, seal } from './dissolution-sealing.ts'

const dissolution_id = '2b9e4c7a-3d15-4e8f-a6c0-7f1d5b3e9a42'

const dissolution = {
  charter_authority: 'mace://sole-member',
  reason: 'Its purpose is fulfilled.',
  schedule: {
    asset_distribution: [{ asset_id: '*', to_did: stand_ins.partner_did, share_bps: 10_000 }],
    obligation_transfer: [],
    successor_did: stand_ins.partner_did,
  },
}

const initiated: readonly SceneStep[] = [
  { call: 'MAUSOLEUM.initiate', input: dissolution, answer: { dissolution_id } },
]

export const mausoleum = protocol({
  id: 'MAUSOLEUM',
  version: 'v1.0.0',
  plane: 'governance',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-governance',
  summary: 'Dissolution: wind up an organization and seal its audit log without deleting it.',

  operations: {
    initiate: operation({
      summary: 'Dissolve your organization by a charter decision, or cancel that during the notice period.',
      effect: 'write',
      level: 'L2',
      meters: ['seconds'],
      essential: true,
      needs: ['authority', 'charter', 'engine', 'requireAuthority', 'tenants'],
      input: InitiateInput,
      output: InitiateOutput,
      example: dissolution,
      handle: initiate,
    }),

    seal: operation({
      summary: 'Seal the audit log of a dissolved organization and destroy its signing key.',
      effect: 'write',
      level: 'L2',
      meters: ['seconds'],
      essential: true,
      outlives: true,
      needs: ['audit_log', 'charter', 'engine'],
      input: SealInput,
      output: SealOutput,
      example: { dissolution_id },
      // A sealed audit log takes no record of the call: the successor's does.
      example_by: 'partner',
      scene: [
        ...initiated,
        { call: 'MAUSOLEUM.list', input: {}, until: { items: [{ state: 'READY_TO_SEAL' }] } },
      ],
      example_needs:
        'Set `SVC_DISSOLUTION_NOTICE_DAYS` to 0 and restart the engine; otherwise the notice takes seven days.',
      handle: seal,
    }),

    list: operation({
      summary: 'List the dissolutions of your organization and of those it succeeds, or read one in full.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      outlives: true,
      needs: ['charter', 'engine'],
      input: ListInput,
      output: ListOutput,
      example: { state: 'INITIATED', limit: 10 },
      scene: initiated,
      handle: listOwn,
    }),
  },
})
