import { operation, protocol } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import { concern_operations } from './concern-operations.ts'
import { ListInput, ListOutput, listOwn } from './credential-list.ts'
import { evaluateEthics } from './evaluate-ethics.ts'
import { EvaluateInput, EvaluateOutput } from './evaluate-ethics-schema.ts'
import { RevokeInput, RevokeOutput, revoke } from './revoke-credential.ts'
import { credential_issued, credential_ref, records_shared } from './scenes.ts'

const deadline_ms = 10_000

export const merit = protocol({
  id: 'MERIT',
  version: 'v1.0.0',
  plane: 'truth',
  estate: 'hybrid',
  rate: 'standard',
  category: 'svc-governance',
  summary: 'Ethical evaluation of actions with reasons, and revocable credentials for evaluated actions.',

  operations: {
    evaluate_ethics: operation({
      summary: 'Evaluate an action by rules, its effects on others, and its alternatives.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      deadline_ms,
      budget_default: { tokens: 20_000, deadline_ms },
      // All its text is stored as content: a retained input would outlive its redaction.
      keep_input: false,
      secret_output: true,
      needs: [
        'audit_log',
        'authority',
        'compute',
        'custody',
        'embedder',
        'model',
        'policies',
        'register',
        'telemetry',
        'tokens',
        'treaties',
        'vault',
      ],
      input: EvaluateInput,
      output: EvaluateOutput,
      example: records_shared,
      handle: evaluateEthics,
    }),

    ...concern_operations,

    revoke: operation({
      summary: 'Revoke or suspend a credential, by an authority that covers it.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms,
      needs: ['audit_log', 'register', 'requireAuthority'],
      input: RevokeInput,
      output: RevokeOutput,
      example: { credential_ref, reason: 'superseded', authority: stand_ins.did },
      scene: credential_issued,
      handle: revoke,
    }),

    list: operation({
      summary: 'List the credentials your organization issued, with their states.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      input: ListInput,
      output: ListOutput,
      example: { state: 'valid', limit: 10 },
      scene: credential_issued,
      handle: listOwn,
    }),
  },
})
