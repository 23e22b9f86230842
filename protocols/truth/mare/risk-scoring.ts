// MARE score: the possible loss, in money and as a score from 0 to 100. Advice only, never a decision.
import { envelopeOf } from '@svc/contract/money/books'
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, described, ListOf, OneOf, Ref } from '@svc/contract/schema'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { askRationale, faulty } from '../opinions/api.ts'
import { cvssScore } from './cvss.ts'
import { bandOf, type RiskFactor } from './risk.ts'
import { quantileOf } from './risk-draw.ts'
import { type History, historyOf } from './risk-history.ts'
import { FactorId, factorsOf, requireOneQuestion, type ScoreInput, seedOf, spreadOf } from './risk-input.ts'
import { compute, type RiskRun, type RiskTask } from './risk-job.ts'
import { keepRisk } from './risk-store.ts'

const rerun_iterations = 200_000
const days_of_year = 365
/** Measured: this many events are drawn in under ten milliseconds. */
const inline_events_max = 20_000
const thread_ms_max = 28_000
const default_appetite = { expected_loss_usd: 100, var95_usd: 1_000 }
const job = computation<RiskTask, RiskRun>(new URL('./risk-job.ts', import.meta.url))

const Usd = Type.Number({ minimum: 0 })
const Score = Type.Number({ minimum: 0, maximum: 100 })
const Share = Type.Number({ minimum: 0, maximum: 1 })

export const ScoreOutput = Closed({
  score: described(Score, '0 to 100; 25, 50 and 75 are where the bands begin.'),
  band: described(OneOf('low', 'moderate', 'high', 'critical'), 'The score in a word.'),
  recommendation: described(
    OneOf('proceed', 'review', 'refuse'),
    'What to do: refuse if critical, review if high or above the appetite.',
  ),
  expected_loss_usd: Type.Optional(
    described(Usd, 'Mean loss over the horizon; absent where no losses were given.'),
  ),
  var_95: Type.Optional(described(Usd, 'Loss in USD that is exceeded in one of twenty cases.')),
  cvar_95: Type.Optional(described(Usd, 'Mean loss in USD of the worst twentieth.')),
  interval95: Type.Optional(
    Type.Array(Score, { minItems: 2, maxItems: 2, description: 'Interval of the score over repeated runs.' }),
  ),
  exceedance: Type.Optional(
    described(
      ListOf(
        Type.Array(Type.Number(), {
          minItems: 2,
          maxItems: 2,
          description: 'A loss, and the probability of losing more.',
        }),
        0,
        32,
      ),
      'How likely larger losses are.',
    ),
  ),
  contributions: Type.Optional(
    Type.Record(FactorId, Type.Number(), {
      additionalProperties: false,
      description: 'Share of each factor in cvar_95, by Shapley.',
    }),
  ),
  failure_rate: Type.Optional(
    Closed(
      {
        calls: Type.Integer({ minimum: 1, description: 'Calls in the window.' }),
        failures: Type.Integer({ minimum: 0, description: 'How many of them failed.' }),
        mean: described(Share, 'Estimated share of failures.'),
        p95: described(Share, 'Upper bound of that share, at 95 %.'),
      },
      { description: 'Only with from_history.' },
    ),
  ),
  cvss_score: Type.Optional(Type.Number({ minimum: 0, maximum: 10, description: 'Only with cvss_vector.' })),
  appetite: Closed(
    {
      expected_loss_usd: Type.Number({ minimum: 0, description: 'Mean loss that is acceptable.' }),
      var95_usd: Type.Number({
        minimum: 0,
        description: 'Loss that may be exceeded in one of twenty cases.',
      }),
      from: described(
        OneOf('given', 'envelope', 'default'),
        "Whether it was given, comes from the caller's envelope, or is the default.",
      ),
    },
    { description: 'Losses it was compared with.' },
  ),
  rationale: Type.Optional(
    Closed(
      {
        text: Type.String({ description: 'What drives the risk, and what would lower it.' }),
        model: Type.String({ description: 'Who wrote it.' }),
        verified: Type.Literal(false, { description: 'Always false: nothing of it was checked.' }),
      },
      { description: 'Explanation by a model; only where the band was in doubt.' },
    ),
  ),
  iterations: Type.Optional(
    Type.Integer({ description: 'Runs that were made; absent where nothing was simulated.' }),
  ),
  seed: Type.String({ description: 'Seed of the random numbers, derived from the subject and its factors.' }),
  risk_ref: described(Ref, 'Names this score; MAKER asks for it.'),
})
type ScoreOutput = Static<typeof ScoreOutput>
type Appetite = ScoreOutput['appetite']
type Found = Omit<ScoreOutput, 'band' | 'recommendation' | 'appetite' | 'seed' | 'risk_ref'>

export async function scoreRisk(
  input: ScoreInput,
  context: OperationContext<'audit_log' | 'budgets' | 'compute' | 'model' | 'tokens' | 'vault'>,
): Promise<ScoreOutput> {
  requireOneQuestion(input)
  context.takePath('protocol')
  const appetite = await appetiteOf(input, context)
  const risk = await findRisk(input, appetite, context)
  const band = bandOf(risk.score)
  const over_mean = (risk.expected_loss_usd ?? 0) > appetite.expected_loss_usd
  const careful = band === 'high' || over_mean
  const recommendation = band === 'critical' ? 'refuse' : careful ? 'review' : 'proceed'
  const seed = sha256Hex(canonicalJson({ protocol: 'MARE', subject: input.subject }))
  const answer = { ...risk, band, recommendation, appetite, seed } as const
  const { persist = false, ...asked } = input
  const { rationale: _, ...kept } = answer
  const risk_id = sha256Hex(canonicalJson({ tenant_id: context.tenant_id, asked, persist, found: kept }))
  await keepRisk(context, {
    risk_id,
    score: risk.score,
    content: { subject: input.subject, found: answer, ...(persist && { asked }) },
  })
  const risk_ref = `mare://risk/${risk_id}`
  context.audit('RiskScored', { risk_ref, score: risk.score, band, recommendation, persist })
  return { ...answer, risk_ref }
}

async function findRisk(
  input: ScoreInput,
  appetite: Appetite,
  context: OperationContext<'audit_log' | 'compute' | 'model' | 'tokens'>,
): Promise<Found> {
  const { subject, horizon_days = days_of_year } = input
  if (input.cvss_vector !== undefined) {
    const cvss_score = cvssScore(input.cvss_vector)
    if (cvss_score === undefined)
      throw faulty('bad_vector', '/cvss_vector', 'is no whole CVSS vector of version 3.1 or 4.0')
    return { score: Math.round(cvss_score * 100) / 10, cvss_score }
  }
  if (input.factors)
    return runModel(factorsOf(input.factors, subject, horizon_days), input, appetite, context)
  const from_history = input.from_history!
  const history = await historyOf(from_history, context)
  const rate = quantileOf({ kind: 'jeffreys', hits: history.failures, trials: history.calls, scale: 1 })
  const failure_rate = {
    calls: history.calls,
    failures: history.failures,
    mean: (history.failures + 0.5) / (history.calls + 1),
    p95: rate(0.95),
  }
  if (from_history.loss_usd === undefined) return { score: 100 * failure_rate.p95, failure_rate }
  const loss = spreadOf(from_history.loss_usd, '/from_history/loss_usd')
  const factor = { ...failures(history, subject, horizon_days), loss }
  return { ...(await runModel([factor], input, appetite, context)), failure_rate }
}

function failures({ failures: hits, calls: trials, calls_per_year }: History, subject: string, days: number) {
  const scale = (calls_per_year * days) / days_of_year
  return {
    id: 'failure',
    frequency: { kind: 'jeffreys', hits, trials, scale },
    exposure: 1,
    depends_on: [],
    seed: seedOf(subject, 'failure'),
  } as const
}

/** If another run could give another band, many more runs are made: this is the agent path. */
async function runModel(
  factors: readonly RiskFactor[],
  input: ScoreInput,
  appetite: Appetite,
  context: OperationContext<'compute' | 'model' | 'tokens'>,
): Promise<Found> {
  const iterations = input.iterations ?? 10_000
  const task = { factors, iterations, appetite_usd: appetite.var95_usd, seed: seedOf(input.subject) }
  const first = await run(task, context)
  if (!first.ambiguous || iterations >= rerun_iterations) return foundIn(first, factors)
  context.takePath('agent')
  const rerun = foundIn(await run({ ...task, iterations: rerun_iterations }, context), factors)
  const rationale = await rationaleFor(input, rerun, appetite, context)
  return { ...rerun, ...(rationale && { rationale }) }
}

function run(task: RiskTask, context: OperationContext<'compute'>): RiskRun | Promise<RiskRun> {
  const events = task.factors.reduce((sum, factor) => sum + 1 + mostEvents(factor), 0) * task.iterations
  return events <= inline_events_max ? compute(task) : context.compute(job, task, thread_ms_max)
}

function mostEvents({ frequency, exposure }: RiskFactor): number {
  if (frequency.kind === 'constant') return exposure * frequency.value
  return frequency.kind === 'pert' ? exposure * frequency.high : Number.POSITIVE_INFINITY
}

function foundIn(run: RiskRun, factors: readonly RiskFactor[]): Found {
  const { score, expected, var_95, cvar_95, interval95, exceedance, shares, iterations } = run
  return {
    score,
    expected_loss_usd: expected,
    var_95,
    cvar_95,
    interval95,
    exceedance,
    contributions: Object.fromEntries(factors.map(({ id }, at) => [id, shares[at]!])),
    iterations,
  }
}

async function appetiteOf({ appetite }: ScoreInput, context: OperationContext<'budgets'>): Promise<Appetite> {
  if (appetite?.expected_loss_usd !== undefined && appetite.var95_usd !== undefined)
    return {
      expected_loss_usd: appetite.expected_loss_usd,
      var95_usd: appetite.var95_usd,
      from: 'given',
    }
  const envelope = envelopeOf(await context.budgets.rules(), context.caller.did)
  const own_appetite = envelope && {
    expected_loss_usd: Number(envelope.day_limit_micro_usd) / 1e6,
    var95_usd: Number(envelope.month_limit_micro_usd) / 1e6,
  }
  const from = own_appetite ? 'envelope' : 'default'
  return { ...(own_appetite ?? default_appetite), ...appetite, from }
}

/** A model's unverified explanation; the numbers do not depend on it. */
async function rationaleFor(
  { subject }: ScoreInput,
  result: Found,
  appetite: Appetite,
  context: OperationContext<'model' | 'tokens'>,
): Promise<ScoreOutput['rationale']> {
  return await askRationale(
    context,
    'Say in at most three sentences what drives this risk estimate and what would lower it. Use only these numbers.',
    { subject, found: result, appetite },
  )
}
