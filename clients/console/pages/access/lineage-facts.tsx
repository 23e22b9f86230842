// Who an identity is: its name, kind, parent and depth, as MACS.list says it of every identity.
import { AnswerOf } from '../../parts/answer-of.tsx'
import { Id } from '../../parts/words.tsx'
import { hashOf } from '../../shell/address.ts'
import { useQuery } from '../../shell/use-query.ts'

export function LineageFacts({ did }: { did: string }) {
  const query = useQuery(`lineage ${did}`, async (client, signal) => {
    const find = async (of: string) => (await client.macs.list({ did: of }, { signal })).items[0]
    const identity = await find(did)
    return { identity, parent: identity?.parent_did ? await find(identity.parent_did) : undefined }
  })
  return (
    <AnswerOf query={query}>
      {({ identity, parent }) =>
        identity && (
          <p>
            {identity.name ?? identity.entity_kind}, {identity.entity_kind},{' '}
            {identity.lineage_verified
              ? `verified at depth ${identity.lineage_depth}`
              : 'lineage not verified'}
            {identity.parent_did && (
              <>
                , below{' '}
                <a href={hashOf('access', ['agents', identity.parent_did])}>
                  {parent?.name ?? <Id text={identity.parent_did} />}
                </a>
              </>
            )}
            .
          </p>
        )
      }
    </AnswerOf>
  )
}
