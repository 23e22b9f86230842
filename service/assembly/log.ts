// Logs JSON lines to stderr (stdout is for a command's output). Secrets and contents are removed wherever they occur.
import type { Log } from '@svc/engine/ports'
import { type DestinationStream, pino, stdSerializers } from 'pino'

export interface LiveLog extends Log {
  level: string
}

const depth_max = 8
const cut_out = '[secret]'

/** Names in lower case without dashes and underscores. */
const secret_names: ReadonlySet<string> = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'xsvccsrf',
  'csrftoken',
  'xsvccontext',
  'apikey',
  'secret',
  'clientsecret',
  'masterkey',
  'privatekey',
  'password',
  'passphrase',
  'token',
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'codeverifier',
  'input',
  'output',
  'payload',
])

/** Secrets within a sentence: API keys, secrets of webhooks, tokens, header credentials, PEM keys. The patterns are bounded, so that no line is slow. */
const secret_forms = [
  /svc_(?:live|test)_[\w-]{8,128}/g,
  /whsec_[\w+/=-]{8,128}/g,
  /(?<![\w-])eyJ[\w-]{8,4096}\.[\w-]{8,8192}\.[\w-]{0,1024}/g,
  /\b(?:Bearer|Basic) [\w.~+/=-]{8,8192}/gi,
  /-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----[^-]{0,8192}-----END/g,
]
const address_password = /(:\/\/[^\s/:@"]{0,256}:)[^\s/"]{1,256}@/g

export function openLog(level: string, destination: DestinationStream = pino.destination(2)): LiveLog {
  return pino(
    {
      level,
      base: { service: 'svc-engine' },
      formatters: { log: (fields) => withoutSecrets(fields, 0) as Record<string, unknown> },
      serializers: { err: describeError },
      hooks: { streamWrite: cutForms },
    },
    destination,
  ) as unknown as LiveLog
}

function cutForms(line: string): string {
  const cut = secret_forms.reduce((text, form) => text.replace(form, cut_out), line)
  return cut.replace(address_password, `$1${cut_out}@`)
}

/** Only plain objects are searched; other objects have their own serializers. */
function withoutSecrets(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth >= depth_max) return '[deep]'
  if (value instanceof Error) return describeError(value)
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1))
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const is_secret = secret_names.has(name.toLowerCase().replaceAll(/[-_]/g, ''))
      return [name, is_secret ? cut_out : withoutSecrets(inner, depth + 1)]
    }),
  )
}

/** PostgreSQL's data errors quote the data: the row in the detail, the value in the message. */
const about_data = /^22[0-9A-Z]{3}$/
const causes_max = 8

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return withoutSecrets(error, 0)
  const { type, message, stack } = stdSerializers.err(error)
  const { code } = error as { code?: unknown }
  const sentences = aboutData(error)
  // The quoted value may contain quotes, so everything from the first to the last quote is removed.
  const cut = (text: string) =>
    sentences.reduce(
      (left, sentence) => left.replaceAll(sentence, () => sentence.replace(/".*"/s, '"…"')),
      text,
    )
  return { type, message: cut(message), stack: cut(stack), ...(typeof code === 'string' && { code }) }
}

/** The messages of an error and its causes that quote data. */
function aboutData(error: Error): string[] {
  const sentences: string[] = []
  let at: unknown = error
  for (let depth = 0; at instanceof Error && depth < causes_max; depth++, at = at.cause) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string' && about_data.test(code) && at.message) sentences.push(at.message)
  }
  return sentences
}
