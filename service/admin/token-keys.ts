// svc-engine admin token-key: the keys that sign access tokens.
import { listSigningKeys, renewSigningKey } from '@svc/adapters/accounts/signing-keys'
import type { Noun } from './command.ts'
import { recorded } from './recorded-change.ts'
import { rootKeysOf } from './target.ts'

export const token_key: Noun = {
  list: {
    usage: 'token-key list',
    summary: 'the published keys of access tokens, newest first: that one signs',
    takes: [],
    async run({ store }) {
      return { rows: await listSigningKeys(store.engine), columns: ['kid', 'created_at'] }
    },
  },
  renew: {
    usage: 'token-key renew',
    summary:
      'signs access tokens with a new key within seconds; tokens of the earlier key stay valid until they expire',
    takes: [],
    async run(work) {
      const root_keys = await rootKeysOf(work.target, work.store.engine)
      const change = await recorded(work, 'token-key renew', async (db) => ({
        kid: await renewSigningKey(db, root_keys),
      }))
      return {
        rows: [change],
        note: 'Engines sign with it at the next sign-in, at most ten seconds from now.',
      }
    },
  },
}
