import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { When } from '../../parts/figure.tsx'
import { Who } from '../../parts/who.tsx'
import { StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { KeysOf } from './keys-of.tsx'
import { LineageFacts } from './lineage-facts.tsx'
import { StateOf } from './state-of.tsx'
import { WhyForm } from './why.tsx'

/** The effective capabilities of one identity, their sources, those that were left out, and its keys. */
export function Held({ did }: { did: string }) {
  const query = useQuery(`capabilities of ${did}`, (client, signal) =>
    client.macs.authorization_request({ agent_did: did }, { signal }),
  )
  return (
    <>
      <h2>
        What <Who did={did} /> may do
      </h2>
      <p>
        <a href={hashOf('access', ['agents'])}>All identities</a>
      </p>
      <LineageFacts did={did} />
      <StateOf key={`state of ${did}`} did={did} />
      <WhyForm key={did} did={did} />
      <AnswerOf query={query}>
        {({ capabilities, excluded, composed_at, cache_ttl_seconds }) => (
          <>
            <p className="quiet">
              Composed <When at={composed_at} />; cached for at most {cache_ttl_seconds} s; a revocation takes
              effect at once.
            </p>
            <DataTable
              caption="Held now"
              rows={capabilities.map((capability, index) => ({ ...capability, index }))}
              keyOf={({ index }) => String(index)}
              empty="Nothing."
              columns={[
                { head: 'Capability', cell: ({ name }) => <code>{name}</code> },
                { head: 'From', cell: ({ source }) => source },
                {
                  head: 'Until',
                  cell: ({ expires_at }) => (expires_at ? <When at={expires_at} /> : 'no end'),
                },
                { head: 'Caveats', cell: ({ caveats }) => caveats.join(', ') || '–' },
                {
                  head: 'Usable now',
                  cell: ({ satisfied_now, unsatisfied }) => (
                    <StateBadge state={satisfied_now ? 'yes' : `no: ${unsatisfied.join(', ')}`} />
                  ),
                },
              ]}
            />
            <DataTable
              caption="Left out"
              rows={excluded.map((each, index) => ({ ...each, index }))}
              keyOf={({ index }) => String(index)}
              empty="Nothing was left out."
              columns={[
                { head: 'Capability', cell: ({ name }) => <code>{name}</code> },
                { head: 'Why', cell: ({ why }) => why.replace('_', ' ') },
              ]}
            />
          </>
        )}
      </AnswerOf>
      <KeysOf key={did} did={did} />
    </>
  )
}
