// May a text be enacted? It is parsed and strictly validated, with the place of every fault.
import type { DetailedError, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { parseConsent } from '@svc/contract/authority/consent'
import type { CedarCheck, CedarFault } from '@svc/contract/authority/policy'
import type { CedarModule, Wasm } from './cedar-module.ts'
import { policySchema } from './cedar-scene.ts'
import { tooComplex, unitsOf } from './cedar-text.ts'
import { type InputUse, inputUse } from './input-facts.ts'
import { inputSchema } from './input-schema.ts'
import { namesOperation } from './rule-guards.ts'

const faults_max = 32
/** These texts are part of every refusal, so they must stay short. */
const annotation_length_max = 500
const annotations_told = ['reason', 'appeal']

export function checkText(module: CedarModule, body: string): CedarCheck {
  if (!body.isWellFormed()) return refused({ message: 'the text contains a lone surrogate' })
  const complex = tooComplex(body)
  if (complex) return refused(complex)
  try {
    return module.run((wasm) => validate(wasm, body))
  } catch {
    return refused({ message: 'the text is too complex to be evaluated; split the rule' })
  }
}

function refused(fault: CedarFault): CedarCheck {
  return { policies: 0, faults: [fault], warnings: [] }
}

function validate(wasm: Wasm, body: string): CedarCheck {
  const place = placing(body)
  const faultsOf = (errors: readonly DetailedError[]) => errors.flatMap(place).slice(0, faults_max)
  const parts = wasm.policySetTextToParts(body)
  const texts = parts.type === 'success' ? parts.policies : []
  const uses = texts.map((text) => useOf(wasm, text))
  const input = inputSchema(uses.flatMap((use) => [...(use?.facts.values() ?? [])]))
  const schema = policySchema(input.text)
  const answer = wasm.validate({ schema, policies: { staticPolicies: body } })
  if (answer.type === 'failure') return { policies: 0, faults: faultsOf(answer.errors), warnings: [] }
  const { validationErrors, validationWarnings, otherWarnings } = answer
  return {
    policies: texts.length,
    faults: [
      ...faultsOf(validationErrors.map(({ error }) => error)),
      ...texts.flatMap((text) => annotationFaults(wasm, body, text)),
      ...input.faults.map((message) => ({ message })),
      ...texts.flatMap((text, index) => inputFaults(uses[index]).map(placedIn(body, text))),
    ].slice(0, faults_max),
    warnings: faultsOf([...validationWarnings.map(({ error }) => error), ...otherWarnings]),
  }
}

function annotationFaults(wasm: Wasm, body: string, text: string): CedarFault[] {
  const parsed = wasm.policyToJson(text)
  if (parsed.type === 'failure') return []
  const { effect, annotations = {} } = parsed.json
  const messages = annotations_told
    .filter((name) => (annotations[name]?.length ?? 0) > annotation_length_max)
    .map((name) => `@${name} may have at most ${annotation_length_max} characters`)
  if (Object.hasOwn(annotations, 'approval')) messages.push(...approvalFaults(effect, annotations.approval))
  return messages.map(placedIn(body, text))
}

function placedIn(body: string, text: string): (message: string) => CedarFault {
  const from = body.indexOf(text)
  return (message) => ({ message, from, to: from + text.length })
}

function useOf(wasm: Wasm, text: string): InputUse | undefined {
  const parsed = wasm.policyToJson(text)
  return parsed.type === 'failure' ? undefined : inputUse(parsed.json as PolicyJson)
}

/** Inputs differ by operation: unless it names one, a policy would fail, and so forbid, wherever the field is missing. */
function inputFaults(use: InputUse | undefined): readonly string[] {
  if (!use || use.faults.length > 0 || use.facts.size === 0 || namesOperation(use.rule))
    return use?.faults ?? []
  return [
    'a policy that reads context.input must name the operation first: forbid(principal, action, resource == Svc::Operation::"MAT.begin_call")',
  ]
}

/** Everything is permitted that no policy forbids, so on a permit it would have no effect. */
function approvalFaults(effect: string, who: string | null | undefined): string[] {
  if (effect !== 'forbid') return ['@approval belongs on a forbid, whose calls then need consent']
  if (parseConsent(who ?? '')) return []
  return [
    '@approval names who must consent: role:<name>, user names or DIDs with commas, or 2 of them (2 of …)',
  ]
}

/** Each fault with its help text and place. The evaluator's own policy names mean nothing to an author. */
function placing(body: string): (error: DetailedError) => CedarFault[] {
  const units = unitsOf(body)
  return ({ message, help, sourceLocations = [], related = [] }) => {
    const [where] = sourceLocations
    const plain_message = message.replace(/^for policy `policy\d+`, /, '')
    const expected = where?.label ? `; ${where.label}` : ''
    const fault: CedarFault = {
      message: `${plain_message}${help ? `; ${help}` : ''}${expected}`,
      ...(where && { from: units(where.start), to: units(where.end) }),
    }
    return [fault, ...related.slice(0, faults_max).flatMap(placing(body))]
  }
}
