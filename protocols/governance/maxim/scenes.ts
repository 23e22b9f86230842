// What comes before the examples of MAXIM: a policy in force.
import { type SceneStep, stand_ins } from '@svc/contract/scene'

export const market_hours = {
  policy_id: 'market-hours',
  policy_body:
    '@reason("the market is open from 9 to 17 UTC") @appeal("MOOT")\n' +
    'forbid(principal, action, resource)\n' +
    'when { resource.protocol == "MARKET" && (context.hour < 9 || context.hour >= 17) };',
  version: '1.0.0',
  rationale: 'Nobody watches the audit log at night.',
}

export const late_order = {
  principal_did: stand_ins.did,
  protocol: 'MARKET',
  operation: 'create_order',
  context: { hour: 20 },
}

export const policy_in_force: readonly SceneStep[] = [
  { call: 'MAXIM.author', input: { ...market_hours, active_from: stand_ins.a_minute_ago } },
]
