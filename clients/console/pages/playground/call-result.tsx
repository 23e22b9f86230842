import { type Answer, type DryRun, verifyReceipt } from '@svc/sdk'
import { Duration, Fact, Money, When } from '../../parts/figure.tsx'
import { energyText } from '../../parts/figures.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Id, StateBadge } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useTrust } from '../audit-log/use-trust.ts'

export function CallResult({ answer: { output, metadata } }: { answer: Answer }) {
  const { receipt, usage } = metadata
  return (
    <>
      <p className="note good">
        Done. <a href={hashOf('requests', [metadata.correlation_id])}>See how it went</a>
        {metadata.replayed && ' This is the stored answer to an earlier call with the same key.'}
      </p>
      <dl className="facts">
        <Fact name="Cost" value={<Money usd={usage.amount_usd} />} />
        <Fact name="Took" value={<Duration ms={usage.seconds * 1000} />} />
        <Fact name="Tokens" value={`${usage.tokens_in} in, ${usage.tokens_out} out`} />
        <Fact name="Energy" value={energyText(usage.watt_hours)} />
      </dl>
      <JsonView label="Output" value={output} />
      {receipt ? (
        <>
          <h3>Its record</h3>
          <dl className="facts">
            <div>
              <dt>Record</dt>
              <dd>
                number {receipt.record.seq}, <Id text={receipt.record.record_hash} />
              </dd>
            </div>
            <div>
              <dt>At</dt>
              <dd>
                <When at={receipt.record.timestamp} />
              </dd>
            </div>
          </dl>
          <ReceiptCheck receipt={receipt} />
          <details>
            <summary>The stored record</summary>
            <JsonView label="Record" value={receipt.record} />
          </details>
        </>
      ) : (
        <p className="quiet">Its record is journalled and will be in the chain shortly.</p>
      )}
    </>
  )
}

type Receipt = NonNullable<Answer['metadata']['receipt']>

/** Checks hash, path to the root and checkpoint signature in this browser. */
function ReceiptCheck({ receipt }: { receipt: Receipt }) {
  const { trust } = useTrust()
  const query = useQuery(`receipt ${receipt.record.id}`, async (client, signal) => {
    const wish = { after_seq: 0, limit: 1, include_checkpoints: true }
    const { keys = [] } = await client.max.audit_query(wish, { signal })
    const own = await verifyReceipt(receipt, trust.keys)
    if (own.ok || trust.keys.length > 0) return { ...own, is_verified: own.ok }
    const named = keys.map(({ public_key }) => public_key)
    return { ...(await verifyReceipt(receipt, named)), is_verified: false }
  })
  if (query.problem) return <p className="note">Not checked: {query.problem.message}</p>
  if (!query.answer) return <p>Checking the record …</p>
  if (query.answer.is_verified)
    return (
      <p className="note good">
        Verified in this browser: the record is in the log signed by a key you trust.
      </p>
    )
  return query.answer.ok ? (
    <p className="note">
      Consistent: the record is in the log, signed by a key that only the engine vouches for. To verify it,
      paste the key you trust under <a href={hashOf('audit-log', ['verify'])}>Verify</a>.
    </p>
  ) : (
    <p role="alert" className="problem">
      The record is invalid: {query.answer.reason}
    </p>
  )
}

export function DryResult({ dry }: { dry: DryRun }) {
  return (
    <>
      <p className={dry.verdict === 'allowed' ? 'note good' : 'problem'}>
        {dry.verdict === 'allowed'
          ? 'It would be allowed. Nothing was executed.'
          : `It would be refused: ${dry.error?.message ?? ''}`}
      </p>
      <ol className="stages" start={0}>
        {dry.stages.map(({ stage, name, verdict, knew }) => (
          <li key={stage}>
            <strong>{name}</strong> <StateBadge state={verdict} />
            <details>
              <summary>Facts</summary>
              <JsonView label={`Stage ${stage}`} value={knew} />
            </details>
          </li>
        ))}
      </ol>
    </>
  )
}
