// Events come from the outbox and records from the journal; here they get one order.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { PendingEntry } from '../chain/chain.ts'

/** How an event names its record, from the closest to the loosest. The events of a call have its time, whatever they name besides. */
const names: readonly ((entry: AuditEntry) => string)[] = [
  (entry) => `${entry.correlation_id} ${callOf(entry)}`,
  ({ correlation_id, timestamp, caller_did }) => `${correlation_id} ${timestamp} ${caller_did}`,
  callOf,
]

/**
 * An operation's events go directly before its record. An event whose record is not in the batch goes before the first call that began
 * later, and never behind an event of its tenant that came after it.
 */
export function mergeEvents(
  events: readonly PendingEntry[],
  records: readonly PendingEntry[],
): readonly PendingEntry[] {
  if (events.length === 0) return records
  const places = names.map((nameOf) => ({ nameOf, of: firstPlaces(records, nameOf) }))
  const before = new Map<number, PendingEntry[]>()
  const next_of_tenant = new Map<string, number>()
  for (const event of events.toReversed()) {
    const { entry } = event
    const { tenant_id } = entry
    const of_record = places
      .map(({ nameOf, of }) => of.get(nameOf(entry)))
      .find((place) => place !== undefined)
    const place =
      of_record ?? Math.min(placeByTime(entry, records), next_of_tenant.get(tenant_id) ?? records.length)
    next_of_tenant.set(tenant_id, place)
    const siblings = before.get(place)
    if (siblings) siblings.push(event)
    else before.set(place, [event])
  }
  const eventsBefore = (place: number) => before.get(place)?.toReversed() ?? []
  const merged = records.flatMap((record, place) => [...eventsBefore(place), record])
  return [...merged, ...eventsBefore(records.length)]
}

function callOf({ timestamp, caller_did, protocol, operation }: AuditEntry): string {
  return `${timestamp} ${caller_did} ${protocol} ${operation}`
}

function firstPlaces(
  records: readonly PendingEntry[],
  nameOf: (entry: AuditEntry) => string,
): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const [place, { entry }] of records.entries()) {
    const name = nameOf(entry)
    if (!places.has(name)) places.set(name, place)
  }
  return places
}

function placeByTime({ timestamp }: AuditEntry, records: readonly PendingEntry[]): number {
  const place = records.findIndex(({ entry }) => entry.timestamp > timestamp)
  return place === -1 ? records.length : place
}
