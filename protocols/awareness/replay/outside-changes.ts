// Changes that no record can try: of inputs, budgets and states that the log does not hold. They are named, and said not to be judged.
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { Counterfactual } from './counterfactuals.ts'

interface Outside {
  readonly change: string
  readonly lacks: string
}

const holdings = 'what the caller held otherwise is not in the record'
const spent = 'what was spent and reserved then is not in the record'

/** By the reason of the refusal. */
const outside: Readonly<Record<string, Outside>> = {
  schema: {
    change: 'the input fitted the published schema',
    lacks: 'the audit log does not hold the input',
  },
  'identity suspended': { change: 'the identity were resumed', lacks: holdings },
  'not in the key': { change: 'another key were used, made with this capability', lacks: holdings },
  'key with a budget': { change: 'a key without a budget were used', lacks: holdings },
  "not in the plugin's manifest": {
    change: 'the manifest of the plugin listed the capability',
    lacks: holdings,
  },
  'session under a delegation': {
    change: 'the caller proved itself without the delegation',
    lacks: 'the treaties of that time are not in the record',
  },
  'not an administrator': {
    change: 'an administrator made the call',
    lacks: 'who else could have called is not in the record',
  },
  'tenant runway exhausted': { change: 'the runway were topped up by what the call may cost', lacks: spent },
  'envelope day limit reached': {
    change: "the envelope's day limit were higher by what the call may cost",
    lacks: spent,
  },
  'envelope month limit reached': {
    change: "the envelope's month limit were higher by what the call may cost",
    lacks: spent,
  },
  'key budget reached': { change: 'the key might spend more a week', lacks: spent },
  'capability max_per_call_bps exceeded': {
    change: 'the grant allowed a larger share of the budget for a call',
    lacks: spent,
  },
}

export function outsideChanges({ meta }: AuditRecord): Counterfactual[] {
  const reason = String(meta.reason)
  if (reason.startsWith('held: '))
    return [notJudged('the hold were released', 'what the budgets held then is not in the record')]
  const row = Object.hasOwn(outside, reason) ? outside[reason] : undefined
  return row ? [notJudged(row.change, row.lacks)] : []
}

export function notJudged(change: string, lacks: string): Counterfactual {
  return { change, outcome: 'not_judged', result: `cannot be judged again: ${lacks}` }
}
