import { operation, protocol } from '@svc/contract/protocol'
import { AttestInput, AttestOutput, attest } from './attest.ts'
import { CiteInput, CiteOutput, cite } from './cite.ts'
import { ContradictInput, ContradictOutput, contradict } from './contradict.ts'
import { claim_attested, claim_ref, pump_runs } from './scenes.ts'

const deadline_ms = 10_000

export const maven = protocol({
  id: 'MAVEN',
  version: 'v1.0.0',
  plane: 'truth',
  estate: 'agent',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'Signed claims with evidence, their citations and contradictions.',

  operations: {
    attest: operation({
      summary: 'Sign a claim with its evidence.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      multipliers: [0.8, 1, 1],
      deadline_ms,
      // All its text is stored as content: a retained input would outlive its redaction.
      keep_input: false,
      secret_output: true,
      needs: ['audit_log', 'compute', 'custody', 'embedder', 'lineages', 'tokens', 'vault'],
      input: AttestInput,
      output: AttestOutput,
      example: pump_runs,
      handle: attest,
    }),

    cite: operation({
      summary: 'Cite a source permanently, with its current status.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds', 'tokens'],
      deadline_ms,
      secret_output: true,
      needs: ['audit_log', 'authority', 'compute', 'embedder', 'tokens', 'vault'],
      input: CiteInput,
      output: CiteOutput,
      example: { source_ref: claim_ref, style: 'apa' },
      scene: claim_attested,
      handle: cite,
    }),

    contradict: operation({
      summary: 'Contradict a claim with another, and get the resulting statuses.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      deadline_ms,
      keep_input: false,
      needs: ['audit_log', 'compute', 'custody', 'embedder', 'tokens', 'vault'],
      input: ContradictInput,
      output: ContradictOutput,
      example: {
        claim_ref,
        by: {
          claim: { subject: 'Pump 7', predicate: 'status', object: 'stopped' },
          evidence: [{ content: 'Pressure 0 bar, 0 rpm, 09:05.' }],
        },
        kind: 'rebut',
        rationale: 'The pressure fell to nothing five minutes later.',
      },
      scene: claim_attested,
      handle: contradict,
    }),
  },
})
