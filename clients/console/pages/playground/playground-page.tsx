// Any operation: choose it by name, fill it in as a form or JSON, dry-run it, run it.
import { useState } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { Field } from '../../parts/field.tsx'
import type { PageProps } from '../../shell/address.ts'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { OperationCall } from './operation-call.tsx'
import { describeOperation, listProtocols, type ProtocolLine } from './operations.ts'

export function PlaygroundPage({ place }: PageProps) {
  const [protocol, operation] = place.rest
  const query = useQuery('protocols', (_client, signal) => listProtocols(signal))
  return (
    <AnswerOf query={query}>
      {(protocols) => (
        <>
          <Chooser protocols={protocols} protocol={protocol} operation={operation} />
          {protocol && operation && (
            <Chosen key={`${protocol} ${operation}`} protocol={protocol} operation={operation} />
          )}
        </>
      )}
    </AnswerOf>
  )
}

interface Choice {
  readonly protocols: readonly ProtocolLine[]
  readonly protocol: string | undefined
  readonly operation: string | undefined
}

function Chooser({ protocols, protocol, operation }: Choice) {
  const [typed, setTyped] = useState('')
  const all = protocols.flatMap(({ id, operations }) => operations.map((name) => ({ id, name })))
  const words = typed.toLowerCase().split(/\s+/)
  const matches = all.filter(({ id, name }) =>
    words.every((word) => `${id} ${name}`.toLowerCase().includes(word)),
  )
  const goTo = (value: string) => {
    const [id = '', name = ''] = value.split(' ')
    location.hash = hashOf('playground', [id, name])
  }
  const chosen = protocol && operation ? `${protocol} ${operation}` : ''
  return (
    <div className="row">
      <Field label="Find" hint={`${matches.length} of ${all.length} operations`}>
        {(ids) => (
          <input
            {...ids}
            type="search"
            placeholder="treaty, memory, MOAT …"
            value={typed}
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
      </Field>
      <Field label="Operation" hint={protocols.find(({ id }) => id === protocol)?.summary}>
        {(ids) => (
          <select {...ids} value={chosen} onChange={({ target }) => goTo(target.value)}>
            <option value="">choose …</option>
            {/* The chosen operation stays in the list, whatever the filter. */}
            {all
              .filter((each) => matches.includes(each) || `${each.id} ${each.name}` === chosen)
              .map(({ id, name }) => (
                <option key={`${id} ${name}`}>{`${id} ${name}`}</option>
              ))}
          </select>
        )}
      </Field>
    </div>
  )
}

function Chosen({ protocol, operation }: { protocol: string; operation: string }) {
  const query = useQuery(`${protocol} ${operation}`, (_client, signal) =>
    describeOperation(protocol, operation, signal),
  )
  return (
    <AnswerOf query={query}>
      {({ facts, schema }) => <OperationCall protocol={protocol} facts={facts} schema={schema} />}
    </AnswerOf>
  )
}
