// One request as recorded by each organization involved, side by side.
import { Button } from '@mantine/core'
import { AnswerOf } from '../../parts/answer-of.tsx'
import { CorrelationForm } from '../../parts/correlation-form.tsx'
import { plural } from '../../parts/figures.ts'
import { NoRight } from '../../parts/no-right.tsx'
import { hashOf, type Place } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'
import { useSession, useWhyNot } from '../../shell/use-session.tsx'
import { type AuditLogSide, AuditLogSideView } from './audit-log-side.tsx'
import { othersNamedIn, proveRecords } from './record-proof.ts'
import { useTrust } from './use-trust.ts'

const records_max = 200

export function CorrelationPart({ place }: { place: Place }) {
  const why_not = useWhyNot('MAX', 'audit_query')
  const correlation_id = place.rest[1]
  if (why_not) return <NoRight protocol="MAX" operation="audit_query" />
  return (
    <>
      <CorrelationForm
        key={correlation_id}
        correlation_id={correlation_id}
        placeOf={(id) => hashOf('audit-log', ['correlation', id])}
      />
      {correlation_id ? (
        <Sides key={correlation_id} correlation_id={correlation_id} />
      ) : (
        <p className="empty">
          Paste the correlation id of a request, or choose one in the last column of Records.
        </p>
      )}
    </>
  )
}

function Sides({ correlation_id }: { correlation_id: string }) {
  const { tenant_id: own } = useSession()
  const { trust } = useTrust()
  const query = useQuery(`sides of ${correlation_id}`, async (client, signal) => {
    const wish = { correlation_id, limit: records_max, include_checkpoints: true }
    const page = await client.max.audit_query({ ...wish, include_proofs: true }, { signal })
    const ours: AuditLogSide = { tenant_id: own, is_own: true, records: await proveRecords(page, trust.keys) }
    const sides = [ours]
    for (const tenant_id of othersNamedIn(page.records, own)) {
      // For another tenant's audit log the engine returns the shared records and its own verification result.
      const theirs = await client.max.audit_query({ ...wish, tenant_id, verify: true }, { signal })
      const records = await proveRecords(theirs, [])
      sides.push({ tenant_id, is_own: false, records, engine_says: theirs.verified?.ok })
    }
    return sides
  })
  return (
    <AnswerOf query={query}>
      {(sides) => {
        const all_records = sides.flatMap(({ records }) => records.map(({ record }) => record))
        if (all_records.length === 0)
          return (
            <p className="note">
              Your audit log has no record of this request. It may belong to another organization, or not be
              written yet.{' '}
              <Button variant="default" onClick={query.again}>
                Refresh
              </Button>
            </p>
          )
        return (
          <>
            <p>
              {plural(all_records.length, 'record')} in{' '}
              {sides.length === 1 ? 'your audit log only' : `${sides.length} audit logs`}.{' '}
              <a href={hashOf('requests', [correlation_id])}>Its way through the stages</a>
            </p>
            <div className="two">
              {sides.map((side) => (
                <AuditLogSideView key={side.tenant_id} side={side} all={all_records} />
              ))}
            </div>
          </>
        )
      }}
    </AnswerOf>
  )
}
