import { operation, protocol } from '@svc/contract/protocol'
import { fileCase } from './case-filing.ts'
import { FileInput, FileOutput, PleadInput, PleadOutput } from './case-input.ts'
import { ListInput, ListOutput, listOwn } from './case-list.ts'
import { HearInput, HearOutput, hear } from './hearing-replay.ts'
import { plead } from './pleading.ts'
import { RuleInput, RuleOutput, rule } from './ruling-vote.ts'

const example_case = '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'

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
      needs: ['audit_log', 'authority', 'charter', 'engine', 'telemetry', 'tenants', 'treaties'],
      input: FileInput,
      output: FileOutput,
      example: {
        respondent_did: `did:oas:acme:agent:${'0'.repeat(64)}`,
        claim: 'The translation was paid for and never delivered.',
        evidence: [`max://globex/record/${'0'.repeat(64)}`],
        requested_remedy: { kind: 'pay', amount_usd: '100.00' },
      },
      handle: fileCase,
    }),

    plead: operation({
      summary: 'Answer a case, offer to settle it, withdraw it, or read its documents.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      essential: true,
      needs: ['audit_log', 'charter', 'register', 'telemetry'],
      input: PleadInput,
      output: PleadOutput,
      example: { case_id: example_case, plea: 'deny', argument: 'It was delivered; our records show it.' },
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
      example: { case_id: example_case },
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
        case_id: example_case,
        finding: 'for_claimant',
        reasoning: 'Both chains hold the call, and neither holds a delivery.',
        remedy: { kind: 'pay', amount_usd: '100.00' },
      },
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
      handle: listOwn,
    }),
  },
})
