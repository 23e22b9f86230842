// Governance gates before a step: the call to the protocol that decides, and how its answer is read.
import type { GovernanceGate } from '@svc/contract/recipe'
import type { Performed } from './run-outcome.ts'

const hearing_every_ms = 60_000
const without_ruling: ReadonlySet<string> = new Set(['CLOSED', 'SETTLED', 'WITHDRAWN', 'DISMISSED'])

/** The gate's question, as a dispatch. */
export interface Question {
  readonly protocol: string
  readonly operation: string
  readonly input: Record<string, unknown>
}

interface Kind {
  readonly protocol: string
  readonly operation: string
  /** Overrides the question, so that a gate only reads. */
  readonly fixed: Record<string, unknown>
  passes(answer: Record<string, unknown>): boolean
}

const kinds: Readonly<Record<GovernanceGate['kind'], Kind>> = {
  MAXIM: {
    protocol: 'MAXIM',
    operation: 'constitutional_interpretation',
    fixed: {},
    passes: ({ decision }) => decision === 'allow',
  },
  'MACE-quorum': {
    protocol: 'MACE',
    operation: 'tally',
    fixed: { action: 'view' },
    passes: ({ outcome }) => outcome === 'PASSED',
  },
  'MOAT-treaty': {
    protocol: 'MOAT',
    operation: 'compliance_query',
    fixed: {},
    passes: ({ active }) => active === true,
  },
}

export function questionOf({ kind, question = {} }: GovernanceGate): Question {
  const { protocol, operation, fixed } = kinds[kind]
  return { protocol, operation, input: { ...question, ...fixed } }
}

/** All that it may ask, with a stand-in for what only the run knows. */
export function questionsOf(gate: GovernanceGate): readonly (Question & { at: 'question' | 'escalation' })[] {
  const question = { ...questionOf(gate), at: 'question' as const }
  if (gate.on_pass !== 'Escalate' && gate.on_fail !== 'Escalate') return [question]
  const run = { tenant_id: 'tenant', correlation_id: 'run', run_ref: 'run', path: gate.at_step }
  return [question, { ...caseOf(gate, run), at: 'escalation' }]
}

export type GateVerdict =
  | { readonly go_on: true; readonly passed: boolean }
  | { readonly go_on: false; readonly escalate: boolean; readonly passed: boolean }

/** If the judge cannot be reached, the gate stays shut: fail closed. */
export function judgeGate(gate: GovernanceGate, performed: Performed): GateVerdict {
  const passed =
    performed.kind === 'done' && kinds[gate.kind].passes(performed.output as Record<string, unknown>)
  const action = passed ? gate.on_pass : gate.on_fail
  if (action === 'Continue') return { go_on: true, passed }
  return { go_on: false, escalate: action === 'Escalate', passed }
}

/** The case filed with MOOT: the run's own records are the evidence. */
export function caseOf(
  { kind, escalation }: GovernanceGate,
  run: {
    readonly tenant_id: string
    readonly correlation_id: string
    readonly run_ref: string
    readonly path: string
  },
): Question {
  const { tenant_id, correlation_id, run_ref, path } = run
  const claim = `Step ${path} of ${run_ref} did not pass its ${kind} gate; may it go on?`
  return {
    protocol: 'MOOT',
    operation: 'file',
    input: {
      claim,
      evidence: [`max://${tenant_id}/correlation/${correlation_id}`],
      requested_remedy: { kind: 'declaratory' },
      ...escalation,
    },
  }
}

export function hearingOf(case_id: string): Question {
  return { protocol: 'MOOT', operation: 'plead', input: { case_id, plea: 'view' } }
}

export type Hearing =
  | { readonly ruled: true; readonly may_go_on: boolean }
  | { readonly ruled: false; readonly after_ms: number }

/** A ruling for the claimant lets the step continue. A case closed without a ruling does not. */
export function readHearing(performed: Performed): Hearing {
  if (performed.kind === 'refused') return { ruled: false, after_ms: hearing_every_ms }
  const { state, docket } = performed.output as {
    state: string
    docket?: { ruling?: { in_favour_of?: string } }
  }
  const in_favour_of = docket?.ruling?.in_favour_of
  if (in_favour_of) return { ruled: true, may_go_on: in_favour_of === 'claimant' }
  if (without_ruling.has(state)) return { ruled: true, may_go_on: false }
  return { ruled: false, after_ms: hearing_every_ms }
}
