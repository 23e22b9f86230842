// Checks options against the policies in force and ranks them by values. Recorded, but never authorizes
// anything.

import { standingAgainst } from '@svc/contract/authority/policy-ruling'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, Hash, ListOf, Ref, Text } from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { type Option, rankOptions } from './dilemma.ts'
import { keepDilemma } from './dilemma-store.ts'
import { decisionOf, precedentsOf, setFor } from './policy-interpretation.ts'
import { type Case, caseOf, Scenario } from './policy-scenario.ts'

const options_max = 16
const precedents_max = 50
const Name = Text(128)

export const DilemmaInput = Closed({
  dilemma: Text(4000),
  options: ListOf(
    Closed({
      id: Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' }),
      description: Text(2000),
      scenario: Type.Optional(Scenario),
      effects: ListOf(Closed({ value: Name, weight: Type.Integer({ minimum: -100, maximum: 100 }) }), 0, 32),
    }),
    2,
    options_max,
  ),
  values: ListOf(
    Closed({
      name: Name,
      priority: Type.Integer({ minimum: 1, maximum: 100, description: 'Greater means more important.' }),
    }),
    1,
    32,
  ),
  precedent_limit: Type.Optional(Type.Integer({ minimum: 0, maximum: precedents_max, default: 10 })),
})
type DilemmaInput = Static<typeof DilemmaInput>

export const DilemmaOutput = Closed({
  dilemma_id: Hash,
  ranking: ListOf(
    Closed({
      option_id: Type.String(),
      lawful: Type.Boolean(),
      score: Type.Integer(),
      violated: ListOf(Ref),
      values_served: ListOf(Type.String()),
      values_harmed: ListOf(Type.String()),
    }),
    0,
    options_max,
  ),
  recommendation: Type.Optional(Type.String()),
  dominated: ListOf(Closed({ option_id: Type.String(), by: Type.String() }), 0, options_max),
  ambiguous: Type.Boolean(),
  dissent: ListOf(Closed({ option_id: Type.String(), argument: Type.String() }), 0, options_max),
  escalate_to: Type.Optional(Type.Literal('MACE')),
  precedents: ListOf(Ref, 0, precedents_max),
  set_digest: Hash,
  binding: Type.Literal(false),
})

export async function deliberate(
  input: DilemmaInput,
  context: OperationContext<'authority' | 'policies'>,
): Promise<Static<typeof DilemmaOutput>> {
  requireDistinct(input)
  const { tenant_id, caller, now, db } = context
  const cases: Case[] = []
  const options: Option[] = []
  for (const { id, scenario, effects } of input.options) {
    const scenario_case = scenario && (await caseOf(scenario, context))
    if (scenario_case) cases.push(scenario_case)
    options.push({ id, effects, violated: scenario_case ? await violatedBy(scenario_case, context) : [] })
  }
  const ranking = rankOptions(options, input.values)
  const { set_digest } = await setFor(Date.parse(now), false, context)
  const dilemma_id = contentHash({ tenant_id, asked: input, deliberated_by: caller.did, at: now, set_digest })
  const answer = {
    ...ranking,
    ...(ranking.ambiguous && { escalate_to: 'MACE' as const }),
    precedents: await precedentsFor(cases, input.precedent_limit ?? 10, context),
    set_digest,
    binding: false as const,
  }
  await keepDilemma(db, tenant_id, {
    dilemma_id,
    asked: input,
    found: answer,
    deliberated_by: caller.did,
    deliberated_at: now,
  })
  const { ambiguous, recommendation } = ranking
  context.audit('DilemmaDeliberated', { dilemma_id, set_digest, ambiguous }, { supplied: { recommendation } })
  return { dilemma_id, ...answer }
}

async function violatedBy({ scene }: Case, context: OperationContext<'policies'>): Promise<string[]> {
  const set = await setFor(scene.at_ms, false, context)
  const cedar_decision = context.policies.cedar.decide(set, scene)
  if (decisionOf(set, cedar_decision, scene) === 'allow') return []
  return standingAgainst(cedar_decision).map((name) => `maxim://${name}`)
}

/** Over all cases, each decision once. */
async function precedentsFor(
  cases: readonly Case[],
  limit: number,
  context: OperationContext,
): Promise<string[]> {
  const seen_names = new Set<string>()
  const option_ids = new Set<string>()
  for (const { scene } of cases) {
    const key = `${scene.principal.kind} ${scene.resource.protocol} ${scene.resource.operation}`
    if (option_ids.has(key) || limit === 0) continue
    option_ids.add(key)
    for (const precedent of await precedentsOf(scene, limit, context)) seen_names.add(precedent)
  }
  return [...seen_names].slice(0, limit)
}

/** Options, values and effects must be unique, and effects must refer to listed values. */
function requireDistinct({ options, values }: DilemmaInput): void {
  const names = new Set(values.map(({ name }) => name))
  const faults = [
    ...repeated(options.map(({ id }) => id)).map((at) => fault(`/options/${at}/id`, 'is listed twice')),
    ...repeated(values.map(({ name }) => name)).map((at) => fault(`/values/${at}/name`, 'is listed twice')),
    ...options.flatMap(({ effects }, place) => [
      ...repeated(effects.map(({ value }) => value)).map((at) =>
        fault(`/options/${place}/effects/${at}/value`, 'is listed twice'),
      ),
      ...effects.flatMap(({ value }, at) =>
        names.has(value) ? [] : [fault(`/options/${place}/effects/${at}/value`, 'is not one of values')],
      ),
    ]),
  ]
  if (faults.length === 0) return
  throw refuse(
    'invalid_payload',
    'Options, values and effects must be unique, and effects must refer to listed values; see details.faults.',
    { reason: 'ambiguous names', faults },
  )
}

function fault(pointer: string, message: string) {
  return { pointer, message }
}

function repeated(names: readonly string[]): number[] {
  return names.flatMap((name, at) => (names.indexOf(name) === at ? [] : [at]))
}
