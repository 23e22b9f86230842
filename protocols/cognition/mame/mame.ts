import { operation, protocol } from '@svc/contract/protocol'
import { EditInput, EditOutput, edit } from './edit.ts'
import { RedactInput, RedactOutput, redact } from './redact.ts'

const example_target = 'mind://cell/0199f3b0-5c1e-7c3a-9d2e-6f1b2a3c4d5e'

const scene = [
  {
    call: 'MIND.store_memory',
    input: { kind: 'semantic', payload: { supplier: 'Northwind Metals', part: 'pump housing' } },
    answer: { ref: example_target },
  },
]

export const mame = protocol({
  id: 'MAME',
  version: 'v1.0.0',
  plane: 'cognition',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'Edit memories, and redact what must be forgotten.',

  operations: {
    edit: operation({
      summary: 'Correct a memory; earlier versions stay readable.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms: 10_000,
      // The version holds the edited text; a retained input would outlive its redaction.
      keep_input: false,
      secret_output: true,
      needs: ['compute', 'embedder', 'vault'],
      input: EditInput,
      output: EditOutput,
      scene,
      example: {
        target: example_target,
        expected_version: 1,
        patch: [{ op: 'replace', path: '/supplier', value: 'Northwind Steel' }],
        reason: 'The supplier had changed its name.',
      },
      handle: edit,
    }),

    redact: operation({
      summary: 'Make content permanently unreadable, and keep the proof that it existed.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms: 10_000,
      needs: ['audit_log', 'embedder', 'requireAuthority', 'vault'],
      input: RedactInput,
      output: RedactOutput,
      scene,
      example: { target: example_target, scope: 'record', reason: 'erasure_request' },
      handle: redact,
    }),
  },
})
