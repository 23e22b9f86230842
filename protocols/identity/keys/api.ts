// Which keys an identity has and had.

export {
  identity_key_migrations,
  isCurrentKey,
  keepKeyEvents,
  keyEventsOf,
  keyEventsOfAll,
  lockKeys,
  wasKeyOf,
} from './identity-keys.ts'
