// One operation: input, dry run, result, and the same call in other clients.
import { Button, Input, Tabs } from '@mantine/core'
import type { Answer, Client, DryRun } from '@svc/sdk'
import { useState } from 'react'
import { Field } from '../../parts/field.tsx'
import { TextView } from '../../parts/json-view.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { StateBadge } from '../../parts/words.tsx'
import { useAct } from '../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import { CallResult, DryResult } from './call-result.tsx'
import { ExampleFill } from './example-fill.tsx'
import { JsonField } from './json-field.tsx'
import type { OperationFacts } from './operations.ts'
import { surfaces } from './same-call.ts'
import { ObjectFields } from './schema-form.tsx'
import { type Schema, startOf } from './schema-value.ts'

interface Props {
  readonly protocol: string
  readonly facts: OperationFacts
  readonly schema: Schema
}

export function OperationCall({ protocol, facts, schema }: Props) {
  const why_not = useWhyNot(protocol, facts.name)
  const [input, setInput] = useState<unknown>(() => startOf(schema))
  const [as_json, setAsJson] = useState(false)
  return (
    <>
      <h2>
        {protocol} {facts.name}
      </h2>
      <p>{facts.summary}</p>
      <dl className="facts">
        <div>
          <dt>Effect</dt>
          <dd>{facts.effect === 'read' ? 'read, safe to repeat' : 'write'}</dd>
        </div>
        <div>
          <dt>Level</dt>
          <dd>{facts.level}</dd>
        </div>
        <div>
          <dt>Capability</dt>
          <dd>
            <code>{facts.capability}</code> <StateBadge state={why_not ? 'not yours' : 'yours'} />
          </dd>
        </div>
      </dl>
      {why_not && (
        <p className="note">{why_not} You can still try it: the refusal is recorded and explained.</p>
      )}
      <div className="two">
        <section className="panel" aria-label="Input">
          <h3>Input</h3>
          <div className="row middle">
            <Button size="xs" variant="default" aria-pressed={as_json} onClick={() => setAsJson(!as_json)}>
              {as_json ? 'As a form' : 'As JSON'}
            </Button>
            {facts.example !== undefined && <ExampleFill facts={facts} onFilled={setInput} />}
          </div>
          {as_json ? (
            <JsonField name="Input as JSON" value={input} onChange={setInput} />
          ) : (
            <ObjectFields schema={schema} value={input} onChange={setInput} />
          )}
        </section>
        <section className="panel" aria-label="Result">
          <h3>Result</h3>
          <Runner protocol={protocol} operation={facts.name} input={input} />
        </section>
      </div>
      <SameCall protocol={protocol} operation={facts.name} input={input} />
    </>
  )
}

interface Call {
  readonly protocol: string
  readonly operation: string
  readonly input: unknown
}

type Result = { readonly answer: Answer } | { readonly dry: DryRun } | undefined

function Runner({ protocol, operation, input }: Call) {
  const [result, setResult] = useState<Result>()
  const [key, setKey] = useState('')
  const options = key === '' ? {} : { idempotencyKey: key }
  const run = useAct(async (client: Client) => {
    setResult(undefined)
    // The answer waits for its record, so that it can be proved.
    const call_options = { ...options, waitForAudit: true, retry: false }
    setResult({ answer: await client.dispatch(protocol, operation, input, call_options) })
  })
  const dry = useAct(async (client: Client) => {
    setResult(undefined)
    setResult({ dry: await client.dryRun(protocol, operation, input, options) })
  })
  const is_waiting = run.is_waiting || dry.is_waiting
  return (
    <>
      <Field label="Idempotency key" hint="A call sent twice with the same key is executed once. Optional.">
        {(ids) => <Input {...ids} value={key} onChange={({ target }) => setKey(target.value)} />}
      </Field>
      <div className="row">
        <Button variant="default" disabled={is_waiting} onClick={() => void dry.run(undefined)}>
          Dry run
        </Button>
        <Button disabled={is_waiting} onClick={() => void run.run(undefined)}>
          Run
        </Button>
      </div>
      <div role="status">
        {is_waiting && <p>Running …</p>}
        {run.problem && !result && <ProblemNote problem={run.problem} />}
        {dry.problem && !result && <ProblemNote problem={dry.problem} />}
        {result && 'answer' in result && <CallResult answer={result.answer} />}
        {result && 'dry' in result && <DryResult dry={result.dry} />}
      </div>
    </>
  )
}

function SameCall(call: Call) {
  const { tenant_id, did } = useSession()
  const texts = { ...call, tenant_id, agent_did: did }
  return (
    <section className="panel" aria-label="Same call in other clients">
      <h3>Same call in other clients</h3>
      <p className="quiet">
        Set SVC_API_URL, SVC_AGENT_DID and SVC_API_KEY first, as npm start prints them: the address of the
        engine or its gateway, who you are, and a key of yours. The console never passes on keys.
      </p>
      <Tabs defaultValue={surfaces[0]!.name}>
        <Tabs.List>
          {surfaces.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {surfaces.map(({ name, text }) => (
          <Tabs.Panel key={name} value={name}>
            <TextView label={name} text={text(texts)} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  )
}
