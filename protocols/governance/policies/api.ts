// What others may use of policies.
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
export { isLaterVersion, PolicyVersionName } from './policy-version.ts'
