// What would have changed a recorded decision. Each change is tried by judging the call again with it; what the log lacks is said.
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { covers } from '@svc/contract/authority/capability'
import { judgeGate, type RulesThen, type Situation, situationOf, type Verdict } from './gate-again.ts'
import { nextAllowed } from './next-allowed.ts'

/** At most so many are named. */
const named_max = 6
/** A combination of more changes says nothing to anybody. */
const combined_max = 4

export interface Counterfactual {
  readonly change: string
  /** `passes`: what the log can judge again lets it pass. `refused_next`: something else refuses it then. */
  readonly outcome: 'passes' | 'refused_next' | 'not_judged'
  readonly result: string
  /** The refusal that comes next. */
  readonly next?: { readonly stage: number; readonly code: string; readonly reason: string }
}

interface Change {
  readonly text: string
  readonly apply: (situation: Situation) => Situation
}

/** Of a call that stage 4 refused for its capability, level or policies: the changes that lead on, and a combination where none is enough alone. */
export function gateCounterfactuals(record: AuditRecord, rules: RulesThen): Counterfactual[] {
  const start = situationOf(record)
  if (!start) return []
  const judge = (situation: Situation) => judgeGate(record, situation, rules)
  const first = judge(start)
  if (first.kind !== 'refused') return first.kind === 'open' ? openChanges(record, start, first, judge) : []
  const singles = changesFor(first, record, rules).map((change) => ({
    change,
    verdict: judge(change.apply(start)),
  }))
  const together = singles.some(({ verdict }) => verdict.kind === 'passes')
    ? undefined
    : combined(singles[0], start, record, rules)
  const alternatives = otherTimesAndLevels(first, start, record, rules)
  return [
    ...singles.map(({ change, verdict }) => stated(change.text, verdict)),
    ...(together ? [stated(together.text, together.verdict)] : []),
    ...alternatives,
  ].slice(0, named_max)
}

/** A policy may have read the input: without that policy the rest can still be judged. */
function openChanges(
  { meta }: AuditRecord,
  start: Situation,
  first: Extract<Verdict, { kind: 'open' }>,
  judge: (situation: Situation) => Verdict,
): Counterfactual[] {
  const denying = /^maxim:\/\/(.+)$/.exec(String(meta.denying_policy))?.[1]
  const open = stated(
    first.lacks.includes('input') ? 'the input had been another' : 'other facts of the call were known',
    first,
  )
  if (denying === undefined) return [open]
  const change = withoutPolicy(denying)
  return [stated(change.text, judge(change.apply(start))), open]
}

/** Follows each next refusal with the change that answers it, until the call passes. */
function combined(
  single: { readonly change: Change; readonly verdict: Verdict } | undefined,
  start: Situation,
  record: AuditRecord,
  rules: RulesThen,
): { text: string; verdict: Verdict } | undefined {
  if (single?.verdict.kind !== 'refused') return undefined
  const texts = [single.change.text]
  let situation = single.change.apply(start)
  let verdict: Verdict = single.verdict
  while (verdict.kind === 'refused' && texts.length < combined_max) {
    const [change] = changesFor(verdict, record, rules)
    if (!change) return undefined
    texts.push(change.text)
    situation = change.apply(situation)
    verdict = judgeGate(record, situation, rules)
  }
  return verdict.kind === 'passes' ? { text: texts.join(', and '), verdict } : undefined
}

/** The changes that answer a refusal, one for each thing that stands against the call. */
function changesFor(
  { by, reason }: Extract<Verdict, { kind: 'refused' }>,
  { meta }: AuditRecord,
  { facts }: RulesThen,
): Change[] {
  if (by === 'capability') {
    const capability = String(meta.capability)
    return [
      {
        text: `${capability} were granted or delegated to the caller`,
        apply: (situation) => ({ ...situation, grant: capability }),
      },
    ]
  }
  if (by === 'level') {
    const level = facts?.level === 'L2' ? 2 : 1
    const text =
      reason === 'conformance L2 required' ? 'the caller were at L2' : 'the caller proved its lineage (L1)'
    return [{ text, apply: (situation) => ({ ...situation, level }) }]
  }
  if (by === 'consent')
    return [{ text: 'the consent had been given', apply: (situation) => ({ ...situation, consented: true }) }]
  return by.slice(0, named_max).map(withoutPolicy)
}

function withoutPolicy(name: string): Change {
  return {
    text: `policy ${name} had not been in force`,
    apply: (situation) => ({ ...situation, dropped: [...situation.dropped, name] }),
  }
}

/** Named only where they are enough: that the same policies stand at another time is no help to anybody. */
function otherTimesAndLevels(
  { by }: Extract<Verdict, { kind: 'refused' }>,
  start: Situation,
  record: AuditRecord,
  rules: RulesThen,
): Counterfactual[] {
  if (by === 'capability' || by === 'level') return []
  const named: Counterfactual[] = []
  const later = nextAllowed(start, record, rules)
  if (later === 'too long')
    named.push({
      change: 'the call came at another time',
      outcome: 'not_judged',
      result: 'not tried: the policies are too long to judge every hour of a week',
    })
  else if (later !== undefined)
    named.push(stated(`the call came at ${later}, under the same rules`, { kind: 'passes' }))
  if (start.level < 2) {
    const level = start.level === 0 ? 1 : 2
    const verdict = judgeGate(record, { ...start, level }, rules)
    if (verdict.kind === 'passes') named.push(stated(`the caller were at L${level}`, verdict))
  }
  return named
}

/** What follows from a verdict, in words. */
function stated(change: string, verdict: Verdict): Counterfactual {
  if (verdict.kind === 'passes') return { change, outcome: 'passes', result: 'stage 4 would have passed' }
  if (verdict.kind === 'open')
    return { change, outcome: 'not_judged', result: `cannot be judged again: ${lackText(verdict.lacks)}` }
  const { stage, code, reason } = verdict
  return {
    change,
    outcome: 'refused_next',
    result: `then refused at stage ${stage} with ${code}: ${reason}`,
    next: { stage, code, reason },
  }
}

const lack_words: Readonly<Record<string, string>> = {
  input: 'policies read the input, and the audit log does not hold it',
  policies: 'the policies of that time are not stored',
  operation: 'the operation is not served any more',
  partner: 'the rules of the other organization are not in this log',
  administrator: 'whether the caller was an administrator then is not in the record',
  charter: 'whether the caller sat in the charter then is not in the record',
}

function lackText(lacks: readonly string[]): string {
  const [first = ''] = lacks
  return lack_words[first] ?? `policies read ${lacks.join(', ')}, which the record does not hold`
}

/** A call to another organization without a treaty: with one, the caller's own rules would have run next. */
export function grantedAbroad(record: AuditRecord, rules: RulesThen): Counterfactual[] {
  const start = situationOf(record)
  if (!start) return []
  const verdict = judgeGate(record, { ...start, grant: String(record.meta.capability) }, rules)
  return [stated('an active treaty granted the capability', verdict)]
}

/** An allowed call, without what granted it. */
export function withoutGrant({ meta }: AuditRecord): Counterfactual[] {
  const { capability, grant, grant_source } = meta
  if (grant_source === 'open' || typeof capability !== 'string' || typeof grant !== 'string') return []
  if (!covers(grant, capability)) return []
  const next = { stage: 4, code: 'capability_denied', reason: 'no matching capability' }
  return [
    {
      change: `${capability} had not been granted`,
      outcome: 'refused_next',
      result: 'refused at stage 4 with capability_denied',
      next,
    },
  ]
}
