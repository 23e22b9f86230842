import { operation, protocol } from '@svc/contract/protocol'
import { fileCase } from './case-filing.ts'
import { FileInput, FileOutput, PleadInput, PleadOutput } from './case-input.ts'
import { ListInput, ListOutput, listOwn } from './case-list.ts'
import { HearInput, HearOutput, hear } from './hearing-replay.ts'
import { plead } from './pleading.ts'
import { RuleInput, RuleOutput, rule } from './ruling-vote.ts'
import {
  case_against_you,
  case_answered,
  case_filed,
  case_heard,
  case_id,
  denial,
  ready_to_file,
  translation_case,
} from './scenes.ts'

export const moot = protocol({
  id: 'MOOT',
  version: 'v1.0.0',
  plane: 'governance',
  estate: 'hybrid',
  rate: 'standard',
  category: 'svc-governance',
  summary: 'Disputes between agents and organizations, decided by replaying the audit logs of both.',

  operations: {
    file: operation({
      summary: 'File a case, or appeal a ruling.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      essential: true,
      needs: ['audit_log', 'authority', 'charter', 'engine', 'lineages', 'telemetry', 'tenants', 'treaties'],
      input: FileInput,
      output: FileOutput,
      example: translation_case,
      scene: ready_to_file,
      handle: fileCase,
    }),

    plead: operation({
      summary: 'Answer a case, offer to settle it, withdraw it, or read its documents.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      essential: true,
      needs: ['audit_log', 'charter', 'register', 'telemetry', 'treaties'],
      input: PleadInput,
      output: PleadOutput,
      example: denial,
      scene: case_against_you,
      handle: plead,
    }),

    hear: operation({
      summary: "Replay and verify both parties' records of the disputed requests, side by side.",
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      essential: true,
      needs: ['audit_log', 'telemetry'],
      input: HearInput,
      output: HearOutput,
      example: { case_id },
      scene: case_answered,
      example_by: 'operator',
      handle: hear,
    }),

    rule: operation({
      summary: 'Vote on a case as one of its arbiters, with reasons.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      essential: true,
      needs: ['custody', 'register'],
      input: RuleInput,
      output: RuleOutput,
      example: {
        case_id,
        finding: 'for_claimant',
        reasoning:
          'Both audit logs have the contract, and neither has a complaint before the payment was due.',
        remedy: translation_case.requested_remedy,
      },
      scene: case_heard,
      example_by: 'operator',
      handle: rule,
    }),

    list: operation({
      summary:
        'List the cases in which your organization is a party or the venue, or read one with its documents.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      needs: ['charter'],
      input: ListInput,
      output: ListOutput,
      example: { state: 'FILED', limit: 10 },
      scene: case_filed,
      handle: listOwn,
    }),
  },
})
