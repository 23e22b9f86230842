import { operation, protocol } from '@svc/contract/protocol'
import {
  AnalysisInput,
  AnalysisOutput,
  analyse,
  deadline_ms_default,
  tokens_default,
} from './causal-analysis.ts'
import { PublishInput, PublishOutput, publish } from './publish-model.ts'
import { deadline_ms_max, ReasoningInput, ReasoningOutput } from './reasoning-input.ts'
import { reasonAbout } from './reasoning-task.ts'

const model_ref = 'marc://model/769066121fc5791fa371a6ee9aea3811d32bde9238eba8b36c354c450486ebe5'
const sprinkler = {
  name: 'sprinkler',
  version: '1.0.0',
  variables: [
    { name: 'rain', states: ['yes', 'no'], cpt: [0.2, 0.8] },
    { name: 'sprinkler', states: ['on', 'off'], parents: ['rain'], cpt: [0.01, 0.99, 0.4, 0.6] },
    {
      name: 'grass',
      states: ['wet', 'dry'],
      parents: ['sprinkler', 'rain'],
      cpt: [0.99, 0.01, 0.9, 0.1, 0.8, 0.2, 0, 1],
    },
  ],
}

export const marc = protocol({
  id: 'MARC',
  version: 'v1.0.0',
  plane: 'cognition',
  estate: 'agent',
  rate: 'heavy',
  category: 'svc-cognitive',
  summary: 'Reasoning within a budget: proofs from premises, and causal analysis of published models.',

  operations: {
    reasoning_task: operation({
      summary: 'Answer a question from premises and known facts, with its proof, within a budget.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      multipliers: [1, 1, 1.2],
      deadline_ms: deadline_ms_max,
      needs: ['calibrated', 'compute', 'embedder', 'model', 'tokens', 'vault'],
      input: ReasoningInput,
      output: ReasoningOutput,
      example: {
        intent: 'Is Anne nice?',
        premises: ['Anne is kind.', 'All kind people are nice.'],
        budget: { tokens: 10_000, deadline_ms: 20_000 },
        return_fields: ['derivation', 'citations', 'confidence'],
      },
      handle: reasonAbout,
    }),
    publish_model: operation({
      summary: 'Publish a Bayesian or causal model of the world under a name and a version.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      deadline_ms: 30_000,
      // Enough for a network of half a million parameters as text.
      input_bytes_max: 6 * 1024 * 1024,
      needs: ['compute', 'register'],
      input: PublishInput,
      output: PublishOutput,
      example: sprinkler,
      handle: publish,
    }),
    causal_analysis: operation({
      summary: 'Ask a published model for the effect of an intervention, an observation or a counterfactual.',
      effect: 'read',
      level: 'L1',
      meters: ['seconds', 'tokens', 'watts'],
      deadline_ms: deadline_ms_max,
      budget_default: { tokens: tokens_default, deadline_ms: deadline_ms_default },
      needs: ['compute', 'tokens', 'vault'],
      input: AnalysisInput,
      output: AnalysisOutput,
      scene: [{ call: 'MARC.publish_model', input: sprinkler, answer: { model_ref } }],
      example: {
        model_ref,
        outcome: { variable: 'grass', state: 'wet' },
        do: { sprinkler: 'on' },
        budget: { tokens: 10_000, deadline_ms: 10_000 },
      },
      handle: analyse,
    }),
  },
})
