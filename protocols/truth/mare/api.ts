// What others may use of mare.
export { mare_migrations } from './mare-migrations.ts'
export { Draws, type Quantile, quantileOf } from './risk-draw.ts'
export { bandOfRisk } from './risk-store.ts'
