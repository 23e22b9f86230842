// MAKER: physical and digital actions, supervised until they end or are stopped.

// What the supervisor needs to carry out an action.
export type { Means } from './action-executors.ts'
// The tables of actions.
export { action_list_migrations, action_migrations } from './action-migrations.ts'
// Starts, watches and stops authorised actions; the topic wakes it.
export { ActionSupervisor, maker_topic } from './action-supervisor.ts'
// A UUID derived from a name.
export { uuidOf } from './name-uuid.ts'
