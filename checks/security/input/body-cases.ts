// Bodies that are not JSON, or JSON that is too costly to read.
import type { RefusalCode } from '@svc/contract/refusal'
import { type BadCase, type Cast, requestOf, soundBody, soundEnvelope } from './bad-case.ts'

function bodyCase(
  name: string,
  body: (cast: Cast) => string | Buffer,
  code: RefusalCode = 'invalid_request',
): BadCase {
  return { name, code, audit_log: 'acme', bytes: (cast) => requestOf(cast.acme, { body: body(cast) }) }
}

/** The valid envelope with this text as its input. */
function inputCase(name: string, input: string, code?: RefusalCode): BadCase {
  return bodyCase(name, ({ acme }) => soundBody(acme).replace('"input":{}', `"input":${input}`), code)
}

/** Also sent in bulk, to measure their effect on other callers. */
export const heavy_bodies: Readonly<Record<string, string>> = {
  'a million levels': '['.repeat(1_000_000),
  'a million levels, closed again': '['.repeat(1_000_000) + ']'.repeat(1_000_000),
  'a hundred thousand levels of objects': '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000),
  'three hundred thousand keys': `{${Array.from({ length: 300_000 }, (_, i) => `"k${i}":0`).join(',')}}`,
  'a million elements': `[${'0,'.repeat(999_999)}0]`,
  'keys up to the bound, one of them twice': `[${'{"a":0,"b":1},'.repeat(9_990)}{"a":0,"a":1}]`,
  'shapes up to the bound, one key twice': `[${Array.from({ length: 3_900 }, (_, i) => `{"k${i}":0}`).join(',')},{"a":0,"a":1}]`,
  'twenty thousand shapes': `[${Array.from({ length: 19_990 }, (_, i) => `{"k${i}":0}`).join(',')}]`,
  'five megabytes of text': `"${'x'.repeat(5 * 1024 * 1024)}"`,
  'five megabytes of escapes': `"${'\\u0041'.repeat(850_000)}"`,
  'five megabytes of white space': `{}${' '.repeat(5 * 1024 * 1024)}`,
  'five megabytes of quotes': '"",'.repeat(1_700_000),
  'a number of a million digits': '9'.repeat(1_000_000),
}

/** These are valid JSON; only the operation can reject their size. */
const read_whole = ['five megabytes of text', 'five megabytes of escapes']

const heavy: BadCase[] = Object.entries(heavy_bodies).map(([name, text]) =>
  inputCase(name, text, read_whole.includes(name) ? 'payload_too_large' : undefined),
)

const no_json: Readonly<Record<string, string | Buffer>> = {
  'an empty body': '',
  'white space': ' \n',
  'a list': '[]',
  'a list of calls': '[{},{}]',
  'a number': '7',
  'a text': '"x"',
  true: 'true',
  null: 'null',
  'an empty object': '{}',
  'half an object': '{"protocol":',
  'a text without end': '{"protocol":"PRO',
  'a comma too many': '{"protocol":"PROBE",}',
  'two values': '{}{}',
  'single quotes': "{'protocol':'PROBE'}",
  'bare keys': '{protocol:"PROBE"}',
  'a comment': '{/* */}',
  'a form': 'protocol=PROBE&operation=look',
  'a sequence mark': '\u001e{}',
  'a bare control character': '{"protocol":"\u0001"}',
  'a bare NUL': '{"protocol":"\u0000"}',
  'a mark in front': '\ufeff{}',
  'a byte that is no UTF-8': Buffer.from([0x22, 0xff, 0x22]),
  'an overlong NUL': Buffer.from([0x22, 0xc0, 0x80, 0x22]),
  'half a character': Buffer.from([0x22, 0xe2, 0x82, 0x22]),
  'a surrogate in UTF-8': Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  'UTF-16': Buffer.from('{}', 'utf16le'),
}

const malformed: BadCase[] = Object.entries(no_json).map(([name, body]) => bodyCase(name, () => body))

const trailing: BadCase[] = ['x', ',', '}', '\u0000', '\n{}', '//', '<!-- -->'].map((rest) =>
  bodyCase(`a sound call and then ${JSON.stringify(rest)}`, ({ acme }) => soundBody(acme) + rest),
)

const wrong_values: Readonly<Record<string, string>> = {
  'a level too many': '['.repeat(64) + ']'.repeat(64),
  'a key twice': '{"a":1,"a":2}',
  'a key twice deep inside': '{"a":[{"b":{"c":1,"c":1}}]}',
  'a key twice, once escaped': '{"a":1,"\\u0061":2}',
  'half a surrogate pair': '"\\ud83d"',
  'a pair the wrong way round': '"\\udd12\\ud83d"',
  'half a pair in a key': '{"\\ud800":1}',
  'an escaped NUL': '"\\u0000"',
  'an escaped NUL in a key': '{"\\u0000":1}',
  'a number past the largest': '1e400',
  'a number past the smallest': '-1e400',
  'an integer past 2^53': '9007199254740993',
  'an integer of 400 digits': '1'.repeat(400),
  'a prototype': '{"__proto__":{"polluted":true}}',
  'a prototype deep inside': '{"a":[{"__proto__":{"polluted":true}}]}',
  'a prototype, escaped': '{"\\u005f\\u005fproto__":{"polluted":true}}',
  NaN: 'NaN',
  Infinity: 'Infinity',
  'a plus sign': '+1',
  'a leading zero': '01',
  'a point without digits': '1.',
  'digits without a point': '.5',
  'a hexadecimal': '0x10',
  'an unknown escape': '"\\x41"',
  undefined: 'undefined',
}

const spoiled: BadCase[] = Object.entries(wrong_values).map(([name, text]) => inputCase(name, text))

/** Of duplicate keys only one would be seen. */
const doubled: BadCase = bodyCase('the envelope names its protocol twice', ({ acme }) =>
  JSON.stringify(soundEnvelope(acme)).replace('{', '{"protocol":"MAX",'),
)

const too_large: BadCase = bodyCase(
  'more than eight megabytes',
  () => 'x'.repeat(8 * 1024 * 1024 + 1),
  'payload_too_large',
)

export const body_cases: readonly BadCase[] = [
  ...heavy,
  ...malformed,
  ...trailing,
  ...spoiled,
  doubled,
  too_large,
]
