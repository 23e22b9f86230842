// Projections written in the chain writer's transaction: usage, cross-tenant calls and the history of calls always, grown chains if records go to Kafka.
import type { Config } from '../settings/config.ts'
import { fanOutProjections } from './fan-out.ts'

/** Every process that commits records must project them, also those of an orphaned journal. */
export function projectionsOf(config: Pick<Config, 'kafka'>): readonly string[] {
  return [
    import.meta.resolve('@svc/protocols/economic/usage/usage-projection'),
    import.meta.resolve('@svc/protocols/governance/moat/cross-tenant-projection'),
    import.meta.resolve('@svc/protocols/awareness/history/history-projection'),
    ...fanOutProjections(config),
  ]
}
