// Checks options against the policies in force and ranks them by values. Recorded, but never authorizes
// anything.

import { standingAgainst } from '@svc/contract/authority/policy-ruling'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, Hash, ListOf, Ref, Text } from '@svc/contract/schema'
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
  dilemma: Text(4000, { description: 'The conflict, in words.' }),
  options: described(
    ListOf(
      Closed({
        id: Type.String({
          pattern: '^[A-Za-z0-9._-]{1,64}$',
          description: 'Your name for the option; the ranking uses it.',
        }),
        description: Text(2000, { description: 'What would be done.' }),
        scenario: Type.Optional(
          described(Scenario, 'The call to check against the policies; absent: counts as lawful.'),
        ),
        effects: described(
          ListOf(
            Closed({
              value: described(Name, 'Name of a listed value.'),
              weight: Type.Integer({
                minimum: -100,
                maximum: 100,
                description: 'Below zero harms the value, above serves it.',
              }),
            }),
            0,
            32,
          ),
          'How the option serves or harms your values.',
        ),
      }),
      2,
      options_max,
    ),
    'What could be done; each once.',
  ),
  values: described(
    ListOf(
      Closed({
        name: described(Name, 'Your name for the value; effects use it.'),
        priority: Type.Integer({ minimum: 1, maximum: 100, description: 'Greater means more important.' }),
      }),
      1,
      32,
    ),
    'What matters, and how much.',
  ),
  precedent_limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: precedents_max,
      default: 10,
      description: 'Earlier decisions to cite at most.',
    }),
  ),
})
type DilemmaInput = Static<typeof DilemmaInput>

export const DilemmaOutput = Closed({
  dilemma_id: described(Hash, 'Names the stored deliberation.'),
  ranking: described(
    ListOf(
      Closed({
        option_id: Type.String({ description: 'The option.' }),
        lawful: Type.Boolean({ description: 'Whether no policy forbids it.' }),
        score: Type.Integer({ description: 'Sum of effect weights times priorities.' }),
        violated: described(ListOf(Ref), 'Policies that forbid it.'),
        values_served: described(ListOf(Type.String()), 'Values it serves.'),
        values_harmed: described(ListOf(Type.String()), 'Values it harms.'),
      }),
      0,
      options_max,
    ),
    'Options that are not dominated, best first; unlawful ones last.',
  ),
  recommendation: Type.Optional(Type.String({ description: 'The best option; absent if ambiguous.' })),
  dominated: described(
    ListOf(
      Closed({
        option_id: Type.String({ description: 'The weaker option.' }),
        by: Type.String({ description: 'The option that beats it.' }),
      }),
      0,
      options_max,
    ),
    'Options that another is at least as good as in every value.',
  ),
  ambiguous: Type.Boolean({ description: 'Whether the best two are too close, or none is lawful.' }),
  dissent: described(
    ListOf(
      Closed({
        option_id: Type.String({ description: 'The option.' }),
        argument: Type.String({ description: 'What speaks for it.' }),
      }),
      0,
      options_max,
    ),
    'The best argument for each option not recommended.',
  ),
  escalate_to: Type.Optional(Type.Literal('MACE', { description: 'Where to decide it; only if ambiguous.' })),
  precedents: described(
    ListOf(Ref, 0, precedents_max),
    'Records of earlier decisions about the same operation by the same kind of caller.',
  ),
  set_digest: described(Hash, 'Hash of the policies in force.'),
  binding: Type.Literal(false, { description: 'Always false: it authorizes nothing.' }),
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
