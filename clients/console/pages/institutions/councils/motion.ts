import type { OutputOf } from '@svc/sdk'

export type Motion = OutputOf<'MACE', 'list'>['items'][number]
export type MotionDetail = NonNullable<Motion['detail']>

export function thresholdText({ of_votes, of_seats }: Motion['threshold']): string {
  return `${of_votes} of votes${of_seats ? `, ${of_seats} of seats` : ''}`
}
