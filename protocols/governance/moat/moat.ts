import { TreatyState } from '@svc/contract/authority/treaty'
import { operation, protocol } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import { Closed, described, Hash, ListOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { AmendInput, AmendOutput, proposeAmendment } from './amendment-proposal.ts'
import {
  amendment_id,
  amendment_proposed,
  higher_rate,
  memory_treaty,
  treaty_id,
  treaty_in_force,
  treaty_proposed,
} from './scenes.ts'
import { ComplianceInput, ComplianceOutput, queryCompliance } from './treaty-compliance.ts'
import { terminate } from './treaty-ending.ts'
import { EnforceInput, EnforceOutput, enforce } from './treaty-enforcement.ts'
import { ListInput, ListOutput, listOwn } from './treaty-list.ts'
import { ProposeInput, ProposeOutput, propose } from './treaty-proposal.ts'
import { proof_fields, SignOutput, sign, signAmendment } from './treaty-signing.ts'

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
      needs: ['authority', 'engine', 'register', 'served', 'tenants'],
      input: ProposeInput,
      output: ProposeOutput,
      example: memory_treaty,
      handle: propose,
    }),

    sign: operation({
      summary: 'Sign a proposed treaty for your organization.',
      effect: 'write',
      level: 'L2',
      meters: ['seconds'],
      engages: true,
      needs: ['authority', 'charter', 'custody', 'requireAuthority'],
      input: Closed({ treaty_id: described(Hash, 'Treaty to sign.'), ...proof_fields }),
      output: SignOutput,
      example: { treaty_id },
      scene: treaty_proposed,
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
      example: {
        party_a: stand_ins.partner_tenant,
        party_b: stand_ins.tenant,
        capability: 'svc.mind.recall_memory',
      },
      scene: treaty_in_force,
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
      example: { treaty_id, period: { from: stand_ins.a_minute_ago, to: stand_ins.in_an_hour } },
      scene: treaty_in_force,
      handle: enforce,
    }),

    propose_amendment: operation({
      summary: 'Propose new terms for an existing treaty.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      engages: true,
      needs: ['authority', 'charter', 'register', 'served', 'tenants'],
      input: AmendInput,
      output: AmendOutput,
      example: higher_rate,
      scene: treaty_in_force,
      handle: proposeAmendment,
    }),

    sign_amendment: operation({
      summary: 'Sign an amendment for your organization.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      engages: true,
      needs: ['authority', 'charter', 'custody', 'requireAuthority'],
      input: Closed({ amendment_id: described(Hash, 'Amendment to sign.'), ...proof_fields }),
      output: SignOutput,
      example: { amendment_id },
      scene: amendment_proposed,
      handle: signAmendment,
    }),

    terminate: operation({
      summary: 'Terminate a treaty unilaterally, at any time.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['charter'],
      input: Closed({
        treaty_id: described(
          Hash,
          'Any treaty of the line ends its version in force; an unsigned one is withdrawn.',
        ),
        reason: Text(2000, { description: 'Why; visible to your organization only.' }),
      }),
      output: Closed({
        treaty_id: described(Hash, 'The version that ended.'),
        state: TreatyState,
        terminated_at: described(Timestamp, 'When it ended; the first time if it had ended already.'),
        open_obligations: described(ListOf(Ref, 0, 256), 'Contracts under the treaty that remain due.'),
      }),
      example: { treaty_id, reason: 'We have closed our joint support team.' },
      scene: treaty_in_force,
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
      scene: treaty_in_force,
      handle: listOwn,
    }),
  },
})
