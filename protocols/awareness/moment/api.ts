// Service level objectives, as alert rules watch them.

// How fast an error budget burns, over a window and its end.
export { burnNow } from './slo-counting.ts'
