// What others may use of ledger.
export { requireActingKind, requireActor } from './actor.ts'
export { type Asset, AssetId, AssetInput, assetHash, definitionOf, publishedForm } from './asset.ts'
export { findAssets, keepAsset, namesOfAssets } from './asset-store.ts'
export { tellBooks } from './books-change.ts'
export { requireStanding } from './estate-standing.ts'
export { ledger_migrations } from './migrations.ts'
export { ledger_faults } from './rules.ts'
export {
  accountsIn,
  balanceOf,
  balancesOf,
  type Entry,
  ensureUsd,
  type Journal,
  payIntoRunway,
  postJournal,
  postJournals,
  type SummedBalance,
  sumBalances,
} from './store.ts'
