// May a text be enacted? It is parsed and strictly validated, with the place of every fault.
import type { DetailedError } from '@cedar-policy/cedar-wasm/nodejs'
import { parseConsent } from '@svc/contract/authority/consent'
import type { CedarCheck, CedarFault } from '@svc/contract/authority/policy'
import type { CedarModule, Wasm } from './cedar-module.ts'
import { policy_schema } from './cedar-scene.ts'
import { tooComplex, unitsOf } from './cedar-text.ts'

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
  const answer = wasm.validate({ schema: policy_schema, policies: { staticPolicies: body } })
  if (answer.type === 'failure') return { policies: 0, faults: faultsOf(answer.errors), warnings: [] }
  const { validationErrors, validationWarnings, otherWarnings } = answer
  const parts = wasm.policySetTextToParts(body)
  const texts = parts.type === 'success' ? parts.policies : []
  return {
    policies: texts.length,
    faults: [
      ...faultsOf(validationErrors.map(({ error }) => error)),
      ...texts.flatMap((text) => annotationFaults(wasm, body, text)),
    ].slice(0, faults_max),
    warnings: faultsOf([...validationWarnings.map(({ error }) => error), ...otherWarnings]),
  }
}

function annotationFaults(wasm: Wasm, body: string, text: string): CedarFault[] {
  const parsed = wasm.policyToJson(text)
  if (parsed.type === 'failure') return []
  const { effect, annotations = {} } = parsed.json
  const from = body.indexOf(text)
  const messages = annotations_told
    .filter((name) => (annotations[name]?.length ?? 0) > annotation_length_max)
    .map((name) => `@${name} may have at most ${annotation_length_max} characters`)
  if (Object.hasOwn(annotations, 'approval')) messages.push(...approvalFaults(effect, annotations.approval))
  return messages.map((message) => ({ message, from, to: from + text.length }))
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
