// Budgets of a single engine, in its own memory. Nobody waits once a purse was used.
import type { PurseState } from '@svc/contract/needs/budgets'
import { type Refusal, unavailable } from '@svc/contract/refusal'
import type { Take } from '@svc/engine/call'
import type { Purses } from '@svc/engine/ports'
import { type Counts, finish, holdAll, isFree, isUnderWay, type OwnPurse, wholeOf } from './own-counter.ts'
import { type KeptPurses, keptPurses } from './stored-counters.ts'
import { readTruth, type TruthParts } from './truth.ts'

/** A purse is known once it was read; only one that is forgotten at once is asked for again. */
const tries_max = 3

interface MemoryPurse extends OwnPurse {
  /** What is to be added to what was counted here: undefined until it was read. */
  elsewhere: bigint | undefined
  reading: Promise<void> | undefined
}

export function memoryPurses(parts: TruthParts): Purses {
  const kept = keptPurses<MemoryPurse>((own) => ({ ...own, elsewhere: undefined, reading: undefined }))
  const learn = (purse: MemoryPurse) => (purse.reading ??= read(parts, kept, purse))
  const reserve = (tenant_id: string, takes: readonly Take[], take: boolean, tries = 0): Reserved => {
    const bound = takes.some(isFree) ? takes.filter((wanted) => !isFree(wanted)) : takes
    const purses: MemoryPurse[] = []
    const unread: MemoryPurse[] = []
    for (const { purse, counts } of bound) {
      const found = kept.open(tenant_id, purse, counts)
      if (!found || tries === tries_max) throw tooMany()
      if (found.elsewhere === undefined) unread.push(found)
      purses.push(found)
    }
    if (unread.length > 0)
      return Promise.all(unread.map(learn)).then(() => reserve(tenant_id, takes, take, tries + 1))
    const lacking = holdAll(purses, bound, roomIn, take)
    if (!lacking && take) for (const purse of purses) if (isUnderWay(purse)) kept.pin(purse)
    return lacking
  }
  const look = <Seen>(tenant_id: string, purse: string, counts: Counts, see: (own: MemoryPurse) => Seen) => {
    const found = kept.open(tenant_id, purse, counts)
    if (!found) throw tooMany()
    return found.elsewhere === undefined ? learn(found).then(() => see(found)) : see(found)
  }
  return {
    reserve: (tenant_id, takes, take) => reserve(tenant_id, takes, take),
    settle(tenant_id, takes, quanta) {
      for (const wanted of takes) {
        const purse = kept.find(tenant_id, wanted.purse, wanted.counts)
        // One that nobody asked about is not followed: it will be read with this in it.
        if (!purse) continue
        finish(purse, wanted, quanta)
        if (!isUnderWay(purse)) kept.unpin(purse)
      }
    },
    state: (tenant_id, purse) => look(tenant_id, purse, 'usd', stateOf),
    calls: (tenant_id, purse) => look(tenant_id, purse, 'calls', spentOf),
  }
}

function tooMany(): Refusal {
  return unavailable('budget', new Error('too many budget counters are in use'))
}

type Reserved = Take | undefined | Promise<Take | undefined>

async function read(parts: TruthParts, kept: KeptPurses<MemoryPurse>, purse: MemoryPurse): Promise<void> {
  kept.pin(purse)
  try {
    const truth = await readTruth(parts, purse)
    purse.elsewhere = truth.spent - truth.own
  } finally {
    purse.reading = undefined
    if (!isUnderWay(purse)) kept.unpin(purse)
  }
}

function spentOf({ counts, exact, elsewhere = 0n }: MemoryPurse): bigint {
  return wholeOf(counts, exact + elsewhere)
}

function roomIn(purse: MemoryPurse, limit: bigint): bigint {
  return limit - spentOf(purse) - purse.reserved
}

function stateOf(purse: MemoryPurse): PurseState {
  return { spent_micro_usd: spentOf(purse), reserved_micro_usd: purse.reserved }
}
