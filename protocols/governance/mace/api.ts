// What others may use of mace.
export { requireAuthority } from './authority.ts'
export { conveneMotion, requireL2 } from './motion-convening.ts'
export { sweepMotions } from './motion-sweep.ts'
