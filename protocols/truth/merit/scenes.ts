// What comes before the examples of MERIT: an action that was evaluated, and the credential issued for it.
import { type SceneStep, stand_ins } from '@svc/contract/scene'
import type { Static } from 'typebox'
import type { EvaluateInput } from './evaluate-ethics.ts'

const credential_id = '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'
export const credential_ref = `merit://credential/${credential_id}`

export const records_shared: Static<typeof EvaluateInput> = {
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
