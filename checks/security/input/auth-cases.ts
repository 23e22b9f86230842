// Claimed identities: wrong, missing and duplicate credentials, and identities a caller makes up.
import { localAdmin } from '@svc/contract/identity/identity'
import { type BadCase, type Cast, envelopeCase, headersOf, requestOf, soundEnvelope } from './bad-case.ts'

const secret = 'A'.repeat(43)

function keyCase(name: string, authorization: (cast: Cast) => string | undefined): BadCase {
  const bytes = (cast: Cast) => {
    const value = authorization(cast)
    const others = headersOf(cast.acme).slice(1)
    return requestOf(cast.acme, {
      headers: value === undefined ? others : [['Authorization', value], ...others],
    })
  }
  return { name, code: 'unauthenticated', audit_log: 'operator', bytes }
}

function didCase(name: string, did: (cast: Cast) => string | undefined): BadCase {
  const bytes = (cast: Cast) => {
    const value = did(cast)
    const others = headersOf(cast.acme).filter(([header]) => header !== 'X-Agent-Did')
    return requestOf(cast.acme, {
      headers: value === undefined ? others : [...others, ['X-Agent-Did', value]],
    })
  }
  return { name, code: 'unauthenticated', audit_log: 'acme', bytes }
}

const keys: BadCase[] = [
  keyCase('no credential', () => undefined),
  keyCase('an empty credential', () => ''),
  keyCase('another scheme', ({ acme }) => `Basic ${Buffer.from(acme.api_key).toString('base64')}`),
  keyCase('a scheme without a key', () => 'Bearer'),
  keyCase('a key without a scheme', ({ acme }) => acme.api_key),
  keyCase('two spaces', ({ acme }) => `Bearer  ${acme.api_key}`),
  keyCase('two keys in one', ({ acme, rival }) => `Bearer ${acme.api_key}, ${rival.api_key}`),
  keyCase('a key in quotes', ({ acme }) => `Bearer "${acme.api_key}"`),
  keyCase('a key and more', ({ acme }) => `Bearer ${acme.api_key}x`),
  keyCase('a key cut short', ({ acme }) => `Bearer ${acme.api_key.slice(0, -1)}`),
  keyCase('a wrong secret', ({ acme }) => `Bearer svc_test_${acme.key_id}_${secret}`),
  keyCase(
    "another key's secret",
    ({ acme, rival }) => `Bearer svc_test_${acme.key_id}_${rival.api_key.slice(-43)}`,
  ),
  keyCase('an unknown key', () => `Bearer svc_test_zzzzzzzz_${secret}`),
  keyCase(
    'an id in capitals',
    ({ acme }) => `Bearer ${acme.api_key.replace(acme.key_id, acme.key_id.toUpperCase())}`,
  ),
  keyCase('an id with a quote', () => `Bearer svc_test_aaaa'--a_${secret}`),
  keyCase('a prototype for an id', () => `Bearer svc_test___proto__${secret}`),
  keyCase('no key at all but svc', () => 'Bearer svc'),
  keyCase('a token of another kind', () => 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhY21lIn0.'),
  keyCase('a very long key', () => `Bearer ${'x'.repeat(10_000)}`),
  keyCase('bytes beyond ASCII', ({ acme }) => `Bearer ${acme.api_key}\u00e9`),
]

const dids: BadCase[] = [
  didCase('no DID', () => undefined),
  didCase('an empty DID', () => ''),
  didCase("another tenant's DID", ({ rival }) => rival.agent_did),
  didCase("another agent's DID", ({ powerless }) => powerless.agent_did),
  didCase('a DID in capitals', ({ acme }) => acme.agent_did.toUpperCase()),
  didCase('a DID and more', ({ acme }) => `${acme.agent_did}0`),
  didCase('two DIDs in one', ({ acme, rival }) => `${acme.agent_did}, ${rival.agent_did}`),
  didCase('a service of the operator', () => `did:oas:operator:service:${'0'.repeat(64)}`),
  didCase('a human root', ({ acme }) => acme.agent_did.replace(':agent:', ':human-root:')),
  didCase('local admin', () => 'local-admin'),
  didCase('no DID at all but text', () => '{"local_admin":true}'),
  didCase('a terminal escape', () => 'did:oas:acme:agent:\u009b31m'),
]

const doubled: BadCase[] = ['Authorization', 'X-Agent-Did', 'Content-Type', 'Idempotency-Key'].flatMap(
  (name) =>
    ['same', 'other'].map((which) => ({
      name: `${name} twice, the ${which} value`,
      code: 'invalid_request' as const,
      audit_log: 'operator' as const,
      bytes: ({ acme, rival }: Cast) => {
        const value = (caller: Cast['acme']) =>
          headersOf(caller).find(([header]) => header === name)?.[1] ?? caller.key_id
        const others = headersOf(acme).filter(([header]) => header !== name)
        const second =
          which === 'same' ? value(acme) : `${value(rival)}${name === 'Content-Type' ? ';a=b' : ''}`
        return requestOf(acme, { headers: [...others, [name, value(acme)], [name.toLowerCase(), second]] })
      },
    })),
)

function otherCaller(
  name: string,
  who: (cast: Cast) => Cast['acme'],
  as: (cast: Cast) => Cast['acme'],
  audit_log: BadCase['audit_log'] = 'acme',
): BadCase {
  const bytes = (cast: Cast) => {
    const [, ...others] = headersOf(as(cast))
    return requestOf(cast.acme, { headers: [['Authorization', `Bearer ${who(cast).api_key}`], ...others] })
  }
  return { name, code: 'unauthenticated', audit_log, bytes }
}

const callers: BadCase[] = [
  otherCaller(
    'an expired key',
    ({ expired }) => expired,
    ({ expired }) => expired,
  ),
  otherCaller(
    'a revoked key',
    ({ revoked }) => revoked,
    ({ revoked }) => revoked,
  ),
  otherCaller(
    "a rival's key for our DID",
    ({ rival }) => rival,
    ({ acme }) => acme,
    'rival',
  ),
  otherCaller(
    "an expired key and a good caller's DID",
    ({ expired }) => expired,
    ({ acme }) => acme,
  ),
]

/** A caller without capabilities claims everywhere to have all of them. */
function madeUp(
  name: string,
  more: { headers?: [string, string][]; body?: (cast: Cast) => object },
): BadCase {
  const bytes = (cast: Cast) => {
    const body = JSON.stringify({ ...soundEnvelope(cast.acme), ...more.body?.(cast) })
    return requestOf(cast.powerless, {
      headers: [...headersOf(cast.powerless), ...(more.headers ?? [])],
      body,
    })
  }
  return { name, code: 'capability_denied', audit_log: 'acme', bytes }
}

const made_up: BadCase[] = [
  madeUp('a caller without the capability', {}),
  madeUp('an identity in the envelope', {
    body: ({ powerless }) => ({ invoke_context: { resolved_identity: localAdmin(powerless.agent_did) } }),
  }),
  madeUp("another's identity in the envelope", {
    body: ({ acme }) => ({
      invoke_context: { agent_did: acme.agent_did, resolved_identity: localAdmin(acme.agent_did) },
    }),
  }),
  madeUp('powers in the metadata', {
    body: () => ({
      invoke_context: { metadata: { local_admin: true, caller_did: 'x', capabilities: ['svc.*.*'] } },
    }),
  }),
  // A context has no such field, and of two credentials neither counts.
  {
    ...madeUp('powers in the context', { body: () => ({ invoke_context: { local_admin: true } }) }),
    code: 'invalid_request',
  },
  {
    ...madeUp('powers in X-SVC-Context', { headers: [['X-SVC-Context', 'local_admin=true']] }),
    code: 'unauthenticated',
    audit_log: 'operator',
  },
  madeUp('another tenant in the context', { body: () => ({ invoke_context: { tenant_id: 'rival' } }) }),
  ...['X-Local-Admin', 'X-SVC-Origin', 'X-Forwarded-User', 'X-Agent_Did', 'Cookie'].map((header) =>
    madeUp(`powers in ${header}`, { headers: [[header, 'svc_session=admin; local_admin=true']] }),
  ),
]

const tenant_of_context: BadCase = envelopeCase(
  'another tenant beside a matching context',
  'capability_denied',
  () => ({
    tenant_id: 'rival',
    invoke_context: { tenant_id: 'acme' },
  }),
)

export const auth_cases: readonly BadCase[] = [
  ...keys,
  ...dids,
  ...doubled,
  ...callers,
  ...made_up,
  tenant_of_context,
]
