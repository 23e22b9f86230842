// What others may use of maker.
export type { Means } from './action-executors.ts'
export { action_migrations } from './action-migrations.ts'
export { ActionSupervisor, maker_topic } from './action-supervisor.ts'
export { uuidOf } from './name-uuid.ts'
