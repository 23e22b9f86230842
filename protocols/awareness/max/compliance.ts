// Controls are named queries over a span of the audit log. Without evidence, none is reported as met.

import { countMatching } from '@svc/audit/query/control-query'
import type { Span } from '@svc/audit/query/span'
import type { Database } from '@svc/contract/database'

export const frameworks = ['core', 'soc2', 'eu-ai-act', 'iso42001'] as const
export type Framework = (typeof frameworks)[number]

export interface ControlVerdict {
  readonly id: string
  readonly statement: string
  readonly status: 'met' | 'not_met' | 'no_evidence'
  readonly evidence: readonly string[]
}

interface Control {
  readonly id: string
  readonly statement: string
  /** The matching clause in each framework. */
  readonly clauses: Partial<Record<Framework, string>>
  /** `subject`: records the control applies to; `breach`: those of them that violate it. */
  readonly query: keyof typeof questions
}

const questions = {
  refusal_reason: 'refusals',
  capability_check: 'state_changes',
  authority_named: 'borrowed_authority',
  charter_verdict: 'charter_operations',
  reconciled: 'reconciliations',
  dissent_kept: 'verdicts',
} as const

const controls: readonly Control[] = [
  {
    id: 'refusals-have-reasons',
    statement: 'Every refusal carries its reason.',
    clauses: { soc2: 'CC7.2', 'eu-ai-act': 'Art. 13', iso42001: 'A.6.2.8' },
    query: 'refusal_reason',
  },
  {
    id: 'changes-are-authorised',
    statement: 'No state change happened without a capability check.',
    clauses: { soc2: 'CC6.1', 'eu-ai-act': 'Art. 12', iso42001: 'A.6.2.8' },
    query: 'capability_check',
  },
  {
    id: 'authority-is-named',
    statement: 'Every call under a delegation, treaty or envelope names it.',
    clauses: { soc2: 'CC6.3', 'eu-ai-act': 'Art. 12', iso42001: 'A.6.2.8' },
    query: 'authority_named',
  },
  {
    id: 'charter-acts-have-verdicts',
    statement: 'Every charter-level operation names its verdict.',
    clauses: { soc2: 'CC1.3', 'eu-ai-act': 'Art. 14', iso42001: 'A.3.2' },
    query: 'charter_verdict',
  },
  {
    id: 'books-reconciled',
    statement: 'Metering was reconciled and balanced.',
    clauses: { soc2: 'PI1.4', iso42001: 'A.6.2.8' },
    query: 'reconciled',
  },
  {
    id: 'dissent-kept',
    statement: 'Every verdict that was not unanimous keeps its dissent.',
    clauses: { soc2: 'CC1.2', 'eu-ai-act': 'Art. 14', iso42001: 'A.3.3' },
    query: 'dissent_kept',
  },
]

export async function judgeControls(
  db: Database,
  tenant_id: string,
  span: Span,
  framework: Framework,
): Promise<ControlVerdict[]> {
  const verdicts: ControlVerdict[] = []
  for (const control of controls) {
    const clause = control.clauses[framework]
    if (framework !== 'core' && !clause) continue
    const findings = await countMatching(db, tenant_id, span, questions[control.query])
    verdicts.push({
      id: clause ? `${clause} ${control.id}` : control.id,
      statement: control.statement,
      status: findings.subjects === 0 ? 'no_evidence' : findings.breaches.length === 0 ? 'met' : 'not_met',
      evidence: (findings.breaches.length ? findings.breaches : findings.samples).map(
        (hash) => `max://${tenant_id}/record/${hash}`,
      ),
    })
  }
  return verdicts
}
