// Law at work: what stands between organizations, what each forbids, who decides for it, and what becomes of all that by the clock.
import type { Database } from '@svc/contract/operation-context'
import type { Authorizer, Log, Policies, Treaties } from '@svc/engine/ports'
import { requireAuthority } from '@svc/protocols/governance/authority'
import { every } from './tick.ts'

const sweep_every_ms = 1_000

/** What is due by the clock although nobody asks: each in bounded batches, and harmless where another engine was faster. */
const sweeps: readonly ((db: Database, now: Date) => Promise<number>)[] = []

export interface Governance {
  readonly treaties: Treaties
  readonly policies: Policies
  readonly authorizer: Authorizer
}

interface Parts {
  readonly db: Database
  readonly now: () => Date
  readonly log: Log
}

export function openGovernance({ db, now, log }: Parts, closing: (() => Promise<unknown>)[]): Governance {
  const timers = sweeps.map((sweep) => every(sweep_every_ms, () => sweep(db, now()), log))
  closing.push(async () => {
    for (const timer of timers) clearInterval(timer)
  })
  return {
    treaties: { find: async () => undefined, between: () => [] },
    policies: {
      judge() {
        throw new Error('no rules can be judged yet')
      },
      get cedar(): never {
        throw new Error('no rules can be judged yet')
      },
    },
    authorizer: requireAuthority,
  }
}
