// What of the institutions waits for somebody here: a vote, a signature, an answer, or a word to a workflow.
import type { OutputOf } from '@svc/sdk'
import { hashOf } from '../../shell/address.ts'

type Motion = OutputOf<'MACE', 'list'>['items'][number]
type Treaty = OutputOf<'MOAT', 'list'>['items'][number]
type Case = OutputOf<'MOOT', 'list'>['items'][number]
type Run = NonNullable<OutputOf<'MOON', 'list'>['runs']>[number]

export interface Lists {
  readonly motions: readonly Motion[]
  readonly treaties: readonly Treaty[]
  readonly cases: readonly Case[]
  readonly runs: readonly Run[]
}

export interface OpenMatter {
  readonly key: string
  readonly kind: 'motion' | 'treaty' | 'amendment' | 'case' | 'workflow'
  readonly what: string
  /** What somebody is to do. */
  readonly asks: string
  readonly until: string | undefined
  readonly href: string
}

/** The most urgent first; without a deadline last. */
export function openMatters(lists: Lists, tenant_id: string): readonly OpenMatter[] {
  const matters = [
    ...lists.motions.filter(({ state }) => state === 'CONVENED' || state === 'OPEN').map(ofMotion),
    ...lists.treaties
      .filter(({ state, missing }) => isUnsigned(state) && missing.includes(tenant_id))
      .map(ofTreaty),
    ...lists.cases.flatMap(ofCase),
    ...lists.runs.flatMap(ofRun),
  ]
  return matters.sort((a, b) => Date.parse(a.until ?? last) - Date.parse(b.until ?? last))
}

const last = '9999-12-31T00:00:00Z'

const isUnsigned = (state: string) => state === 'PROPOSED' || state === 'PARTIALLY_SIGNED'

function ofMotion({ motion_id, title, state, deadline_at }: Motion): OpenMatter {
  return {
    key: motion_id,
    kind: 'motion',
    what: title,
    asks: state === 'OPEN' ? 'Vote' : 'Attend, and vote',
    until: deadline_at,
    href: hashOf('organizations', ['councils', motion_id]),
  }
}

function ofTreaty({ treaty_id, kind, partner, sign_by }: Treaty): OpenMatter {
  return {
    key: treaty_id,
    kind,
    what: kind === 'amendment' ? `Amendment of the treaty with ${partner}` : `Treaty with ${partner}`,
    asks: 'Sign',
    until: sign_by,
    href: hashOf('organizations', ['treaties', treaty_id]),
  }
}

function ofCase({ case_id, state, roles, claimant, respondent, plead_by, rule_by }: Case): OpenMatter[] {
  const about = {
    key: case_id,
    kind: 'case' as const,
    what: `${claimant.tenant_id} against ${respondent.tenant_id}`,
    href: hashOf('organizations', ['cases', case_id]),
  }
  if (state === 'FILED' && roles.includes('respondent'))
    return [{ ...about, asks: 'Answer', until: plead_by }]
  if (state === 'HEARD' && roles.includes('venue')) return [{ ...about, asks: 'Rule', until: rule_by }]
  return []
}

const run_asks: Readonly<Record<string, string>> = {
  approval: 'Approve its call',
  gate: 'Decide at its gate',
  signal: 'Send its signal',
}

function ofRun({ run_ref, name, version, waiting_on, deadline_at }: Run): OpenMatter[] {
  const asks = run_asks[waiting_on ?? '']
  if (!asks) return []
  const href = hashOf('mesh', ['workflows', run_ref])
  return [{ key: run_ref, kind: 'workflow', what: `${name} ${version}`, asks, until: deadline_at, href }]
}
