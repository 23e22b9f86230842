// What the demo's organizations watch: rules of alerts, and events that are posted to a receiver.
import type { Cast } from './cast.ts'

/** Low enough that an ordinary day of the demo has more. */
const refusals_a_day = 3

/** The rules that are offered to everybody, and one that fires. */
export async function watch({ members }: Cast): Promise<void> {
  const [first] = members
  const { suggestions } = await first!.call('MOTIF.list_alert_rules', {})
  for (const rule of suggestions) await first!.call('MOTIF.set_alert_rule', rule)
  await first!.call('MOTIF.set_alert_rule', {
    name: 'refusals-of-a-day',
    watches: 'refusals',
    above: refusals_a_day,
    window_minutes: 24 * 60,
    severity: 'warning',
  })
}

const posted = [
  ['alerts', ['AlertFired', 'AlertResolved']],
  ['treaties', ['TreatyProposed', 'TreatyActivated']],
] as const

export async function post({ members }: Cast, receiver_url: string): Promise<void> {
  for (const [name, event_types] of posted)
    await members[0]!.call('MAX.set_webhook', { name, address: `${receiver_url}/${name}`, event_types })
}
