// MARE: scores risk.

// Tables of risk scores.
export { mare_migrations, sealed_risk_migrations } from './mare-migrations.ts'
// Draws from distributions, and their quantiles.
export { Draws, type Quantile, quantileOf } from './risk-draw.ts'
// Reads the band of a stored score.
export { bandOfRisk } from './risk-store.ts'
