import { operation, protocol } from '@svc/contract/protocol'
import type { SceneStep } from '@svc/contract/scene'
import { inquireInto } from './inquire.ts'
import {
  deadline_ms_default,
  deadline_ms_max,
  InquireInput,
  InquireOutput,
  tokens_default,
} from './inquire-input.ts'
import { writeSynthesis } from './synthesize.ts'
import { SynthesizeInput, SynthesizeOutput } from './synthesize-input.ts'

const inquiry_ref = 'mari://inquiry/0199f3b0-5c1e-7c3a-9d2e-6f1b2a3c4d5e'
const remembered: readonly SceneStep[] = [
  {
    call: 'MIND.store_memory',
    input: {
      kind: 'episodic',
      payload: { text: 'The delivery of pumps of Acme is two days late. Its carrier Globex is responsible.' },
    },
  },
]
const late_deliveries = {
  question: 'Which deliveries of Acme are late, and who is responsible?',
  sources: ['mind', 'maven'],
  depth: 1,
  max_findings: 10,
}

export const mari = protocol({
  id: 'MARI',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'agent',
  rate: 'standard',
  category: 'svc-cognitive',
  summary:
    'Research: questions answered from what the organization keeps, with a citation for every sentence.',

  operations: {
    inquire: operation({
      summary: 'Find out what is known about a question, with a citation for every finding.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      deadline_ms: deadline_ms_max,
      budget_default: { tokens: tokens_default, deadline_ms: deadline_ms_default },
      secret_output: true,
      needs: [
        'audit_log',
        'authority',
        'compute',
        'embedder',
        'engine',
        'model',
        'served',
        'tokens',
        'vault',
      ],
      input: InquireInput,
      output: InquireOutput,
      scene: remembered,
      example: late_deliveries,
      handle: inquireInto,
    }),
    synthesize: operation({
      summary: 'Write the answer an inquiry found, with a citation for every sentence.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      deadline_ms: deadline_ms_max,
      budget_default: { tokens: tokens_default, deadline_ms: deadline_ms_default },
      secret_output: true,
      needs: ['audit_log', 'authority', 'compute', 'embedder', 'model', 'served', 'tokens', 'vault'],
      input: SynthesizeInput,
      output: SynthesizeOutput,
      scene: [...remembered, { call: 'MARI.inquire', input: late_deliveries, answer: { inquiry_ref } }],
      example: { inquiry_ref, format: 'brief', max_words: 200 },
      handle: writeSynthesis,
    }),
  },
})
