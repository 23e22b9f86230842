// What comes before the example of MAGI: a decision of a council, and the votes that led to it.
import { type SceneStep, stand_ins } from '@svc/contract/scene'

export const verdict_ref = `mace://verdict/sha256:${'9d'.repeat(32)}`
const motion_id = '7d4b3c1e-52a9-4f06-9e3b-1c8f6a2d5e70'

export const council_decided: readonly SceneStep[] = [
  {
    call: 'MACE.convene',
    input: {
      motion: { title: 'Open the archive', text: 'Open the archive of 2026 to all our agents.' },
      quorum: 'majority',
      deadline_ms: 86_400_000,
      composition_rules: { must_include_did: stand_ins.did },
    },
    answer: { motion_id },
  },
  {
    call: 'MACE.deliberate',
    input: { motion_id, position: 'for', reasoning: 'It contains only what we published already.' },
  },
  { call: 'MACE.tally', input: { motion_id }, answer: { ref: verdict_ref } },
]
