// What is written with every commit of the book, in the chain writer's own transaction: usage and what crossed borders always, whose chain grew where copies go to Kafka.
import type { Config } from '../settings/config.ts'
import { fanOutProjections } from './fan-out.ts'

/** Whoever commits records must project them, also those of a journal that was left behind. */
export function projectionsOf(config: Pick<Config, 'kafka'>): readonly string[] {
  return [
    import.meta.resolve('@svc/protocols/economic/usage/usage-projection'),
    import.meta.resolve('@svc/protocols/governance/moat/cross-tenant-projection'),
    ...fanOutProjections(config),
  ]
}
