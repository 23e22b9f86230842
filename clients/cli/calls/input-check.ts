// Checks an input against its operation's schema before sending: what is wrong, where, and what was expected.
import { nearest } from '@svc/sdk/nearest'
import { choicesOf, type SchemaNode } from '../operations/schema-node.ts'

export interface InputFault {
  /** JSON Pointer into the input; empty for the whole. */
  readonly pointer: string
  readonly text: string
}

interface SchemaError {
  readonly keyword: string
  readonly schemaPath: string
  readonly instancePath: string
  readonly params: object
  readonly message: string
}

/** Forms by the start of their pattern: a description says what a field means, not how it is written. */
const text_forms = {
  '^\\d{4}-': 'RFC 3339 time in UTC',
  '^did:oas:': 'did:oas:<tenant>:<kind>:<64 hex>',
  '^[0-9a-f]{8}-': 'UUID in lower case',
  '^sha256:': 'sha256:<64 hex>',
}
/** The most faults reported at once. */
const errors_max = 200
const shown_chars_max = 40

export async function faultsOf(schema: SchemaNode, input: unknown): Promise<InputFault[]> {
  const [{ Errors }, { Settings }] = await Promise.all([import('typebox/schema'), import('typebox/system')])
  Settings.Set({ maxErrors: errors_max })
  const [, errors] = Errors(schema, input)
  const faults = new Map<string, InputFault>()
  for (const error of withoutWrongChoices(errors)) {
    for (const fault of describeError(error, schema, input))
      if (!faults.has(fault.pointer)) faults.set(fault.pointer, fault)
  }
  return [...faults.values()]
}

/**
 * For a union the validator reports why each form does not match. Only the form with the right type is useful; if none or
 * several have it, the forms are listed instead.
 */
function withoutWrongChoices(errors: readonly SchemaError[]): readonly SchemaError[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  return errors.filter((error) => {
    for (const choice of choices) {
      const branch = branchOf(error, choice)
      if (branch === undefined) {
        if (error === choice && meantBranch(errors, choice) !== undefined) return false
      } else if (branch !== meantBranch(errors, choice)) return false
    }
    return true
  })
}

function branchOf({ schemaPath }: SchemaError, choice: SchemaError): string | undefined {
  const prefix = `${choice.schemaPath}/${choice.keyword}/`
  return schemaPath.startsWith(prefix) ? schemaPath.slice(prefix.length).split('/', 1)[0] : undefined
}

function meantBranch(errors: readonly SchemaError[], choice: SchemaError): string | undefined {
  const branches = new Map<string, boolean>()
  for (const error of errors) {
    const branch = branchOf(error, choice)
    if (branch === undefined || !error.instancePath.startsWith(choice.instancePath)) continue
    const is_wrong_form =
      error.instancePath === choice.instancePath && ['type', 'const', 'enum'].includes(error.keyword)
    branches.set(branch, (branches.get(branch) ?? true) && !is_wrong_form)
  }
  const meant = [...branches].filter(([, is_right_form]) => is_right_form)
  return meant.length === 1 ? meant[0]![0] : undefined
}

function describeError(error: SchemaError, schema: SchemaNode, input: unknown): InputFault[] {
  const { keyword, instancePath, schemaPath, params } = error
  const node = at(schema, schemaPath.slice(1)) as SchemaNode | undefined
  const fields = Object.keys(node?.properties ?? {})
  if (keyword === 'required') {
    return (params as { requiredProperties: string[] }).requiredProperties.map((name) => ({
      pointer: `${instancePath}/${escapePointer(name)}`,
      text: `is required: ${expected(node?.properties?.[name])}`,
    }))
  }
  if (keyword === 'additionalProperties') {
    const field_names = Object.keys((at(input, instancePath) as object | undefined) ?? {})
    const missing = fields.filter((name) => !field_names.includes(name))
    return (params as { additionalProperties: string[] }).additionalProperties.map((name) => {
      const near = nearest(name, missing)
      const meant =
        near === undefined ? `; there are ${fields.join(', ') || 'none'}` : `; did you mean ${near}?`
      return { pointer: `${instancePath}/${escapePointer(name)}`, text: `is not a field here${meant}` }
    })
  }
  // A closed object reports each unknown field twice; the other report lists the known names.
  if (keyword === 'boolean') return []
  const is_whole = instancePath === ''
  const got = is_whole ? 'the input' : short(at(input, instancePath))
  const limit = ['type', 'enum', 'const', 'pattern', 'anyOf', 'oneOf', 'format'].includes(keyword)
    ? `expected ${expected(node)}`
    : `it ${error.message}`
  return [{ pointer: instancePath, text: `is ${got}; ${limit}` }]
}

/** The expected value, in short. */
export function expected(node: SchemaNode | undefined): string {
  if (!node) return 'something else'
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (node.enum) return `one of ${node.enum.map((value) => JSON.stringify(value)).join(', ')}`
  const choices = choicesOf(node)
  if (choices.length > 0) return choices.map(expected).join(', or ')
  const type = node.type === undefined ? 'a value' : typeWords([node.type].flat())
  const { description = '' } = node
  const form = formOf(node)
  const form_text = form === undefined || description.includes(form) ? '' : ` (${form})`
  return type + form_text + (description && `: ${description.replace(/\.$/, '')}`)
}

function formOf({ pattern }: SchemaNode): string | undefined {
  return Object.entries(text_forms).find(([start]) => String(pattern).startsWith(start))?.[1]
}

function typeWords(types: readonly string[]): string {
  return types.map((type) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)).join(' or ')
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > shown_chars_max ? `${text.slice(0, shown_chars_max)}…` : text
}

/** Resolves a JSON Pointer in a schema or an input. */
function at(value: unknown, pointer: string): unknown {
  let current = value
  for (const part of pointer.split('/').slice(1)) {
    if (typeof current !== 'object' || current === null) return undefined
    current = (current as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return current
}

function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
