import { treaty_states } from '@svc/contract/authority/treaty'
import { operation, protocol } from '@svc/contract/protocol'
import { Closed, Hash, ListOf, OneOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { AmendInput, AmendOutput, proposeAmendment } from './amendment-proposal.ts'
import { ComplianceInput, ComplianceOutput, queryCompliance } from './treaty-compliance.ts'
import { terminate } from './treaty-ending.ts'
import { EnforceInput, EnforceOutput, enforce } from './treaty-enforcement.ts'
import { ListInput, ListOutput, listOwn } from './treaty-list.ts'
import { ProposeInput, ProposeOutput, propose } from './treaty-proposal.ts'
import { proof_fields, SignOutput, sign, signAmendment } from './treaty-signing.ts'

const no_treaty = `sha256:${'0'.repeat(64)}`

export const moat = protocol({
  id: 'MOAT',
  version: 'v1.0.0',
  plane: 'governance',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-governance',
  summary: 'Treaties: the only way one organization may call another.',

  operations: {
    propose: operation({
      summary: 'Propose a treaty to another organization.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      engages: true,
      needs: ['authority', 'engine', 'register', 'tenants'],
      input: ProposeInput,
      output: ProposeOutput,
      example: {
        counterparty_did: `did:oas:acme:agent:${'0'.repeat(64)}`,
        capability_schedule: [{ capability: 'svc.mind.recall_memory', caveats: ['time:09-17'] }],
        expires_at: '2027-11-01T00:00:00Z',
      },
      handle: propose,
    }),

    sign: operation({
      summary: 'Sign a proposed treaty for your organization.',
      effect: 'write',
      level: 'L2',
      meters: ['seconds'],
      engages: true,
      needs: ['authority', 'charter', 'custody', 'requireAuthority'],
      input: Closed({ treaty_id: Hash, ...proof_fields }),
      output: SignOutput,
      example: { treaty_id: no_treaty },
      handle: sign,
    }),

    compliance_query: operation({
      summary: 'Ask whether an active treaty lets one party use a capability of another.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      needs: ['engine', 'treaties'],
      input: ComplianceInput,
      output: ComplianceOutput,
      example: { party_a: 'acme', party_b: 'globex', capability: 'svc.mind.recall_memory' },
      handle: queryCompliance,
    }),

    enforce: operation({
      summary: 'Check whether the other party complied with a treaty, then report, suspend, resume or claim.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['audit_log', 'charter'],
      input: EnforceInput,
      output: EnforceOutput,
      example: {
        treaty_id: no_treaty,
        period: { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' },
      },
      handle: enforce,
    }),

    propose_amendment: operation({
      summary: 'Propose new terms for an existing treaty.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      engages: true,
      needs: ['authority', 'charter', 'register', 'tenants'],
      input: AmendInput,
      output: AmendOutput,
      example: {
        treaty_id: no_treaty,
        changes: { rate_limits: { per_hour: 100 } },
        reason: 'We need a higher call rate.',
      },
      handle: proposeAmendment,
    }),

    sign_amendment: operation({
      summary: 'Sign an amendment for your organization.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      engages: true,
      needs: ['authority', 'charter', 'custody', 'requireAuthority'],
      input: Closed({ amendment_id: Hash, ...proof_fields }),
      output: SignOutput,
      example: { amendment_id: no_treaty },
      handle: signAmendment,
    }),

    terminate: operation({
      summary: 'Terminate a treaty unilaterally, at any time.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['charter'],
      input: Closed({ treaty_id: Hash, reason: Text(2000) }),
      output: Closed({
        treaty_id: Hash,
        state: OneOf(...treaty_states),
        terminated_at: Timestamp,
        open_obligations: ListOf(Ref, 0, 256),
      }),
      example: { treaty_id: no_treaty, reason: 'We no longer need it.' },
      handle: terminate,
    }),

    list: operation({
      summary: 'List the treaties and amendments of your organization, or read one in full.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      input: ListInput,
      output: ListOutput,
      example: { state: 'ACTIVE', limit: 10 },
      handle: listOwn,
    }),
  },
})
