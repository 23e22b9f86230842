// The usage of an organization, for the operator that bills it: its log is closed to others.
import type { UsageEvents } from '../money/usage.ts'

export interface Metering {
  /** Refused unless the caller's organization asks for its own or is the operator. */
  eventsOf(tenant_id: string): UsageEvents
  /** Hashes the events of ended hours now, so that closing a period need not. */
  keepHours(tenant_id: string): Promise<void>
}
