// What comes before the examples of MERIT: an action that was evaluated, and the credential issued for it.
import { type SceneStep, stand_ins } from '@svc/contract/scene'
import type { SetConcernInput } from './concerns.ts'
import type { EvaluateInput } from './evaluate-ethics-schema.ts'

const credential_id = '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'
export const credential_ref = `merit://credential/${credential_id}`

export const records_shared: EvaluateInput = {
  action: {
    kind: 'share_records',
    description: 'Give the clinic the records of a patient who asked for that.',
    reversible: true,
    affected: [
      { party: 'patient', interest: 'health', magnitude: 0.6, probability: 0.8, consent: 'yes' },
      { party: 'patient', interest: 'privacy', magnitude: -0.1, probability: 0.5, consent: 'yes' },
    ],
  },
  alternatives: [{ kind: 'wait', description: 'Send nothing for now.', reversible: true }],
  principles: [{ id: 'beneficence' }, { id: 'autonomy', weight: 2 }],
}

export const credential_issued: readonly SceneStep[] = [
  {
    call: 'MERIT.evaluate_ethics',
    input: { ...records_shared, issue_credential: true, subject_did: stand_ins.did },
    answer: { credential: { id: credential_ref } },
  },
]

export const example_concern: SetConcernInput = {
  name: 'night-calls',
  kind: 'duty',
  text: 'Customers are not called between eight in the evening and eight in the morning.',
  words: ['night call*', 'call* at night'],
}

export const concern_set: readonly SceneStep[] = [{ call: 'MERIT.set_concern', input: example_concern }]
