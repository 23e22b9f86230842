// The scene of an example for readers: which steps come before it, and who takes them.
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { SceneRole, SceneStep } from '@svc/contract/scene'

const callers: Record<SceneRole, string> = {
  you: '',
  partner: ', called by the other organization',
  operator: ', called by the organization that runs the engine',
}

/** What comes before the example, one sentence for each step; none where it needs nothing. */
export function sceneSentences({ scene = [], example_needs }: OperationFacts): string[] {
  return [...(example_needs === undefined ? [] : [example_needs]), ...scene.map(stepSentence)]
}

/** Who calls it, unless it is the reader. */
export function callerSentences({ example_by = 'you' }: OperationFacts): string[] {
  return example_by === 'you' ? [] : [`The example is${callers[example_by].slice(1)}.`]
}

export function stepSentence(step: SceneStep): string {
  if ('new_key' in step) return 'Make an Ed25519 key pair.'
  if ('sign' in step) return 'Sign the text of the answer with it.'
  const fields = Object.keys((step.answer as object | undefined) ?? {})
  const gain = fields.length ? `, which gives ${fields.map((name) => `\`${name}\``).join(', ')}` : ''
  const repeated = step.until === undefined ? '' : `, until it answers \`${JSON.stringify(step.until)}\``
  const where = step.tenant_id === undefined ? '' : ` in \`${step.tenant_id}\``
  return `\`${step.call}\`${callers[step.as ?? 'you']}${where}${gain}${repeated}.`
}
