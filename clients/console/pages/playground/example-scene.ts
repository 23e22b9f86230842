// The scene of an example: who can play it, and how it is played as the signed-in person.
import { type Client, playScene, type SceneParty, type SceneStep, standInsFor } from '@svc/sdk'
import type { OperationFacts } from './operations.ts'

const repeat_ms = 500
const repeats_max = 60

type Example = Pick<OperationFacts, 'example' | 'example_by' | 'scene'>

/** Why the scene cannot be played by one organization; undefined if it can. */
export function whyNotPlayed({ example_by = 'you', scene = [] }: Example): string | undefined {
  const roles = [example_by, ...scene.map((step) => ('call' in step && step.as) || 'you')]
  return roles.every((role) => role === 'you')
    ? undefined
    : 'These steps cannot be played here: another organization makes some of the calls, and you can only make your own.'
}

/** Plays what can be played, and returns the example with your own values. */
export async function prepareExample(
  example: Example,
  client: Pick<Client, 'dispatch'>,
  you: SceneParty,
  done: (step: SceneStep) => void,
): Promise<unknown> {
  let repeats = 0
  const scene = whyNotPlayed(example) ? [] : (example.scene ?? [])
  const fill = await playScene(scene, {
    stand_ins: standInsFor({ you }, performance.timeOrigin + performance.now()),
    async call(_role, protocol, operation, input) {
      return (await client.dispatch(protocol, operation, input, { retry: false })).output
    },
    async pause() {
      if (++repeats > repeats_max)
        throw new Error('A step waits for something that does not happen; look at its last answer.')
      await new Promise((resolve) => setTimeout(resolve, repeat_ms))
    },
    done,
  })
  return fill(example.example)
}
