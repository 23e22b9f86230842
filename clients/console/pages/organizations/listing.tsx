// The list of every institution: filtered by state, newest first, paged by the engine's cursors.
import { NativeSelect } from '@mantine/core'
import type { Client } from '@svc/sdk'
import type { ReactNode } from 'react'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { Field } from '../../parts/field.tsx'
import { Pager } from '../../parts/pager.tsx'
import { stateText } from '../../parts/shorten.ts'
import { usePages } from '../../parts/use-pages.ts'
import { hashOf, type Place } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'

const page_items = 25

interface Page<State> {
  readonly limit: number
  readonly cursor?: string
  readonly state?: State
}

interface Props<Item, State extends string> {
  /** Its path in the address. */
  readonly part: string
  readonly states: readonly State[]
  readonly query: Place['query']
  readonly ask: (
    client: Client,
    page: Page<State>,
    signal: AbortSignal,
  ) => Promise<{ items: Item[]; next_cursor?: string }>
  readonly children: (items: readonly Item[]) => ReactNode
}

export function Listing<Item, State extends string>(props: Props<Item, State>) {
  const state = props.states.find((each) => each === props.query.state)
  return (
    <>
      <StateFilter part={props.part} states={props.states} state={state ?? ''} />
      <Listed key={state} {...props} state={state} />
    </>
  )
}

function StateFilter({ part, states, state }: { part: string; states: readonly string[]; state: string }) {
  return (
    <Field label="State">
      {(ids) => (
        <NativeSelect
          {...ids}
          value={state}
          onChange={({ target }) => {
            location.hash = hashOf('organizations', [part], { state: target.value })
          }}
        >
          <option value="">Any</option>
          {states.map((each) => (
            <option key={each} value={each}>
              {stateText(each)}
            </option>
          ))}
        </NativeSelect>
      )}
    </Field>
  )
}

function Listed<Item, State extends string>({
  part,
  ask,
  state,
  children,
}: Props<Item, State> & { readonly state: State | undefined }) {
  const pages = usePages<string>()
  const { cursor } = pages
  const query = useQuery(`list ${part} ${state} ${cursor}`, (client, signal) => {
    const page = { limit: page_items, ...(cursor ? { cursor } : {}), ...(state ? { state } : {}) }
    return ask(client, page, signal)
  })
  return (
    <AnswerOf query={query}>
      {({ items, next_cursor }) => (
        <>
          {children(items)}
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}
