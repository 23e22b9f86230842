// Every field of the envelope missing, of a wrong type, too long, or naming something unknown.
import { type BadCase, envelopeCase, requestOf, soundEnvelope } from './bad-case.ts'

const text_fields = ['protocol', 'version', 'operation', 'tenant_id', 'idempotency_key']

const no_text: Readonly<Record<string, unknown>> = {
  'is null': null,
  'is a number': 7,
  'is true': true,
  'is a list': [],
  'is an object': {},
  'is empty': '',
  'is too long': 'x'.repeat(300),
  'holds a line break': 'a\nb',
  'holds a terminal escape': '\u001b[31mred',
  'is beyond ASCII': 'MÅX',
  'holds a letter that looks like another': 'M\u0410X',
  'holds an invisible character': 'MAX\u200b',
}

const wrong_text: BadCase[] = text_fields.flatMap((field) =>
  Object.entries(no_text).map(([what, value]) =>
    envelopeCase(`${field} ${what}`, 'invalid_request', () => ({ [field]: value })),
  ),
)

const missing: BadCase[] = ['protocol', 'version', 'operation', 'tenant_id', 'input'].map((field) =>
  envelopeCase(`${field} is missing`, 'invalid_request', () => ({ [field]: undefined })),
)

const extra: BadCase[] = [
  'extra',
  'Protocol',
  'constructor',
  'toString',
  'local_admin',
  'caller_did',
  '',
].map((field) =>
  envelopeCase(`an extra field ${JSON.stringify(field)}`, 'invalid_request', () => ({ [field]: 1 })),
)

const contexts: readonly unknown[] = [
  null,
  7,
  [],
  'x',
  { correlation_id: 'x' },
  { correlation_id: '5F0C1D6E-8A52-4B8F-9D5E-0D9C1D1F7A10' },
  { timestamp: 'yesterday' },
  { metadata: [] },
  { trace_context: {} },
  { trace_context: { traceparent: 'x'.repeat(65) } },
  { agent_did: 7 },
  { tenant_id: 7 },
  { resolved_identity: {} },
]

const wrong_context: BadCase[] = contexts.map((invoke_context) =>
  envelopeCase(`invoke_context ${JSON.stringify(invoke_context)}`, 'invalid_request', () => ({
    invoke_context,
  })),
)

const unknown_names: BadCase[] = [
  ...['NOPE', '__proto__', 'constructor', 'toString', 'PROBE ', 'PR0BE', '*', "PROBE'--"].map((protocol) =>
    envelopeCase(`protocol ${protocol}`, 'unknown_protocol', () => ({ protocol })),
  ),
  ...['v9', 'v1.0.0.0', 'V1', 'v1.0.0-', 'v1 ', '__proto__', 'v99999999999999999999'].map((version) =>
    envelopeCase(`version ${version}`, 'unknown_version', () => ({ version })),
  ),
  ...['nope', '__proto__', 'constructor', 'hasOwnProperty', 'Look', 'look ', 'look.look', 'valueOf'].map(
    (operation) => envelopeCase(`operation ${operation}`, 'unknown_operation', () => ({ operation })),
  ),
]

const other_tenants: BadCase[] = [
  'rival',
  'operator',
  'nobody',
  'ACME',
  'acme ',
  '../acme',
  "acme' OR '1",
  '*',
].map((tenant_id) => envelopeCase(`tenant ${tenant_id}`, 'capability_denied', () => ({ tenant_id })))

const wrong_inputs: BadCase[] = [null, 7, 'x', true, [], [{}], { extra: 1 }, { toString: 1 }, { '': {} }].map(
  (input) => envelopeCase(`input ${JSON.stringify(input)}`, 'invalid_payload', () => ({ input })),
)

/** A module's error text must not choose the refusal. */
const keywords = ['timeout', 'invalid', 'adapter', 'missing capability', 'rate limit', 'not found', 'Refusal']

const broken_modules: BadCase[] = keywords.map((word) =>
  envelopeCase(`a module breaks saying ${word}`, 'internal', () => ({
    operation: 'fail',
    input: { text: word },
  })),
)

const two_keys: BadCase = {
  name: 'two idempotency keys that differ',
  code: 'idempotency_key_reused',
  audit_log: 'acme',
  bytes: ({ acme }) =>
    requestOf(acme, {
      headers: [
        ['Authorization', `Bearer ${acme.api_key}`],
        ['X-Agent-Did', acme.agent_did],
        ['Content-Type', 'application/json'],
        ['Idempotency-Key', 'one'],
      ],
      body: JSON.stringify({ ...soundEnvelope(acme), idempotency_key: 'two' }),
    }),
}

export const envelope_cases: readonly BadCase[] = [
  ...wrong_text,
  ...missing,
  ...extra,
  ...wrong_context,
  ...unknown_names,
  ...other_tenants,
  ...wrong_inputs,
  ...broken_modules,
  two_keys,
]
