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

export const approval_needed =
  'Somebody else in your organization has made a call that waits for your approval ([how](../../docs/approvals.md)).'

export const approval_example = '6f1c2f0e-93a4-4c1e-8f43-2f0a5f1c7a10'

export const approval_asked: readonly SceneStep[] = [
  {
    call: 'MAXIM.approvals',
    input: { side: 'to_decide', state: 'PENDING' },
    answer: { items: [{ approval_id: approval_example }] },
  },
]
