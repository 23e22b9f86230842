// The double-entry ledger: assets, accounts, journals and the rules the database enforces on them.

// Refuses callers of a kind that may not take part in the economy.
export { requireActingKind, requireActor } from './actor.ts'
// The definition of an asset, its schema and its hash.
export { type Asset, AssetId, AssetInput, assetHash, definitionOf, publishedForm } from './asset.ts'
// Finds, lists and adds asset definitions.
export { findAssets, keepAsset, namesOfAssets } from './asset-store.ts'
// The database function that reads what somebody of any organization may reserve.
export { available_migrations } from './available-migrations.ts'
// Tells all engines to reload the books of a tenant.
export { tellBooks } from './books-change.ts'
// Refuses new obligations of an organization that is being wound up.
export { requireStanding } from './estate-standing.ts'
// The sums that fees are charged on.
export { fee_migrations } from './fee-migrations.ts'
// The fee of each payment, so that parts cost what the whole costs.
export { chargeFees, type FeeCharge, feeCeiling, feeOf } from './fees.ts'
// The entries of one account in order, its balance before them, and what was issued lately.
export { balanceBefore, type EntryPlace, entriesOf, issuedSince } from './history-store.ts'
// The tables of the ledger.
export { account_history_migrations, journal_id_migrations, ledger_migrations } from './migrations.ts'
// The error codes of the ledger triggers.
export { ledger_faults } from './rules.ts'
// Posts journals and reads balances.
export {
  accountsIn,
  availableTo,
  balanceOf,
  balancesOf,
  type Entry,
  ensureUsd,
  insufficientFunds,
  type Journal,
  lockLedgers,
  payIntoRunway,
  postJournal,
  postJournals,
  type SummedBalance,
  sumBalances,
} from './store.ts'
