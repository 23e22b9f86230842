// The stored policies of organizations, by version and by set.

// Reading and writing policy versions and sets, and the tables that hold them.
export {
  announce,
  type DuePolicy,
  findDuePolicies,
  findSet,
  hasPolicies,
  keepSets,
  keepVersion,
  type ListedVersion,
  listVersions,
  lockPolicies,
  newestVersion,
  policy_migrations,
  readTimeline,
  readVersions,
} from './policy-store.ts'
// The form of a version name, and which of two is later.
export { isLaterVersion, PolicyVersionName } from './policy-version.ts'
