// The engine's log level and trace sampling ratio.
import { Button, Input, NativeSelect } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { askRoute } from '../../api/session.ts'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { Field } from '../../parts/field.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useAct, useQuery } from '../../shell/use-query.ts'
import { useSession } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { OperatorOnly } from './operator-only.tsx'

interface Trace {
  readonly level: string
  readonly sample_rate: number
}

const text = words.settings.trace
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent']

/** What the caller holds is read first: the route would record a refusal because somebody opened this page. */
export function TraceLevel() {
  return (
    <OperatorOnly why_not={words.no_tracing}>
      <CurrentLevel />
    </OperatorOnly>
  )
}

function CurrentLevel() {
  const session = useSession()
  const query = useQuery('trace', () => askRoute<Trace>(session, 'GET', '/admin/trace'))
  return <AnswerOf query={query}>{(trace) => <TraceForm trace={trace} onSet={query.again} />}</AnswerOf>
}

function TraceForm({ trace, onSet }: { trace: Trace; onSet(): void }) {
  const session = useSession()
  const [level, setLevel] = useState(trace.level)
  const [rate, setRate] = useState(String(trace.sample_rate))
  const set = useAct(async () => {
    await askRoute(session, 'PUT', '/admin/trace', { level, sample_rate: Number(rate) })
    onSet()
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void set.run(undefined)
  }
  return (
    <form onSubmit={submit}>
      <h2>{words.settings.tracing}</h2>
      <p>{text.means}</p>
      <div className="row">
        <Field label={text.level}>
          {(ids) => (
            <NativeSelect {...ids} value={level} onChange={({ target }) => setLevel(target.value)}>
              {levels.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </NativeSelect>
          )}
        </Field>
        <Field label={text.share}>
          {(ids) => (
            <Input
              {...ids}
              type="number"
              min={0}
              max={1}
              step="any"
              required
              value={rate}
              onChange={({ target }) => setRate(target.value)}
            />
          )}
        </Field>
        <Button variant="default" type="submit" disabled={set.is_waiting}>
          {text.set}
        </Button>
      </div>
      <p role="status">{text.in_force(trace.level, trace.sample_rate)}</p>
      {set.problem && <ProblemNote problem={set.problem} />}
    </form>
  )
}
