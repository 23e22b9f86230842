import { AnswerOf } from '../../parts/answer-of.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Empty } from '../../parts/empty.tsx'
import { When } from '../../parts/figure.tsx'
import { moneyText, unitsText } from '../../parts/figures.ts'
import { NoRight } from '../../parts/no-right.tsx'
import { Pager } from '../../parts/pager.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { Who } from '../../parts/who.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'

const usd_decimals = 6
const page_rows = 25

export function Contracts() {
  const why_not = useWhyNot('MADE', 'list')
  if (why_not) return <NoRight protocol="MADE" operation="list" />
  return (
    <>
      <ContractList />
      <AssetList />
    </>
  )
}

function ContractList() {
  const pages = usePages<string>()
  const query = useQuery(`contracts ${pages.cursor}`, (client, signal) =>
    client.made.list(
      { kind: 'contracts', limit: page_rows, ...(pages.cursor ? { cursor: pages.cursor } : {}) },
      { signal },
    ),
  )
  return (
    <AnswerOf query={query}>
      {({ contracts = [], next_cursor }) => (
        <>
          <DataTable
            caption="Contracts"
            rows={contracts}
            keyOf={({ contract_id }) => contract_id}
            empty={
              <Empty
                words={words.empty.contracts}
                href={hashOf('playground', ['MADE', 'economic_contract_create'])}
              />
            }
            columns={[
              { head: 'Contract', cell: ({ contract_id }) => <Id text={contract_id} /> },
              { head: 'State', cell: ({ state }) => <StateBadge state={state} /> },
              { head: 'Between', cell: ({ proposer_did }) => <Who did={proposer_did} /> },
              { head: 'And', cell: ({ counterparty_did }) => <Who did={counterparty_did} /> },
              {
                head: 'Owed',
                cell: ({ owed }) =>
                  owed.map(({ from, asset_id, amount, settled }) => (
                    <div key={`${from} ${asset_id}`}>
                      {from}: {amountText(settled, asset_id)} of {amountText(amount, asset_id)}
                    </div>
                  )),
              },
              {
                head: 'Next due',
                cell: ({ next_due_at }) => (next_due_at ? <When at={next_due_at} /> : '–'),
              },
              { head: 'Offered', cell: ({ offered_at }) => <When at={offered_at} /> },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}

function AssetList() {
  const pages = usePages<string>()
  const query = useQuery(`assets ${pages.cursor}`, (client, signal) =>
    client.made.list(
      { kind: 'assets', limit: page_rows, ...(pages.cursor ? { cursor: pages.cursor } : {}) },
      { signal },
    ),
  )
  return (
    <AnswerOf query={query}>
      {({ assets = [], next_cursor }) => (
        <>
          <DataTable
            caption="Assets and your balances"
            rows={assets}
            keyOf={({ asset_id }) => asset_id}
            empty={
              <Empty
                words={words.empty.assets}
                href={hashOf('playground', ['MADE', 'asset_definition_publish'])}
              />
            }
            columns={[
              { head: 'Asset', cell: ({ asset_id }) => <code>{asset_id}</code> },
              { head: 'Kind', cell: ({ kind }) => kind },
              { head: 'Issuer', cell: ({ issuer_tenant }) => issuer_tenant },
              {
                head: 'Unit',
                cell: ({ denomination }) => `${denomination.code}, ${denomination.decimals} decimals`,
              },
              {
                head: 'Balances',
                cell: ({ balances, denomination }) =>
                  balances.map(({ type, balance }) => (
                    <div key={type}>
                      {type}: <Balance minor={balance} denomination={denomination} />
                    </div>
                  )),
              },
              {
                head: 'Market',
                // Others are paid in dollars.
                cell: ({ asset_id }) =>
                  asset_id !== 'usd' && (
                    <a
                      href={hashOf('costs', ['market'], { instrument: `${asset_id}/usd` })}
                      aria-label={`Market of ${asset_id}`}
                    >
                      market
                    </a>
                  ),
              },
            ]}
          />
          <Pager pages={pages} next={next_cursor} />
        </>
      )}
    </AnswerOf>
  )
}

/** What a contract owes is in minor units; of other assets than dollars the unit is not known here. */
function amountText(minor: string, asset_id: string): string {
  return asset_id === 'usd' ? moneyText(unitsText(minor, usd_decimals)) : `${minor} ${asset_id}`
}

interface Denomination {
  readonly code: string
  readonly decimals: number
}

/** Dollars to the cent; the exact sum on hover. */
function Balance({ minor, denomination: { code, decimals } }: { minor: string; denomination: Denomination }) {
  const exact = unitsText(minor, decimals)
  return (
    <span className="figure" title={`${exact} ${code}`}>
      {code === 'USD' ? moneyText(exact) : `${exact} ${code}`}
    </span>
  )
}
