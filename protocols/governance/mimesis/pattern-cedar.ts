// A pattern of refusals as Cedar text: a starting point for a council.
import type { Features } from '../precedents/api.ts'

const levels = { L0: 0, L1: 1, L2: 2 } as const
/** Maximum length of a policy's reason. */
const reason_length_max = 400

/** Undefined if a policy could see none of the pattern's features. */
export function suggestCedar(features: Features): string | undefined {
  const conditions = conditionsOf(features)
  if (conditions.length === 0) return undefined
  const reason = `as before: ${features.reason ?? 'refused'}`.slice(0, reason_length_max).toWellFormed()
  return `@reason(${quoted(reason)})
@appeal("MOOT")
forbid(principal, action == Svc::Action::"invoke", resource) when {
  ${conditions.join(' &&\n  ')}
};`
}

function conditionsOf(features: Features): string[] {
  const { protocol, operation, caller_kind, level, origin, hour_bucket, cross_org } = features
  const equal = (path: string, value: string | undefined) =>
    value === undefined ? [] : [`${path} == ${quoted(value)}`]
  return [
    ...equal('resource.protocol', protocol),
    ...equal('resource.operation', operation),
    ...equal('principal.kind', caller_kind),
    ...(level === undefined ? [] : [`principal.level == ${levels[level]}`]),
    ...equal('context.origin', origin),
    ...(hour_bucket === undefined ? [] : hoursOf(hour_bucket)),
    ...(cross_org === undefined ? [] : [`context.tenant ${cross_org ? '!=' : '=='} context.target_tenant`]),
  ]
}

function hoursOf(hour_bucket: string): string[] {
  const [from, to] = hour_bucket.split('-').map(Number)
  return [`context.hour >= ${from}`, `context.hour < ${to}`]
}

/** Unknown operation names come from callers, so they must not be able to end the string. */
function quoted(text: string): string {
  const safe = text.replace(/["\\]|[^\x20-\x7e]/gu, (char) =>
    char === '"' || char === '\\' ? `\\${char}` : `\\u{${char.codePointAt(0)!.toString(16)}}`,
  )
  return `"${safe}"`
}
