import type { OutputOf } from '@svc/sdk'
import { shareWords } from './share-words.ts'

export type Motion = OutputOf<'MACE', 'list'>['items'][number]
export type MotionDetail = NonNullable<Motion['detail']>

export function thresholdText({ of_votes, of_seats }: Motion['threshold']): string {
  return `${shareWords(of_votes)} of the votes${of_seats ? `, and ${shareWords(of_seats)} of all seats` : ''}`
}
