// The policies of the demo's organizations, each with its reason.
export interface Rule {
  readonly rationale: string
  readonly body: string
}

export const night: Rule = {
  rationale: 'Whoever checks customs papers works from 5 to 22 UTC; what is prepared at night waits unread.',
  body: `@reason("customs papers are prepared between 5 and 22 UTC") @appeal("MOOT")
forbid(principal, action, resource)
when { resource.protocol == "MAKER" && (context.hour < 5 || context.hour >= 22) };`,
}
export const payments: Rule = {
  rationale: 'After the double payment of March, finance looks at every large one before it leaves.',
  body: `@reason("payments above 5,000 USD are decided by finance") @approval("role:finance within 2d")
forbid(principal, action, resource)
when { resource.protocol == "MADE" && context has amount_micro_usd && context.amount_micro_usd > 5000000000 };`,
}
export const consent: Rule = {
  rationale: 'Insurance certificates bind us for years: a person agrees before one is issued.',
  body: `@approval("role:administrator within 7d")
forbid(principal, action, resource)
when { resource.protocol == "MADE" && resource.operation == "asset_definition_publish" };`,
}
