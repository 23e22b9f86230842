// Publishes a causal model: validated, content-addressed and immutable.
import { answerOf } from '@svc/contract/needs/computation-verdict'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type ModelSource, model_job, parameters_max, states_max, variables_max } from '../causal/api.ts'
import { hashIn, keepModel, modelRef, nameModel, requireModel } from './model-store.ts'

const source_length_max = 5 * 1024 * 1024
const given_max = 64
const bidirected_max = 4000
const thread_ms_max = 25_000

export const ModelRef = Type.String({
  pattern: '^marc://model/[0-9a-f]{64}$',
  description: 'A published model: the sha256 of its canonical JSON.',
})
export const VariableName = Text(256)
const Probability = Type.Number({ minimum: 0, maximum: 1 })

const ModelVariable = Closed({
  name: described(VariableName, 'Name by which parents and questions refer to the variable.'),
  states: described(ListOf(Text(256), 2, states_max), 'Values the variable can take.'),
  parents: Type.Optional(
    described(ListOf(VariableName, 0, given_max), 'Variables that cause it directly; none for a root.'),
  ),
  cpt: Type.Optional(
    Type.Union(
      [ListOf(Probability, 0, parameters_max), ListOf(ListOf(Probability, 0, states_max), 0, parameters_max)],
      {
        description:
          'A row per combination of states of the parents, the last parent fastest; each row sums to 1. Flat, or a list of rows. ' +
          'Parents that are latent without a cpt are not counted.',
      },
    ),
  ),
  cpt_given: Type.Optional(
    Type.Array(VariableName, {
      maxItems: given_max,
      description:
        'What the cpt is conditioned on, where that is not the observed parents: with hidden causes a variable depends on more ' +
        'than what causes it, as y on m and x where x and y share one and m lies between them.',
    }),
  ),
  latent: Type.Optional(Type.Boolean({ default: false, description: 'Not observed.' })),
})

export const PublishInput = Closed({
  name: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9 ._/-]{0,127}$',
    description: 'Name of the model.',
  }),
  version: Type.String({
    pattern:
      '^(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})\\.(0|[1-9]\\d{0,8})(-[0-9A-Za-z.-]{1,64})?(\\+[0-9A-Za-z.-]{1,64})?$',
    description: 'Semantic version: name and version identify one model permanently.',
  }),
  variables: Type.Optional(
    described(ListOf(ModelVariable, 1, variables_max), 'The model as JSON; give this or source.'),
  ),
  bidirected: Type.Optional(
    Type.Array(ListOf(VariableName, 2, 2), {
      maxItems: bidirected_max,
      description: 'Pairs of variables with a common unobserved cause.',
    }),
  ),
  format: Type.Optional(described(OneOf('json', 'bif'), 'json (default): variables; bif: source.')),
  source: Type.Optional(
    Text(source_length_max, { description: 'The model as BIF text, instead of variables.' }),
  ),
  supersedes: Type.Optional(ModelRef),
  provenance: Type.Optional(described(ListOf(Ref, 0, 1000), 'What the model was made from.')),
})
export type PublishInput = Static<typeof PublishInput>

const Count = Type.Integer({ minimum: 0 })
export const PublishOutput = Closed({
  model_ref: ModelRef,
  variables: described(Count, 'Number of variables.'),
  edges: described(Count, 'Number of edges between them.'),
  parameters: described(Count, 'Number of probabilities in all tables.'),
  treewidth_bound: Type.Integer({ minimum: 0, description: 'Upper bound, by the min-fill order.' }),
  warnings: described(ListOf(Type.String(), 0, 64), 'What was changed or ignored in the model.'),
})

export async function publish(
  input: PublishInput,
  context: OperationContext<'compute' | 'register'>,
): Promise<Static<typeof PublishOutput>> {
  const source = requireSource(input)
  const model = answerOf(await context.compute(model_job, source, thread_ms_max))
  if (input.supersedes !== undefined) await requireModel(context, input.supersedes)
  const { sha256, variables, edges, parameters, treewidth_bound } = model
  const { name, version, supersedes = null, provenance = [] } = input
  await keepModel(context, model)
  const standing = await nameModel(context, { name, version, sha256, supersedes, provenance })
  if (standing !== undefined && standing !== sha256) throw conflict(input, modelRef(standing))
  const model_ref = modelRef(sha256)
  const measures = { variables, edges, parameters, treewidth_bound }
  if (standing === undefined) {
    const meta = { model_ref, version, ...measures, supersedes, provenance: provenance.length }
    context.audit('ModelPublished', meta)
    await context.register({
      kind: 'model',
      subject: name,
      visibility: 'tenant',
      content: { name, version, model_ref, ...measures, supersedes, provenance },
    })
  }
  return { model_ref, ...measures, warnings: [...model.warnings] }
}

function requireSource({ format = 'json', source, variables, bidirected = [] }: PublishInput): ModelSource {
  if (format === 'bif' && source !== undefined && !variables) return { source, bidirected }
  if (format === 'json' && variables && source === undefined) return { variables, bidirected }
  const fields = format === 'bif' ? 'source and no variables' : 'variables and no source'
  const pointer = format === 'bif' ? '/source' : '/variables'
  throw refuse(
    'invalid_payload',
    `A model of format ${format} has ${fields}; send these, or name the other format.`,
    {
      reason: 'format',
      path: pointer,
      faults: [{ pointer, message: `format ${format} takes ${fields}` }],
    },
  )
}

function conflict({ name, version }: PublishInput, standing: string) {
  return refuse(
    'invalid_payload',
    `${name} ${version} is ${standing} already, and models are never changed; publish this one under another version.`,
    { reason: 'version_conflict', path: '/version', model_ref: standing, sha256: hashIn(standing) },
  )
}
