// What others may use of marc.
export { model_migrations } from './model-migrations.ts'
export { requireModel } from './model-store.ts'
