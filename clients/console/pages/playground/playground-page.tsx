// Any operation: choose it by name, fill it in as a form or JSON, dry-run it, run it.
import { Input, NativeSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { Field } from '../../parts/field.tsx'
import type { PageProps } from '../../shell/address.ts'
import { hashOf } from '../../shell/address.ts'
import { matching } from '../../shell/command-search.ts'
import { useQuery } from '../../shell/use-query.ts'
import { OperationCall } from './operation-call.tsx'
import {
  describeOperation,
  type FoundOperation,
  listProtocols,
  type ProtocolLine,
  searchOperations,
} from './operations.ts'

export function PlaygroundPage({ place }: PageProps) {
  const [protocol, operation] = place.rest
  const query = useQuery('protocols', (_client, signal) => listProtocols(signal))
  return (
    <AnswerOf query={query}>
      {(protocols) => (
        <>
          <Chooser protocols={protocols} protocol={protocol} operation={operation} />
          {!(protocol && operation) && <Everything protocols={protocols} />}
          {protocol && operation && (
            <Chosen key={`${protocol} ${operation}`} protocol={protocol} operation={operation} />
          )}
        </>
      )}
    </AnswerOf>
  )
}

/** Every protocol with its operations, so that nobody has to know a name to begin. */
function Everything({ protocols }: { protocols: readonly ProtocolLine[] }) {
  return (
    <section className="cards operations" aria-label="All operations">
      {protocols.map(({ id, summary, operations }) => (
        <div key={id} className="card">
          <h2>{id}</h2>
          <p className="quiet">{summary}</p>
          <ul className="chips">
            {operations.map((name) => (
              <li key={name}>
                <a href={hashOf('playground', [id, name])} aria-label={`${id} ${name}`}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

interface Choice {
  readonly protocols: readonly ProtocolLine[]
  readonly protocol: string | undefined
  readonly operation: string | undefined
}

/** By name at once, and by meaning as the engine's search finds it. */
function Chooser({ protocols, protocol, operation }: Choice) {
  const [typed, setTyped] = useState('')
  const [question] = useDebouncedValue(typed.trim(), 250)
  const query = useQuery(`search ${question}`, (_client, signal) => searchOperations(question, signal), {
    is_off: question === '',
  })
  const all = protocols.flatMap(({ id, operations }) =>
    operations.map((name) => ({ protocol: id, operation: name })),
  )
  const named = matching(all, typed, (each) => `${each.protocol} ${each.operation}`)
  const results = typed.trim() === '' ? [] : merged(query.answer ?? [], named).slice(0, results_max)
  const chosen = protocol && operation ? `${protocol} ${operation}` : ''
  return (
    <>
      <div className="row grow">
        <Field label="Find" hint={`${all.length} operations; search by what they do or by name.`}>
          {(ids) => (
            <Input
              {...ids}
              type="search"
              placeholder="search audit log, memory …"
              value={typed}
              onChange={({ target }) => setTyped(target.value)}
            />
          )}
        </Field>
        <Field label="Operation" hint={protocols.find(({ id }) => id === protocol)?.summary}>
          {(ids) => (
            <NativeSelect
              {...ids}
              value={chosen}
              onChange={({ target }) => {
                location.hash = hashOf('playground', target.value.split(' '))
              }}
            >
              <option value="">choose …</option>
              {all.map((each) => (
                <option
                  key={`${each.protocol} ${each.operation}`}
                >{`${each.protocol} ${each.operation}`}</option>
              ))}
            </NativeSelect>
          )}
        </Field>
      </div>
      {results.length > 0 && <Results results={results} onChosen={() => setTyped('')} />}
      {typed.trim() !== '' && results.length === 0 && !query.is_waiting && (
        <p className="empty">No operation matches. Try another word, such as “memory” or “treaty”.</p>
      )}
    </>
  )
}

function Results({ results, onChosen }: { results: readonly FoundOperation[]; onChosen(): void }) {
  return (
    <ul className="plain-list panel" aria-label="Matching operations">
      {results.map((each) => (
        <li key={`${each.protocol} ${each.operation}`}>
          <a href={hashOf('playground', [each.protocol, each.operation])} onClick={onChosen}>
            {each.protocol} {each.operation}
          </a>{' '}
          <span className="quiet">{each.summary}</span>
        </li>
      ))}
    </ul>
  )
}

const results_max = 12

/** Those found by meaning first, each once. */
function merged(
  found_by_meaning: readonly FoundOperation[],
  named: readonly FoundOperation[],
): FoundOperation[] {
  const by_name = new Map<string, FoundOperation>()
  for (const each of [...found_by_meaning, ...named]) {
    const name = `${each.protocol} ${each.operation}`
    if (!by_name.has(name)) by_name.set(name, each)
  }
  return [...by_name.values()]
}

function Chosen({ protocol, operation }: { protocol: string; operation: string }) {
  const query = useQuery(`operation ${protocol} ${operation}`, (_client, signal) =>
    describeOperation(protocol, operation, signal),
  )
  return (
    <AnswerOf query={query}>
      {({ facts, schema }) => <OperationCall protocol={protocol} facts={facts} schema={schema} />}
    </AnswerOf>
  )
}
