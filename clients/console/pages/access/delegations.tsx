// The caller's delegations as trees; revoking one also revokes those derived from it.

import { AnswerOf } from '../../parts/answer-of.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { Empty } from '../../parts/empty.tsx'
import { When } from '../../parts/figure.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { NoRight } from '../../parts/no-right.tsx'
import { Pager } from '../../parts/pager.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { usePages } from '../../parts/use-pages.ts'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { type Action, useAct, useQuery } from '../../shell/use-query.ts'
import { useWhyNot } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { countBranches, type Delegation, type DelegationBranch, delegationTrees } from './delegation-tree.ts'

export function Delegations() {
  const why_not = useWhyNot('Aegis', 'policy')
  return why_not ? <NoRight protocol="Aegis" operation="policy" /> : <DelegationList />
}

function DelegationList() {
  const pages = usePages<string>()
  const query = useQuery(`delegations ${pages.cursor}`, async (client, signal) => {
    const wish = { action: 'get', limit: 50, ...(pages.cursor ? { cursor: pages.cursor } : {}) } as const
    const { output } = await client.dispatch('Aegis', 'policy', wish, { signal })
    return output
  })
  const revoke = useAct(async (client, token_id: string) => {
    const wish = { action: 'revoke', token_id, reason: 'revoked in the console' } as const
    await client.dispatch('Aegis', 'policy', wish)
    query.again()
  })
  return (
    <>
      {revoke.problem && <ProblemNote problem={revoke.problem} />}
      <AnswerOf query={query}>
        {({ delegations = [], next_cursor, rules }) => (
          <>
            <section aria-label="Delegations">
              <h2>Delegations</h2>
              {delegations.length === 0 && (
                <p className="empty">
                  <Empty words={words.empty.delegations} href={hashOf('playground', ['Aegis', 'delegate'])} />
                </p>
              )}
              <ul className="tree">
                {delegationTrees(delegations).map((branch) => (
                  <Branch key={branch.delegation.token_id} branch={branch} revoke={revoke} />
                ))}
              </ul>
            </section>
            <Pager pages={pages} next={next_cursor} />
            {rules && Object.keys(rules).length > 0 && (
              <JsonView label="Your delegation rules" value={rules} />
            )}
          </>
        )}
      </AnswerOf>
    </>
  )
}

function Branch({ branch, revoke }: { branch: DelegationBranch; revoke: Action<string> }) {
  const { delegation, redelegated } = branch
  const { token, token_id, state } = delegation
  const ends_with_it = countBranches(branch)
  return (
    <li className="card">
      <div className="rung-head">
        <span>
          <Id text={token.from_did} /> delegates to <Id text={token.to_did} />
        </span>
        <StateBadge state={state.toLowerCase().replace('_', ' ')} />
      </div>
      <DelegationFacts delegation={delegation} />
      <ul>
        {token.capabilities.map(({ name, caveats }) => (
          <li key={name}>
            <code>{name}</code> <span className="quiet">{caveats.join(', ')}</span>
          </li>
        ))}
      </ul>
      <div className="row">
        <a href={hashOf('access', ['agents', token.to_did])}>Current capabilities of the recipient</a>
        {state === 'ACTIVE' && (
          <ConfirmAction
            label="Revoke"
            title="Revoke this delegation?"
            is_waiting={revoke.is_waiting}
            onConfirm={() => void revoke.run(token_id)}
          >
            <p>
              {token.to_did} loses {token.capabilities.map(({ name }) => name).join(', ')} from the next call
              on
              {ends_with_it > 0 && `, and ${ends_with_it} derived delegations end with it`}. This cannot be
              undone, but you can delegate again.
            </p>
          </ConfirmAction>
        )}
      </div>
      {redelegated.length > 0 && (
        <ul className="tree">
          {redelegated.map((each) => (
            <Branch key={each.delegation.token_id} branch={each} revoke={revoke} />
          ))}
        </ul>
      )}
    </li>
  )
}

function DelegationFacts({ delegation: { token, token_id, issued_at } }: { delegation: Delegation }) {
  return (
    <dl className="facts">
      <div>
        <dt>Since</dt>
        <dd>
          <When at={issued_at} />
        </dd>
      </div>
      <div>
        <dt>Until</dt>
        <dd>
          <When at={token.expires_at} />
        </dd>
      </div>
      <div>
        <dt>May be redelegated</dt>
        <dd>{token.max_redelegation_depth === 0 ? 'never' : `${token.max_redelegation_depth} times`}</dd>
      </div>
      <div>
        <dt>Token</dt>
        <dd>
          <Id text={token_id} />
        </dd>
      </div>
    </dl>
  )
}
