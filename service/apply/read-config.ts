// Reads the configuration file of svc-engine apply: one closed YAML document. Each fault is one sentence with its line.
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { normalLogin, requireLogin } from '@svc/adapters/accounts/users'
import { closest } from '@svc/contract/closest'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml'
import { ConfigError } from '../settings/config-error.ts'
import { Configuration } from './config-schema.ts'

const file_bytes_max = 4 * 1024 * 1024

export interface ReadConfig {
  readonly config: Configuration
  readonly sha256: string
  /** Paths in the file are seen from its folder. */
  pathOf(path: string): string
}

/** Where something stands in the file: names of fields and numbers of list entries. */
type Path = readonly (string | number)[]

interface Text {
  readonly file: string
  readonly document: Document
  readonly lines: LineCounter
}

const shape = Compile(Configuration)

export function readConfig(file: string): ReadConfig {
  const text = readText(file)
  const config = parseConfig(file, text)
  return { config, sha256: sha256Hex(text), pathOf: (path) => resolve(dirname(file), path) }
}

function readText(file: string): string {
  try {
    if (statSync(file).size > file_bytes_max) throw new Error(`it is larger than ${file_bytes_max} bytes`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}.`)
  }
}

export function parseConfig(file: string, source: string): Configuration {
  const text = parseYaml(file, source)
  const value: unknown = plain(text)
  if (!shape.Check(value)) throw faultOf(text, value, shape.Errors(value))
  requireEachOnce(text, value)
  return value
}

/** Strict YAML 1.2 without aliases and tags: a file says what it says, and does not grow when it is read. */
function parseYaml(file: string, source: string): Text {
  const lines = new LineCounter()
  let document: Document
  try {
    document = parseDocument(source, {
      lineCounter: lines,
      version: '1.2',
      schema: 'core',
      prettyErrors: false,
    })
  } catch (error) {
    throw new ConfigError(`${file} cannot be read as YAML: ${(error as Error).message}.`)
  }
  const [fault] = [...document.errors, ...document.warnings]
  if (!fault) return { file, document, lines }
  const { line } = lines.linePos(fault.pos[0])
  throw new ConfigError(`${file}, line ${line}: this is not valid YAML: ${fault.message.replace(/\.$/, '')}.`)
}

function plain({ file, document }: Text): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 })
  } catch (error) {
    throw new ConfigError(
      `${file} has an alias (*name) or is nested too deeply: ${(error as Error).message}.`,
    )
  }
}

function faultOf(text: Text, value: unknown, errors: readonly TLocalizedValidationError[]): ConfigError {
  // A field that does not exist explains most other faults.
  const error = errors.find(({ keyword }) => keyword === 'boolean') ?? errors[0]!
  const path = pathOf(error.instancePath, value)
  if (error.keyword === 'boolean') return unknownField(text, path, error.schemaPath)
  if (error.keyword === 'required') {
    const [name] = (error.params as { requiredProperties: string[] }).requiredProperties
    return sentence(text, path, `${placeOf(path)} lacks ${name}.`)
  }
  const { description, enum: values } = schemaAt(error.schemaPath)
  const rule = values ? `it may be ${values.join(', ')}` : (description ?? error.message)
  return sentence(text, path, `${placeOf(path)} is not valid: ${rule.replace(/\.$/, '')}.`)
}

function unknownField(text: Text, path: Path, schema_path: string): ConfigError {
  const [place, name] = [placeOf(path.slice(0, -1)), shown(String(path.at(-1)))]
  const { properties } = schemaAt(schema_path.replace(/\/additionalProperties$/, ''))
  if (!properties) return sentence(text, path, `${place} cannot have the name ${name}.`)
  const names = Object.keys(properties)
  const hint = closest(name, names)
  const advice = hint ? `did you mean ${hint}?` : `it may have ${names.join(', ')}.`
  return sentence(text, path, `${place} has no field ${name}; ${advice}`)
}

interface SchemaFacts {
  readonly properties?: object
  readonly patternProperties?: object
  readonly description?: string
  readonly enum?: readonly string[]
}

/** The nearest schema on the way to this place that describes itself. */
function schemaAt(schema_path: string): SchemaFacts {
  let schema: unknown = Configuration
  let facts: SchemaFacts = {}
  for (const part of schema_path.split('/').slice(1)) {
    schema = (schema as Record<string, unknown> | undefined)?.[
      part.replaceAll('~1', '/').replaceAll('~0', '~')
    ]
    const { description, properties, patternProperties, enum: values } = (schema ?? {}) as SchemaFacts
    if (description ?? properties ?? patternProperties ?? values) facts = schema as SchemaFacts
  }
  return schema_path === '#' ? Configuration : facts
}

function pathOf(pointer: string, value: unknown): Path {
  let at: unknown = value
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      const step = Array.isArray(at) ? Number(name) : name
      at = (at as Record<string, unknown> | undefined)?.[name]
      return step
    })
}

/** `tenants[0].people`, or the file itself. */
function placeOf(path: Path): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${shown(step)}`)).join('')
  return text.replace(/^\./, '') || 'The file'
}

const shown_chars_max = 80

/** A name of the file, without what would redraw a terminal. */
function shown(name: string): string {
  return name.slice(0, shown_chars_max).replace(/[\p{Cc}\p{Cf}]/gu, '\ufffd')
}

function sentence(text: Text, path: Path, words: string): ConfigError {
  return new ConfigError(`${text.file}, line ${lineOf(text, path)}: ${words}`)
}

function lineOf({ document, lines }: Text, path: Path): number {
  const parent = document.getIn(path.slice(0, -1), true)
  const pair = isMap(parent)
    ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1))
    : undefined
  const node = pair?.key ?? document.getIn(path, true) ?? document.contents
  const offset = isNode(node) ? (node.range?.[0] ?? 0) : 0
  return lines.linePos(offset).line
}

/** What is declared twice would be changed to and fro. */
function requireEachOnce(
  text: Text,
  { tenants = [], protocols = [], witnesses = [], trusted_logs = [] }: Configuration,
): void {
  const once = <Entry>(path: Path, entries: readonly Entry[], nameOf: (entry: Entry) => string) => {
    const names = new Set<string>()
    for (const [i, entry] of entries.entries()) {
      const name = nameOf(entry)
      if (names.has(name))
        throw sentence(text, [...path, i], `${placeOf([...path, i])} declares ${shown(name)} a second time.`)
      names.add(name)
    }
  }
  once(['tenants'], tenants, ({ id }) => id)
  for (const [i, { people = [], role_claims = [], keys = [], policies = [] }] of tenants.entries()) {
    const at = (name: string): Path => ['tenants', i, name]
    for (const [j, { login }] of people.entries()) requireSound(text, [...at('people'), j, 'login'], login)
    once(at('people'), people, ({ login }) => normalLogin(login))
    once(at('role_claims'), role_claims, (claim) => JSON.stringify(Object.entries(claim).sort()))
    once(at('keys'), keys, ({ label }) => label)
    once(at('policies'), policies, ({ id }) => id)
    for (const [j, { file, body }] of policies.entries())
      if ((file === undefined) === (body === undefined))
        throw sentence(
          text,
          [...at('policies'), j],
          `${placeOf([...at('policies'), j])} needs either file or body.`,
        )
  }
  once(['protocols'], protocols, ({ name }) => name.toUpperCase())
  for (const [i, { services = [] }] of protocols.entries())
    once(
      ['protocols', i, 'services'],
      services,
      ({ version, endpoint }) => `${version} at ${endpoint.replace(/\/$/, '')}`,
    )
  once(['witnesses'], witnesses, ({ key }) => key)
  once(['trusted_logs'], trusted_logs, ({ origin, public_key }) => `${origin} ${public_key}`)
}

function requireSound(text: Text, path: Path, login: string): void {
  try {
    requireLogin(login)
  } catch (error) {
    throw sentence(text, path, (error as Error).message)
  }
}
