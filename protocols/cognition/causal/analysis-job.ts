// The computation of MARC causal_analysis, in a worker thread. A thread caches recently used models.
import { type ComputationHost, computation } from '@svc/contract/needs/computation'
import { type Verdict, verdictOf } from '@svc/contract/needs/computation-verdict'
import { refuse } from '@svc/contract/refusal'
import { type Answered, type Asked, imagine, intervene, observe } from './analysis.ts'
import type { States } from './effect.ts'
import { samples } from './likelihood-weighting.ts'
import { unpackModel } from './model-job.ts'
import type { Network } from './network.ts'

/** Total number of parameters a thread caches. */
const kept_parameters_max = 4_000_000
const kept_models_max = 16

export const query_kinds = ['interventional', 'observational', 'ate', 'counterfactual'] as const
type Named = Readonly<Record<string, string>>

export interface CausalQuestion {
  readonly query: (typeof query_kinds)[number]
  readonly outcome: { readonly variable: string; readonly state?: string }
  readonly do: Named
  readonly given: Named
  readonly baseline: Named
  readonly max_factor: number
  readonly deadline_ms: number
  readonly seed: string
}

export interface CausalTask {
  readonly sha256: string
  /** Omitted if the thread may have it cached. */
  readonly packed?: Uint8Array
  readonly question: CausalQuestion
}

type Interval = [number, number]

export interface CausalAnswer {
  readonly probability?: number
  readonly distribution?: Record<string, number>
  readonly exact: boolean
  readonly ci95?: Interval | Record<string, Interval>
  readonly strategy?: NonNullable<Answered['strategy']>
  readonly adjustment_set?: string[]
  readonly front_door_set?: string[]
  readonly elimination_order?: string[]
  readonly largest_factor: number
  readonly sampling?: { method: 'likelihood_weighting'; samples: number; seed: string }
  readonly effect?: { ate: number; treated: number; control: number; baseline: Record<string, string> }
}

/** `needs_model`: call again with the model. */
export type CausalVerdict = Verdict<CausalAnswer> | { readonly needs_model: true }

const cached_networks = new Map<string, Network>()

export const analysis_job = computation<CausalTask, CausalVerdict>(new URL(import.meta.url))

/** @public Called by name from a thread. */
export function compute({ sha256, packed, question }: CausalTask, host: ComputationHost): CausalVerdict {
  const network = cached_networks.get(sha256) ?? (packed && unpackModel(packed))
  if (!network) return { needs_model: true }
  keep(sha256, network)
  return verdictOf(() => answerQuestion(network, question, host))
}

/** Evicts the least recently used. */
function keep(sha256: string, network: Network): void {
  cached_networks.delete(sha256)
  cached_networks.set(sha256, network)
  let parameters = [...cached_networks.values()].reduce((sum, one) => sum + sizeOf(one), 0)
  for (const [oldest, one] of cached_networks) {
    if (
      cached_networks.size <= kept_models_max &&
      (parameters <= kept_parameters_max || cached_networks.size === 1)
    )
      return
    cached_networks.delete(oldest)
    parameters -= sizeOf(one)
  }
}

function sizeOf({ variables }: Network): number {
  return variables.reduce((sum, { table }) => sum + (table?.values.length ?? 0), 0)
}

export function answerQuestion(
  network: Network,
  question: CausalQuestion,
  host: ComputationHost,
): CausalAnswer {
  const { outcome, query, deadline_ms } = question
  const target = placeOf(network, outcome.variable, '/outcome/variable')
  const asked_question: Asked = {
    target,
    done: statesOf(network, question.do, '/do'),
    given: statesOf(network, question.given, '/given'),
    cells_max: question.max_factor,
    seed: question.seed,
    spend: () => {
      if (host.elapsed_ms() > deadline_ms) throw late(deadline_ms)
    },
  }
  const state =
    outcome.state === undefined ? undefined : stateOf(network, target, outcome.state, '/outcome/state')
  if (query === 'ate') return compareEffects(network, asked_question, state, question)
  const ways = { interventional: intervene, observational: observe, counterfactual: imagine }
  const answer = ways[query](network, asked_question)
  return { ...shownOf(network, answer, question.seed), ...sharesOf(network, target, state, answer) }
}

/** The difference between two interventions: in a state's probability, or in the mean of numeric states. */
function compareEffects(
  network: Network,
  asked_question: Asked,
  state: number | undefined,
  { seed, baseline }: CausalQuestion,
): CausalAnswer {
  const other = baselineOf(network, asked_question.done, baseline)
  const values = valuesOf(network, asked_question.target, state)
  const answers = [asked_question, { ...asked_question, done: other }].map((one) =>
    intervene(network, one),
  ) as [Answered, Answered]
  const [treated, control] = answers.map(({ distribution }) => meanOf(distribution, values)) as [
    number,
    number,
  ]
  const ate = treated - control
  const shown = shownOf(network, answers[0], seed)
  const margin = Math.hypot(...answers.map(({ margins }) => marginOf(margins, values)))
  const largest_factor = Math.max(...answers.map((one) => one.largest_factor))
  const exact = answers.every((one) => one.exact)
  return {
    ...shown,
    ...sharesOf(network, asked_question.target, state, answers[0]),
    exact,
    largest_factor,
    ...(exact ? {} : { ci95: [ate - margin, ate + margin] satisfies Interval }),
    effect: { ate, treated, control, baseline: namesOf(network, other) },
  }
}

/** A variable not named gets its first state that differs from the intervention. */
function baselineOf(network: Network, done: States, named: Named): States {
  const states = statesOf(network, named, '/baseline')
  for (const place of states.keys())
    if (!done.has(place))
      throw unknown('/baseline', `${network.variables[place]!.name} is not among what is done`)
  return new Map([...done].map(([place, state]) => [place, states.get(place) ?? (state === 0 ? 1 : 0)]))
}

function valuesOf(network: Network, target: number, state: number | undefined): number[] {
  const { name, states } = network.variables[target]!
  if (state !== undefined) return states.map((_, place) => (place === state ? 1 : 0))
  const values = states.map((text) => (text.trim() === '' ? Number.NaN : Number(text)))
  if (values.every(Number.isFinite)) return values
  throw refuse(
    'invalid_payload',
    `An average effect on ${name} needs a state of it, as its states are not numbers; name one in outcome.state.`,
    { reason: 'state_required', path: '/outcome/state' },
  )
}

function meanOf(distribution: Float64Array, values: readonly number[]): number {
  return distribution.reduce((sum, share, state) => sum + share * values[state]!, 0)
}

function marginOf(margins: Float64Array | undefined, values: readonly number[]): number {
  return Math.hypot(...(margins ?? []).map((margin, state) => margin * values[state]!))
}

function shownOf(network: Network, answer: Answered, seed: string): CausalAnswer {
  const { exact, strategy, adjustment_set, front_door_set, elimination_order, largest_factor } = answer
  const names = (places: readonly number[]) => places.map((place) => network.variables[place]!.name)
  return {
    exact,
    largest_factor,
    ...(strategy ? { strategy } : {}),
    ...(adjustment_set ? { adjustment_set: names(adjustment_set) } : {}),
    ...(front_door_set ? { front_door_set: names(front_door_set) } : {}),
    ...(elimination_order ? { elimination_order: names(elimination_order) } : {}),
    ...(exact ? {} : { sampling: { method: 'likelihood_weighting', samples, seed } }),
  }
}

function sharesOf(network: Network, target: number, state: number | undefined, answer: Answered) {
  const { distribution, margins } = answer
  const intervalOf = (at: number): Interval => [
    Math.max(0, distribution[at]! - margins![at]!),
    Math.min(1, distribution[at]! + margins![at]!),
  ]
  if (state !== undefined)
    return { probability: distribution[state]!, ...(margins ? { ci95: intervalOf(state) } : {}) }
  const byState = <T>(pick: (at: number) => T): Record<string, T> =>
    Object.fromEntries(network.variables[target]!.states.map((name, at) => [name, pick(at)]))
  return {
    distribution: byState((at) => distribution[at]!),
    ...(margins ? { ci95: byState(intervalOf) } : {}),
  }
}

function statesOf(network: Network, named: Named, pointer: string): States {
  return new Map(
    Object.entries(named).map(([name, state]) => {
      const own = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
      const place = placeOf(network, name, own)
      return [place, stateOf(network, place, state, own)]
    }),
  )
}

function placeOf(network: Network, name: string, pointer: string): number {
  const place = network.places.get(name)
  if (place === undefined) throw unknown(pointer, `the model has no variable ${name}`)
  if (network.variables[place]!.table) return place
  throw refuse('invalid_payload', `${name} is latent and has no table: it can be neither observed nor set.`, {
    reason: 'latent_variable',
    path: pointer,
  })
}

function stateOf(network: Network, place: number, state: string, pointer: string): number {
  const { name, states } = network.variables[place]!
  const index = states.indexOf(state)
  if (index < 0) throw unknown(pointer, `${name} has no state ${state}`)
  return index
}

function namesOf(network: Network, states: States): Record<string, string> {
  return Object.fromEntries(
    [...states].map(([place, state]) => {
      const { name, states: own } = network.variables[place]!
      return [name, own[state]!]
    }),
  )
}

function unknown(pointer: string, message: string) {
  return refuse(
    'invalid_payload',
    `The question does not fit the model: ${message}; check the published model.`,
    {
      reason: 'not_found',
      path: pointer,
      faults: [{ pointer, message }],
    },
  )
}

function late(deadline_ms: number) {
  return refuse(
    'timeout',
    `The analysis exceeded its deadline of ${deadline_ms} ms; set a longer deadline or a smaller max_factor.`,
  )
}
