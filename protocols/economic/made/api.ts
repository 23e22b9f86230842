// MADE: publishing assets, making contracts and settling them.

// Applies expiry, default and finality to contracts that nobody calls.
export { sweepContracts } from './contract-sweep.ts'
// Scenes after which you hold something to trade with.
export { sale_done, sale_paid } from './scenes.ts'
