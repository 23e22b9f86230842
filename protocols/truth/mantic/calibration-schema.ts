// Input and output of MANTIC calibrate.
import { Closed, described, ListOf, OneOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Distribution, Probability, Quantiles, Source, Topic, Amount as Value } from '../opinions/api.ts'
import { forecasts_min } from './calibration.ts'

export const forecasts_max = 100_000
const applied_max = 10_000

/** True or false, 1 or 0 for a probability; the label that occurred for a distribution; the value for quantiles. */
const OutcomeField = Type.Union([Type.Boolean(), Value, Text(128)], {
  description: 'Whether it occurred, which label of the distribution did, or the value.',
})
export const AssertedForecast = Closed(
  {
    p: Type.Optional(
      described(Probability, 'Probability that was forecast; give this, distribution or quantiles.'),
    ),
    distribution: Type.Optional(Distribution),
    quantiles: Type.Optional(
      described(Quantiles, 'Pairs of a level between 0 and 1 and its value, levels rising.'),
    ),
    outcome: OutcomeField,
    at: Type.Optional(described(Timestamp, 'When it was forecast.')),
    weight: Type.Optional(
      Type.Number({
        minimum: 1e-6,
        maximum: 1e6,
        default: 1,
        description: 'How much this forecast counts.',
      }),
    ),
  },
  {
    description:
      'For calibration the likeliest label of a distribution counts, and whether it occurred; of quantiles each level, and whether the value was at most that.',
  },
)
export type AssertedForecast = Static<typeof AssertedForecast>

export const UploadRef = Type.String({
  pattern: '^mantic://upload/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  description: 'Names the upload.',
})

export const CalibrateInput = Closed({
  forecaster: Source,
  forecasts: Type.Optional(
    described(
      ListOf(AssertedForecast, 1, forecasts_max),
      'What was forecast and what happened, as you say; give this, uploaded or stored.',
    ),
  ),
  uploaded: Type.Optional(
    described(UploadRef, 'Instead of forecasts: those that you uploaded in parts, as many as 100,000.'),
  ),
  stored: Type.Optional(
    Closed(
      {
        from: Type.Optional(described(Timestamp, 'Only forecasts from this time on.')),
        to: Type.Optional(described(Timestamp, 'Only forecasts before this time.')),
        topic: Type.Optional(Topic),
      },
      {
        description:
          'Instead of forecasts: those of this forecaster that were locked before their question was resolved, newest first.',
      },
    ),
  ),
  method: Type.Optional(
    described(
      OneOf('auto', 'none', 'platt', 'isotonic', 'beta', 'temperature'),
      'Map to fit; auto (default) takes the one that does best in cross-validation.',
    ),
  ),
  bins: Type.Optional(Type.Integer({ minimum: 5, maximum: 50, default: 10, description: 'Of equal mass.' })),
  folds: Type.Optional(
    Type.Integer({ minimum: 2, maximum: 10, default: 5, description: 'Parts of the cross-validation.' }),
  ),
  apply: Type.Optional(
    described(ListOf(Probability, 0, applied_max), 'Probabilities to calibrate with the result.'),
  ),
  persist: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Store the map, so that it corrects the forecaster's confidence from now on. Without stored it needs an authority.",
    }),
  ),
  authority: Type.Optional(
    described(
      Ref,
      'Charter verdict that lets a map be stored from forecasts and outcomes that were only reported.',
    ),
  ),
})
export type CalibrateInput = Static<typeof CalibrateInput>

const Amount = Type.Number({ minimum: 0 })
const Scores = Closed({
  brier: described(Amount, 'Mean squared error; less is better.'),
  log: described(Amount, 'Mean loss in nats; less is better.'),
  ece: described(Amount, 'Expected calibration error.'),
})
export const CalibrateOutput = Closed({
  n: Type.Integer({ minimum: forecasts_min, description: 'Forecasts that were used.' }),
  base_rate: described(Probability, 'How often the event occurred.'),
  brier: described(
    Amount,
    'Mean Brier score: of events (p - o)², of distributions the sum over all labels, 0 to 2; of quantiles as in decomposition.',
  ),
  crps: Type.Optional(
    described(
      Amount,
      'Mean continuous ranked probability score, in the unit of the outcomes; of quantiles only.',
    ),
  ),
  quantile_loss: Type.Optional(
    described(Amount, 'Mean pinball loss, in the unit of the outcomes; of quantiles only.'),
  ),
  decomposition: Closed(
    {
      brier: described(
        Amount,
        'Mean squared error that the parts add up to: of the likeliest label, where distributions were given.',
      ),
      reliability: described(Amount, 'How far forecasts are from what happened; less is better.'),
      resolution: Type.Number({ description: 'How well forecasts tell cases apart; more is better.' }),
      uncertainty: described(Amount, 'Variance of the outcomes, which no forecaster can change.'),
      within_bin_variance: described(Amount, 'Variance of the forecasts within bins.'),
      within_bin_covariance: Type.Number({
        description: 'Covariance of forecasts and outcomes within bins.',
      }),
    },
    {
      description:
        'Brier = reliability - resolution + uncertainty; resolution is less the variance and plus the covariance within bins.',
    },
  ),
  log_score: Type.Number({
    minimum: 0,
    description: 'Mean loss in nats, of distributions that of the label that occurred; less is better.',
  }),
  ece: described(Amount, 'Expected calibration error: mean gap between forecast and frequency, over bins.'),
  mce: described(Amount, 'Maximum calibration error: the largest gap of a bin.'),
  sharpness: Type.Number({ minimum: 0, description: 'Variance of the forecasts.' }),
  curve: described(
    ListOf(
      Closed({
        mean_p: described(Probability, 'Mean forecast of the bin.'),
        freq: described(Probability, 'How often the event occurred in it.'),
        n: Type.Integer({ minimum: 1, description: 'Forecasts in the bin.' }),
        ci95: Type.Array(Probability, {
          minItems: 2,
          maxItems: 2,
          description: '95 % interval of the frequency.',
        }),
      }),
      1,
      50,
    ),
    'Calibration curve, bin by bin.',
  ),
  cross_validated: Closed(
    {
      none: Type.Optional(described(Scores, 'Forecasts as they are.')),
      platt: Type.Optional(described(Scores, 'Logistic regression on the log odds.')),
      isotonic: Type.Optional(described(Scores, 'Monotone steps.')),
      beta: Type.Optional(described(Scores, 'Beta calibration.')),
      temperature: Type.Optional(described(Scores, 'One factor on the log odds.')),
    },
    { description: 'Scores of each map on forecasts it was not fitted to; absent where not tried.' },
  ),
  chosen: described(OneOf('none', 'platt', 'isotonic', 'beta', 'temperature'), 'Map that is used.'),
  map_ref: Type.Optional(described(Ref, 'Names the stored map; only with persist.')),
  calibrated: Type.Optional(
    described(
      ListOf(Probability, 0, applied_max),
      'The probabilities of apply after calibration, in their order.',
    ),
  ),
})
