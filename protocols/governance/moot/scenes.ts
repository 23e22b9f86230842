// What comes before the examples of MOOT: an arbiter, a contract of the two parties, and a case about it.
import { type SceneRole, type SceneStep, stand_ins } from '@svc/contract/scene'

export const case_id = '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'
const treaty_id = `sha256:${'7e'.repeat(32)}`
const contract_id = `sha256:${'5a'.repeat(32)}`

export const translation_case = {
  respondent_did: stand_ins.partner_did,
  claim: 'We delivered the translation that this contract orders; now the other side refuses to pay for it.',
  evidence: [`made://contract/${contract_id}`],
  requested_remedy: {
    kind: 'specific_performance' as const,
    target: `made://contract/${contract_id}/obligation/fee`,
  },
}

/** The organization that runs the engine is the venue if the parties have not agreed on another. */
const arbiter_registered: SceneStep = {
  as: 'operator',
  call: 'MARS.register_agent',
  input: {
    name: 'Arbiter',
    entity_kind: 'Agent',
    capabilities: ['svc.moot.rule'],
    service_endpoints: [],
    visibility: 'public',
  },
}

/** A contract between two organizations needs a treaty that grants both of them to make one. */
const treaty_in_force: readonly SceneStep[] = [
  {
    call: 'MOAT.propose',
    input: {
      counterparty_did: stand_ins.partner_did,
      capability_schedule: [{ capability: 'svc.made.economic_contract_create', granted_to: 'both' }],
      expires_at: stand_ins.in_a_year,
    },
    answer: { treaty_id },
  },
  { call: 'MOAT.sign', input: { treaty_id } },
  { as: 'partner', call: 'MOAT.sign', input: { treaty_id } },
]

const contractBetween = (translator: SceneRole, customer: SceneRole, customer_did: string): SceneStep[] => [
  ...treaty_in_force,
  {
    as: translator,
    call: 'MADE.economic_contract_create',
    input: {
      counterparty_did: customer_did,
      treaty_id,
      obligations: [
        {
          id: 'fee',
          from: 'counterparty',
          asset_id: 'usd',
          amount: '100000000',
        },
      ],
      memo: 'Translation of one contract.',
    },
    answer: { contract_id },
  },
  { as: customer, call: 'MADE.economic_contract_create', input: { contract_id } },
]

export const ready_to_file: readonly SceneStep[] = [
  arbiter_registered,
  ...contractBetween('you', 'partner', stand_ins.partner_did),
]

/** Against you, so that you can answer. */
export const case_against_you: readonly SceneStep[] = [
  arbiter_registered,
  ...contractBetween('partner', 'you', stand_ins.did),
  {
    as: 'partner',
    call: 'MOOT.file',
    input: { ...translation_case, respondent_did: stand_ins.did },
    answer: { case_id },
  },
]

export const denial = {
  case_id,
  plea: 'deny' as const,
  argument: 'What we got was the translation of another contract; ours is still missing.',
}

export const case_filed: readonly SceneStep[] = [
  ...ready_to_file,
  { call: 'MOOT.file', input: translation_case, answer: { case_id } },
]

/** The engine draws the panel by a checkpoint that comes after the filing. */
const panel_drawn: SceneStep = {
  call: 'MOOT.plead',
  input: { case_id, plea: 'view' },
  until: { docket: { panel: [stand_ins.operator_did] } },
}

export const case_answered: readonly SceneStep[] = [
  ...case_filed,
  panel_drawn,
  { as: 'partner', call: 'MOOT.plead', input: denial },
]

export const case_heard: readonly SceneStep[] = [
  ...case_answered,
  { as: 'operator', call: 'MOOT.hear', input: { case_id } },
]
