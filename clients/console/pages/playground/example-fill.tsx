// The button that fills in the example, and the steps that make the example possible.
import { Button } from '@mantine/core'
import type { Client } from '@svc/sdk'
import { useState } from 'react'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { StateBadge } from '../../parts/words.tsx'
import { useAct } from '../../shell/use-query.ts'
import { useSession } from '../../shell/use-session.tsx'
import { prepareExample, whyNotPlayed } from './example-scene.ts'
import type { OperationFacts } from './operations.ts'

interface Props {
  readonly facts: OperationFacts
  onFilled(example: unknown): void
}

export function ExampleFill({ facts, onFilled }: Props) {
  const { tenant_id, did } = useSession()
  const [steps_done, setStepsDone] = useState(0)
  const fill = useAct(async (client: Client) => {
    setStepsDone(0)
    const countStep = () => setStepsDone((count) => count + 1)
    onFilled(await prepareExample(facts, client, { tenant_id, did }, countStep))
  })
  const { scene_text = [], example_needs } = facts
  const why_not = whyNotPlayed(facts)
  return (
    <>
      <Button size="xs" variant="default" disabled={fill.is_waiting} onClick={() => fill.run(undefined)}>
        Fill in the example
      </Button>
      {(scene_text.length > 0 || why_not) && (
        <section className="whole-row" aria-label="Steps before the example">
          <p>{why_not ?? 'To make the example possible, the button first makes these calls:'}</p>
          {example_needs && <p className="note">{inCode(example_needs)}</p>}
          <ol>
            {scene_text.map((sentence, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified only by its index.
              <li key={index}>
                {inCode(sentence)} {index < steps_done && <StateBadge state="ok" />}
              </li>
            ))}
          </ol>
          <div role="status">
            {fill.is_waiting && <p>Playing the steps …</p>}
            {fill.problem && <ProblemNote problem={fill.problem} />}
          </div>
        </section>
      )}
    </>
  )
}

/** Texts between backticks are code. */
function inCode(sentence: string) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never move.
  return sentence.split('`').map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))
}
